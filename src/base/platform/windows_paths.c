/* windows_paths.c: paths and errors of Windows (windows_system.h). */
#ifdef _WIN32

#include "windows_system.h"

#include <errno.h>

/* Longer ones need to be absolute and begin with \\?\, which this system takes as it is written. */
#define SHORT_PATH 240

static int no_text(void)
{
    return GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
}

int tn_windows_path(const char *path, wchar_t out[TN_PATH])
{
    static const wchar_t mark[] = L"\\\\?\\";
    wchar_t whole[TN_PATH];
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, out, TN_PATH))
        return no_text();
    if (wcslen(out) < SHORT_PATH || wcsncmp(out, mark, 4) == 0) return 0;
    DWORD length = GetFullPathNameW(out, TN_PATH - 8, whole, NULL);
    if (length == 0 || length >= TN_PATH - 8) return ENAMETOOLONG;
    bool shared = whole[0] == L'\\' && whole[1] == L'\\';
    wcscpy(out, shared ? L"\\\\?\\UNC\\" : mark);
    wcscat(out, shared ? whole + 2 : whole);
    return 0;
}

int tn_windows_text(const wchar_t *path, char out[TN_PATH])
{
    if (wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0) { /* \\server\share */
        int code = tn_windows_text(path + 7, out + 1);
        out[0] = '/';
        return code;
    }
    if (wcsncmp(path, L"\\\\?\\", 4) == 0) path += 4;
    if (!WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, path, -1, out, TN_PATH - 1, NULL, NULL))
        return no_text();
    for (char *c = out; *c; c++)
        if (*c == '\\') *c = '/';
    return 0;
}

int tn_windows_errno(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    case ERROR_FILENAME_EXCED_RANGE:
        return ENAMETOOLONG;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS:
        return EEXIST;
    case ERROR_DIR_NOT_EMPTY:
        return ENOTEMPTY;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        return ENOMEM;
    case ERROR_CANT_RESOLVE_FILENAME:
        return ELOOP;
    case ERROR_TOO_MANY_OPEN_FILES:
        return EMFILE;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
        return EPIPE;
    default:
        return EIO;
    }
}

#else
typedef int TnWindowsPaths; /* a file without any declaration is not C */
#endif
