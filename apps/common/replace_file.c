/* See replace_file.h. */
#include "replace_file.h"

#include "app.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool ok = fwrite(bytes, 1, size, file) == size;
    ok = ok && fflush(file) == 0 && fsync(fileno(file)) == 0;
    int code = errno;
    ok = fclose(file) == 0 && ok;
    if (!ok && code) errno = code;
    return ok;
}

/* A rename is on the disk once its folder is. Some file systems cannot: then nobody can. */
static void sync_folder(const char *path)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) slash[slash == folder] = '\0';
    int file = folder ? open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (file >= 0) {
        fsync(file);
        close(file);
    }
    free(folder);
}

static bool replace(const char *target, const void *bytes, size_t size)
{
    size_t length = strlen(target);
    char *beside = malloc(length + sizeof ".part");
    if (!beside) return false;
    memcpy(beside, target, length);
    memcpy(beside + length, ".part", sizeof ".part");
    bool ok = write_all(beside, bytes, size) && rename(beside, target) == 0;
    if (!ok) {
        int code = errno;
        unlink(beside);
        errno = code;
    }
    free(beside);
    if (ok) sync_folder(target);
    return ok;
}

bool replace_file(const char *path, const void *bytes, size_t size)
{
    struct stat about;
    if (!make_parent_folders(path)) return false;
    if (stat(path, &about) != 0) return errno == ENOENT && replace(path, bytes, size);
    if (!S_ISREG(about.st_mode)) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    if (access(path, W_OK) != 0) return false; /* what is write-protected stays */
    char *target = realpath(path, NULL);
    bool ok = target && replace(target, bytes, size);
    free(target);
    return ok;
}
