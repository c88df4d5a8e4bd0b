/* posix_process.c: the program on Linux and macOS (process.h). */
#if !defined(_WIN32) && !defined(__wasi__)

#include "process.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

long tn_process_number(void) { return (long)getpid(); }

int tn_process_path(char out[TN_PATH])
{
#ifdef __APPLE__
    uint32_t size = TN_PATH;
    return _NSGetExecutablePath(out, &size) == 0 ? 0 : ENAMETOOLONG;
#else
    ssize_t length = readlink("/proc/self/exe", out, TN_PATH - 1);
    if (length < 0) return errno;
    out[length] = '\0';
    return 0;
#endif
}

void tn_process_begin(int *argc, char ***argv) { (void)argc, (void)argv; }

/* ---- signals ---- */

static void once(int number, void (*handler)(int which))
{
    struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
    action.sa_handler = handler;
    sigaction(number, &action, NULL);
}

void tn_process_on_interrupt(void (*handler)(int which)) { once(SIGINT, handler); }
void tn_process_on_request_to_end(void (*handler)(int which)) { once(SIGTERM, handler); }
void tn_process_goes_on_at_limits(void) { signal(SIGXFSZ, SIG_IGN); }
void tn_process_goes_on_unread(void) { signal(SIGPIPE, SIG_IGN); }

_Static_assert(SIGINT == TN_INTERRUPT && SIGTERM == TN_REQUEST_TO_END, "process.h says so");

#else
typedef int TnPosixProcess; /* a file without any declaration is not C */
#endif
