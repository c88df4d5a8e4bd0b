/* file.c: bytes as a file in memory, for functions that take a path. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

FuzzFile fuzz_file(const void *data, size_t size)
{
    FuzzFile file = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
    FUZZ_CHECK(file.fd >= 0);
    for (size_t done = 0; done < size;) {
        ssize_t count = write(file.fd, (const char *)data + done, size - done);
        FUZZ_CHECK(count > 0);
        done += (size_t)count;
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

void fuzz_file_close(FuzzFile *file)
{
    close(file->fd);
    file->fd = -1;
}
