/* posix_files.c: files and folders of Linux, macOS and WASI (files.h). */
#if !defined(_WIN32)

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef __wasi__
#include <sys/file.h>
#endif

_Static_assert(sizeof(off_t) == 8, "sizes of files have 64 bits");

static int result(int value) { return value == 0 ? 0 : errno; }

/* ---- what there is ---- */

static void take_info(const struct stat *from, TnFileInfo *out)
{
    *out = (TnFileInfo){.kind = S_ISREG(from->st_mode)   ? TN_FILE_REGULAR
                                : S_ISDIR(from->st_mode) ? TN_FILE_FOLDER
                                                         : TN_FILE_OTHER,
                        .size = (int64_t)from->st_size,
                        .id = {(uint64_t)from->st_dev, 0, (uint64_t)from->st_ino},
                        .permissions = (int)(from->st_mode & 07777)};
}

int tn_file_info(const char *path, TnFileInfo *out)
{
    struct stat info;
    if (stat(path, &info) != 0) return errno;
    take_info(&info, out);
    return 0;
}

int tn_file_info_link(const char *path, TnFileInfo *out)
{
    struct stat info;
    if (lstat(path, &info) != 0) return errno;
    take_info(&info, out);
    return 0;
}

int tn_handle_info(int file, TnFileInfo *out)
{
    struct stat info;
    if (fstat(file, &info) != 0) return errno;
    take_info(&info, out);
    return 0;
}

int tn_stream_info(FILE *stream, TnFileInfo *out) { return tn_handle_info(fileno(stream), out); }

int tn_file_may_write(const char *path) { return result(access(path, W_OK)); }

int tn_file_real_path(const char *path, char out[TN_PATH])
{
    char *real = realpath(path, NULL);
    if (!real) return errno;
    int code = strlen(real) < TN_PATH ? 0 : ENAMETOOLONG;
    if (!code) strcpy(out, real);
    free(real);
    return code;
}

int tn_file_here(char out[TN_PATH]) { return getcwd(out, TN_PATH) ? 0 : errno; }

/* ---- streams ---- */

FILE *tn_stream_open(const char *path, const char *mode)
{
    char all[8];
    snprintf(all, sizeof all, "%.2s%s%s", mode, "be", strchr(mode, 'x') ? "x" : "");
    if (mode[1] == 'x') snprintf(all, sizeof all, "%cbex", mode[0]);
    return fopen(path, all);
}

int tn_stream_seek(FILE *stream, int64_t place) { return result(fseeko(stream, place, SEEK_SET)); }

int64_t tn_stream_place(FILE *stream) { return ftello(stream); }

int tn_stream_cut(FILE *stream, int64_t size)
{
    if (fflush(stream) != 0 || ftruncate(fileno(stream), size) != 0) return errno;
    return tn_stream_seek(stream, size);
}

int tn_stream_to_disk(FILE *stream)
{
    return fflush(stream) != 0 ? errno : tn_file_to_disk(fileno(stream));
}

bool tn_stream_is_terminal(FILE *stream) { return isatty(fileno(stream)); }

FILE *tn_stream_nameless(const char *beside)
{
    char path[TN_PATH];
    if ((size_t)snprintf(path, sizeof path, "%s.part", beside) >= sizeof path) return NULL;
    FILE *stream = tn_stream_open(path, "w+x");
    if (stream) unlink(path);
    return stream;
}

FILE *tn_stream_open_memory(char **text, size_t *size) { return open_memstream(text, size); }

int tn_stream_close_memory(FILE *stream, char **text, size_t *size)
{
    (void)size;
    bool good = !ferror(stream);
    if (fclose(stream) == 0 && good) return 0;
    free(*text);
    *text = NULL;
    return ENOMEM;
}

/* ---- files that are written with care ---- */

int tn_file_open(const char *path, TnFileUse use, int *file)
{
    static const int flags[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_CREAT | O_EXCL,
                                O_WRONLY | O_CREAT};
    *file = open(path, flags[use] | O_CLOEXEC, 0666);
    return *file >= 0 ? 0 : errno;
}

int tn_file_set_permissions(int file, int permissions)
{
#ifdef __wasi__
    (void)file, (void)permissions;
    return 0;
#else
    return result(fchmod(file, (mode_t)permissions));
#endif
}

int tn_file_write(int file, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t done = write(file, from, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        from += done;
        size -= (size_t)done;
    }
    return 0;
}

int tn_file_cut(int file, int64_t size)
{
    if (ftruncate(file, size) != 0) return errno;
    return lseek(file, size, SEEK_SET) == size ? 0 : errno;
}

int tn_file_to_disk(int file) { return result(fsync(file)); }

/* Where there are no locks, no process has one. */
int tn_file_lock(int file)
{
#ifdef __wasi__
    (void)file;
    return 0;
#else
    return flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK ? EBUSY : 0;
#endif
}

int tn_file_close(int file) { return result(close(file)); }

int tn_file_put_in_place(const char *path, const char *target, int *file)
{
    (void)file; /* a name may change while its file is open */
    return result(rename(path, target));
}

int tn_file_remove(const char *path) { return result(unlink(path)); }

/* ---- folders ---- */

int tn_folder_make(const char *path) { return result(mkdir(path, 0777)); }
int tn_folder_remove(const char *path) { return result(rmdir(path)); }
int tn_folder_rename(const char *path, const char *to) { return result(rename(path, to)); }

int tn_folder_list(const char *path, bool (*each)(void *context, const char *name), void *context)
{
    DIR *folder = opendir(path);
    if (!folder) return errno;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (!each(context, entry->d_name)) break;
    }
    closedir(folder);
    return 0;
}

int tn_folder_to_disk(const char *path)
{
#ifdef __wasi__ /* its folders are not opened as files */
    (void)path;
    return 0;
#else
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return errno;
    int code = result(fsync(folder));
    close(folder);
    return code;
#endif
}

#else
typedef int TnPosixFiles; /* a file without any declaration is not C */
#endif
