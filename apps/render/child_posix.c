/* child_posix.c: child.h on Linux and macOS. */
#ifndef _WIN32

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct Child {
    pid_t process;
    int pipe; /* towards it */
};

char *child_find(const char *name)
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        char *place = NULL;
        struct stat about;
        if (length && asprintf(&place, "%.*s/%s", (int)length, folders, name) < 0) return NULL;
        if (place && access(place, X_OK) == 0 && stat(place, &about) == 0 && S_ISREG(about.st_mode))
            return place;
        free(place);
        folders += length + (folders[length] == ':');
    }
    return NULL;
}

/* A process id, or 0 with errno. */
static pid_t spawn(const char *program, const char *const *arguments, int input, int output)
{
    pid_t process = 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    char **writable; /* posix_spawn's type lacks a const */
    memcpy(&writable, &arguments, sizeof writable);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    /* Ctrl-C on the terminal is for tenon, which then ends its children properly: they get a
     * process group of their own. SIGPIPE is as usual there, whatever it is here. */
    posix_spawnattr_init(&attributes);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    int result = posix_spawn(&process, program, &actions, &attributes, writable, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    errno = result;
    return result == 0 ? process : 0;
}

/* No child has it but by what it is given. macOS has no pipe2. */
static bool make_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

Child *child_start(const char *program, const char *const *arguments, FILE *output)
{
    int ends[2] = {-1, -1};
    Child *child = calloc(1, sizeof *child);
    if (child && make_pipe(ends)) {
        child->pipe = ends[1];
        child->process = spawn(program, arguments, ends[0], fileno(output));
    }
    int reason = errno;
    if (ends[0] >= 0) close(ends[0]);
    if (child && child->process) {
        /* it may end before all is written: that is an error of write, no reason to die */
        signal(SIGPIPE, SIG_IGN);
        return child;
    }
    if (ends[1] >= 0) close(ends[1]);
    free(child);
    errno = reason;
    return NULL;
}

bool child_write(Child *child, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t written = write(child->pipe, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

int child_end(Child *child)
{
    int status = 0;
    bool ended = false;
    close(child->pipe);
    while (!(ended = waitpid(child->process, &status, 0) >= 0) && errno == EINTR) {}
    free(child);
    return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

FILE *child_paper(void) { return tmpfile(); }

#else
typedef int ChildPosix; /* a file without any declaration is not C */
#endif
