/* child_windows.c: child.h on Windows. */
#ifdef _WIN32

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

struct Child {
    HANDLE process, pipe; /* towards it */
};

/* To be freed; NULL: no memory. */
static wchar_t *wide(const char *text)
{
    int length = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *out = malloc(((size_t)length + 1) * sizeof *out);
    if (out) MultiByteToWideChar(CP_UTF8, 0, text, -1, out, length + 1);
    return out;
}

char *child_find(const char *name)
{
    wchar_t place[MAX_PATH], *folders = NULL, *file = wide(name);
    char *out = NULL;
    DWORD room = GetEnvironmentVariableW(L"PATH", NULL, 0);
    if (room) folders = malloc((size_t)room * sizeof *folders);
    if (file && folders && GetEnvironmentVariableW(L"PATH", folders, room) < room &&
        SearchPathW(folders, file, L".exe", MAX_PATH, place, NULL) - 1u < MAX_PATH - 1u) {
        int size = WideCharToMultiByte(CP_UTF8, 0, place, -1, NULL, 0, NULL, NULL);
        out = malloc((size_t)size);
        if (out) WideCharToMultiByte(CP_UTF8, 0, place, -1, out, size, NULL, NULL);
    }
    free(folders);
    free(file);
    return out;
}

/* One line from which the program makes the same arguments again: each in quotes, a quote in it
 * behind a backslash, and backslashes before a quote twice. To be freed. */
static char *line_of(const char *const *arguments)
{
    size_t size = 1;
    for (int i = 0; arguments[i]; i++) size += 2 * strlen(arguments[i]) + 3;
    char *line = malloc(size), *to = line;
    for (int i = 0; line && arguments[i]; i++) {
        size_t slashes = 0;
        if (i) *to++ = ' ';
        *to++ = '"';
        for (const char *c = arguments[i];; c++) {
            size_t more = *c == '"' ? slashes + 1 : *c ? 0 : slashes;
            for (; more; more--) *to++ = '\\';
            slashes = *c == '\\' ? slashes + 1 : 0;
            if (!*c) break;
            *to++ = *c;
        }
        *to++ = '"';
    }
    if (line) *to = '\0';
    return line;
}

/* A child has what is inherited: the pipe's end and its output, nothing else. */
static bool start(Child *child, const wchar_t *program, wchar_t *line, HANDLE output)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    HANDLE self = GetCurrentProcess(), input = NULL, paper = NULL;
    PROCESS_INFORMATION process = {0};
    bool fine = CreatePipe(&input, &child->pipe, &inherited, 1 << 20) &&
                SetHandleInformation(child->pipe, HANDLE_FLAG_INHERIT, 0) &&
                DuplicateHandle(self, output, self, &paper, 0, TRUE, DUPLICATE_SAME_ACCESS);
    if (fine) {
        STARTUPINFOW how = {.cb = sizeof how,
                            .dwFlags = STARTF_USESTDHANDLES,
                            .hStdInput = input,
                            .hStdOutput = paper,
                            .hStdError = paper};
        /* Ctrl-C in the console is for tenon */
        fine =
            CreateProcessW(program, line, NULL, NULL, TRUE,
                           CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW, NULL, NULL, &how, &process);
    }
    child->process = process.hProcess;
    if (process.hThread) CloseHandle(process.hThread);
    if (input) CloseHandle(input);
    if (paper) CloseHandle(paper);
    if (!fine && child->pipe) CloseHandle(child->pipe);
    return fine;
}

Child *child_start(const char *program, const char *const *arguments, FILE *output)
{
    Child *child = calloc(1, sizeof *child);
    char *line = line_of(arguments);
    wchar_t *wide_program = wide(program), *wide_line = line ? wide(line) : NULL;
    bool fine = child && wide_program && wide_line;
    errno = fine ? 0 : ENOMEM;
    if (fine && !start(child, wide_program, wide_line, (HANDLE)_get_osfhandle(_fileno(output)))) {
        errno = GetLastError() == ERROR_ACCESS_DENIED ? EACCES : EIO;
        fine = false;
    }
    free(wide_line);
    free(wide_program);
    free(line);
    if (fine) return child;
    free(child);
    return NULL;
}

bool child_write(Child *child, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        DWORD part = size < 1 << 30 ? (DWORD)size : 1 << 30, written = 0;
        errno = EPIPE;
        if (!WriteFile(child->pipe, at, part, &written, NULL)) return false;
        at += written;
        size -= written;
    }
    return true;
}

int child_end(Child *child)
{
    DWORD status = 0;
    CloseHandle(child->pipe);
    bool ended = WaitForSingleObject(child->process, INFINITE) == WAIT_OBJECT_0 &&
                 GetExitCodeProcess(child->process, &status);
    CloseHandle(child->process);
    free(child);
    return ended ? (int)status : -1;
}

/* tmpfile of Windows wants to write to the root of the disk. */
FILE *child_paper(void)
{
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
    HANDLE file = INVALID_HANDLE_VALUE;
    if (GetTempPathW(MAX_PATH, folder) && GetTempFileNameW(folder, L"tn", 0, name))
        file = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                           NULL, CREATE_ALWAYS, FILE_FLAG_DELETE_ON_CLOSE, NULL);
    int number = file == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)file, _O_BINARY);
    FILE *paper = number < 0 ? NULL : _fdopen(number, "w+b");
    if (!paper) errno = EIO;
    return paper;
}

#else
typedef int ChildWindows; /* a file without any declaration is not C */
#endif
