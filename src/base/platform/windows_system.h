/* windows_system.h: what the files of Windows share. */
#ifndef TN_PLATFORM_WINDOWS_SYSTEM_H
#define TN_PLATFORM_WINDOWS_SYSTEM_H

#ifdef _WIN32

#include "paths.h"

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

/* A path as the system has it, absolute where it is long; 0 or an errno. */
int tn_windows_path(const char *path, wchar_t out[TN_PATH]);
/* And back, with '/' between its parts. */
int tn_windows_text(const wchar_t *path, char out[TN_PATH]);
/* The errno of what the system last said. */
int tn_windows_errno(void);

#endif
#endif
