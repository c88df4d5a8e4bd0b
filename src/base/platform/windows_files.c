/* windows_files.c: files and folders of Windows (files.h). */
#ifdef _WIN32

#include "files.h"
#include "windows_system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <sys/stat.h>

static int result(BOOL fine) { return fine ? 0 : tn_windows_errno(); }

/* ---- what there is ---- */

static int take_info(HANDLE handle, TnFileInfo *out)
{
    BY_HANDLE_FILE_INFORMATION info;
    *out = (TnFileInfo){.kind = TN_FILE_OTHER};
    if (GetFileType(handle) != FILE_TYPE_DISK) return 0; /* a device or a pipe */
    if (!GetFileInformationByHandle(handle, &info)) return tn_windows_errno();
    if (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
        out->kind = TN_FILE_FOLDER;
    else if (!(info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
        out->kind = TN_FILE_REGULAR;
    out->size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow);
    out->id = (TnFileId){info.dwVolumeSerialNumber, info.nFileIndexHigh, info.nFileIndexLow};
    return 0;
}

/* To ask only; folders, too. */
static int look_at(const char *path, DWORD flags, HANDLE *out)
{
    wchar_t name[TN_PATH];
    int code = tn_windows_path(path, name);
    if (code) return code;
    *out = CreateFileW(name, FILE_READ_ATTRIBUTES,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
    return *out != INVALID_HANDLE_VALUE ? 0 : tn_windows_errno();
}

static int info_of(const char *path, DWORD flags, TnFileInfo *out)
{
    HANDLE handle;
    int code = look_at(path, flags, &handle);
    if (code) return code;
    code = take_info(handle, out);
    CloseHandle(handle);
    return code;
}

int tn_file_info(const char *path, TnFileInfo *out) { return info_of(path, 0, out); }

int tn_file_info_link(const char *path, TnFileInfo *out)
{
    return info_of(path, FILE_FLAG_OPEN_REPARSE_POINT, out);
}

int tn_handle_info(int file, TnFileInfo *out)
{
    return take_info((HANDLE)_get_osfhandle(file), out);
}

int tn_stream_info(FILE *stream, TnFileInfo *out) { return tn_handle_info(_fileno(stream), out); }

int tn_file_may_write(const char *path)
{
    wchar_t name[TN_PATH];
    int code = tn_windows_path(path, name);
    return code ? code : _waccess(name, 2) == 0 ? 0 : errno;
}

int tn_file_real_path(const char *path, char out[TN_PATH])
{
    HANDLE handle;
    wchar_t name[TN_PATH];
    int code = look_at(path, 0, &handle);
    if (code) return code;
    DWORD length = GetFinalPathNameByHandleW(handle, name, TN_PATH, FILE_NAME_NORMALIZED);
    code = length == 0 ? EINVAL : length >= TN_PATH ? ENAMETOOLONG : 0; /* 0: a device */
    CloseHandle(handle);
    return code ? code : tn_windows_text(name, out);
}

int tn_file_here(char out[TN_PATH])
{
    wchar_t name[TN_PATH];
    DWORD length = GetCurrentDirectoryW(TN_PATH, name);
    return length > 0 && length < TN_PATH ? tn_windows_text(name, out) : ENAMETOOLONG;
}

/* ---- streams ---- */

/* The C library says "permission denied" of folders. */
static int what_failed(const char *path, int code)
{
    TnFileInfo info;
    return code == EACCES && tn_file_info(path, &info) == 0 && info.kind == TN_FILE_FOLDER ? EISDIR
                                                                                           : code;
}

FILE *tn_stream_open(const char *path, const char *mode)
{
    wchar_t name[TN_PATH], all[8];
    bool update = strchr(mode, '+'), only_new = strchr(mode, 'x');
    int code = tn_windows_path(path, name);
    FILE *stream = NULL;
    swprintf(all, 8, L"%c%lsbN%ls", mode[0], update ? L"+" : L"", only_new ? L"x" : L"");
    if (!code && !(stream = _wfopen(name, all))) code = what_failed(path, errno);
    if (code) errno = code;
    return stream;
}

int tn_stream_seek(FILE *stream, int64_t place)
{
    return _fseeki64(stream, place, SEEK_SET) == 0 ? 0 : errno;
}

int64_t tn_stream_place(FILE *stream) { return _ftelli64(stream); }

int tn_stream_cut(FILE *stream, int64_t size)
{
    if (fflush(stream) != 0) return errno;
    int code = _chsize_s(_fileno(stream), size);
    return code ? code : tn_stream_seek(stream, size);
}

int tn_stream_to_disk(FILE *stream)
{
    return fflush(stream) != 0 ? errno : tn_file_to_disk(_fileno(stream));
}

bool tn_stream_is_terminal(FILE *stream) { return _isatty(_fileno(stream)); }

FILE *tn_stream_nameless(const char *beside)
{
    char path[TN_PATH];
    wchar_t name[TN_PATH];
    if ((size_t)snprintf(path, sizeof path, "%s.part", beside) >= sizeof path) return NULL;
    int code = tn_windows_path(path, name);
    if (!code) return _wfopen(name, L"w+bNxD"); /* D: it goes with its last handle */
    errno = code;
    return NULL;
}

FILE *tn_stream_open_memory(char **text, size_t *size)
{
    *text = NULL;
    *size = 0;
    return tmpfile();
}

int tn_stream_close_memory(FILE *stream, char **text, size_t *size)
{
    int64_t length = fflush(stream) == 0 && !ferror(stream) ? _ftelli64(stream) : -1;
    *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (*text) {
        rewind(stream);
        *size = fread(*text, 1, (size_t)length, stream);
        (*text)[*size] = '\0';
    }
    fclose(stream);
    return *text ? 0 : ENOMEM;
}

/* ---- files that are written with care ---- */

int tn_file_open(const char *path, TnFileUse use, int *file)
{
    static const int flags[] = {_O_RDONLY, _O_WRONLY, _O_RDWR, _O_RDWR | _O_CREAT | _O_EXCL,
                                _O_WRONLY | _O_CREAT};
    wchar_t name[TN_PATH];
    *file = -1;
    int code = tn_windows_path(path, name);
    if (code) return code;
    *file = _wopen(name, flags[use] | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
    return *file >= 0 ? 0 : what_failed(path, errno);
}

int tn_file_set_permissions(int file, int permissions)
{
    (void)file, (void)permissions;
    return 0;
}

int tn_file_write(int file, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        unsigned some = size < INT32_MAX ? (unsigned)size : INT32_MAX;
        int done = _write(file, from, some);
        if (done <= 0) return done < 0 ? errno : ENOSPC;
        from += done;
        size -= (size_t)done;
    }
    return 0;
}

int tn_file_cut(int file, int64_t size)
{
    int code = _chsize_s(file, size);
    return code ? code : _lseeki64(file, size, SEEK_SET) == size ? 0 : errno;
}

int tn_file_to_disk(int file) { return _commit(file) == 0 ? 0 : errno; }

/* A byte far behind any end: the lock keeps no reader off. */
int tn_file_lock(int file)
{
    OVERLAPPED place = {.OffsetHigh = 0x7fffffff};
    HANDLE handle = (HANDLE)_get_osfhandle(file);
    if (LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place))
        return 0;
    return GetLastError() == ERROR_LOCK_VIOLATION || GetLastError() == ERROR_IO_PENDING ? EBUSY : 0;
}

int tn_file_close(int file) { return _close(file) == 0 ? 0 : errno; }

static int move_file(const char *path, const char *to, DWORD flags)
{
    wchar_t from_name[TN_PATH], to_name[TN_PATH];
    int code = tn_windows_path(path, from_name);
    if (!code) code = tn_windows_path(to, to_name);
    return code ? code : result(MoveFileExW(from_name, to_name, flags));
}

/* What is open keeps its name: it is closed, renamed and opened again. */
int tn_file_put_in_place(const char *path, const char *target, int *file)
{
    if (file) {
        int closed = tn_file_close(*file);
        *file = -1;
        if (closed) return closed;
    }
    int code = move_file(path, target, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
    if (code || !file) return code;
    code = tn_file_open(target, TN_FILE_CHANGE, file);
    return code ? code : _lseeki64(*file, 0, SEEK_END) >= 0 ? 0 : errno;
}

int tn_file_remove(const char *path)
{
    wchar_t name[TN_PATH];
    int code = tn_windows_path(path, name);
    return code ? code : result(DeleteFileW(name));
}

/* ---- folders ---- */

int tn_folder_make(const char *path)
{
    wchar_t name[TN_PATH];
    int code = tn_windows_path(path, name);
    return code ? code : result(CreateDirectoryW(name, NULL));
}

int tn_folder_remove(const char *path)
{
    wchar_t name[TN_PATH];
    int code = tn_windows_path(path, name);
    return code ? code : result(RemoveDirectoryW(name));
}

int tn_folder_rename(const char *path, const char *to) { return move_file(path, to, 0); }

int tn_folder_list(const char *path, bool (*each)(void *context, const char *name), void *context)
{
    char pattern[TN_PATH], name[TN_PATH];
    wchar_t wide[TN_PATH];
    WIN32_FIND_DATAW entry;
    if ((size_t)snprintf(pattern, sizeof pattern, "%s/*", path) >= sizeof pattern)
        return ENAMETOOLONG;
    int code = tn_windows_path(pattern, wide);
    if (code) return code;
    HANDLE search = FindFirstFileW(wide, &entry);
    if (search == INVALID_HANDLE_VALUE) return tn_windows_errno();
    do {
        if (tn_windows_text(entry.cFileName, name) || !strcmp(name, ".") || !strcmp(name, ".."))
            continue;
        if (!each(context, name)) break;
    } while (FindNextFileW(search, &entry));
    FindClose(search);
    return 0;
}

int tn_folder_to_disk(const char *path)
{
    (void)path; /* MOVEFILE_WRITE_THROUGH has done it */
    return 0;
}

#else
typedef int TnWindowsFiles; /* a file without any declaration is not C */
#endif
