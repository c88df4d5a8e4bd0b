/* See replace_file.h. */
#include "replace_file.h"

#include "app.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* False where another process has the lock. Where there are no locks, nobody has one. */
static bool lock(int file)
{
    if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    errno = EBUSY;
    return false;
}

/* Whoever wrote the file that is there, and still runs, has it locked. */
static bool is_free(const char *path, int held)
{
    struct stat there, own;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno == ENOENT;
    bool mine = held >= 0 && fstat(file, &there) == 0 && fstat(held, &own) == 0 &&
                there.st_ino == own.st_ino && there.st_dev == own.st_dev;
    bool ok = mine || lock(file);
    int code = errno;
    close(file); /* and with it the lock that was just taken */
    errno = code;
    return ok;
}

/* Written, locked and on the disk; -1 with errno set. */
static int write_all(const char *path, const void *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return -1;
    if (!lock(file)) {
        close(file);
        return -1;
    }
    bool ok = ftruncate(file, 0) == 0;
    for (size_t done = 0; ok && done < size;) {
        ssize_t count = write(file, (const char *)bytes + done, size - done);
        if (count > 0) done += (size_t)count;
        if (count < 0 && errno == EINTR) continue;
        ok = count > 0;
    }
    if (ok && fsync(file) == 0) return file;
    int code = errno;
    unlink(path);
    close(file);
    errno = code;
    return -1;
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

static bool replace(const char *target, const void *bytes, size_t size, int *held)
{
    size_t length = strlen(target);
    char *beside = malloc(length + sizeof ".part");
    if (!beside) return false;
    memcpy(beside, target, length);
    memcpy(beside + length, ".part", sizeof ".part");
    int file = is_free(target, *held) ? write_all(beside, bytes, size) : -1;
    bool ok = file >= 0 && rename(beside, target) == 0;
    if (file >= 0 && !ok) {
        int code = errno;
        unlink(beside);
        close(file);
        errno = code;
    }
    free(beside);
    if (!ok) return false;
    sync_folder(target);
    if (*held >= 0) close(*held);
    *held = file;
    return true;
}

bool replace_file(const char *path, const void *bytes, size_t size, int *held)
{
    struct stat about;
    if (!make_parent_folders(path)) return false;
    if (stat(path, &about) != 0) return errno == ENOENT && replace(path, bytes, size, held);
    if (!S_ISREG(about.st_mode)) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    if (access(path, W_OK) != 0) return false; /* what is write-protected stays */
    char *target = realpath(path, NULL);
    bool ok = target && replace(target, bytes, size, held);
    free(target);
    return ok;
}
