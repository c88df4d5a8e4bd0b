/* old_glibc.c: lets a wheel that was built on a new system run on older ones (x86-64).
 *
 * The linker binds a function to its newest version, and the wheel then needs the glibc that has
 * it. What is used here works as well with the versions of glibc 2.17 (2012). The linker sends
 * calls of the functions below to __wrap_NAME (python/CMakeLists.txt), which goes on to the old
 * version. Threads and dlopen were in libraries of their own before 2.34; Python itself has these
 * open. */
#define _GNU_SOURCE
#include <features.h>
#if defined(__x86_64__) && defined(__GLIBC__)
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FORWARD(NAME, VERSION)                                                                     \
    __asm__(".symver old_" #NAME ", " #NAME "@GLIBC_" VERSION "\n"                                 \
            ".text\n.globl __wrap_" #NAME "\n.hidden __wrap_" #NAME "\n"                           \
            ".type __wrap_" #NAME ", @function\n"                                                  \
            "__wrap_" #NAME ": jmp *old_" #NAME "@GOTPCREL(%rip)\n")

FORWARD(exp, "2.2.5");
FORWARD(exp2, "2.2.5");
FORWARD(log, "2.2.5");
FORWARD(log2, "2.2.5");
FORWARD(pow, "2.2.5");
FORWARD(hypot, "2.2.5");
FORWARD(dlopen, "2.2.5");
FORWARD(dlsym, "2.2.5");
FORWARD(dlerror, "2.2.5");
FORWARD(pthread_create, "2.2.5");
FORWARD(pthread_join, "2.2.5");
FORWARD(pthread_once, "2.2.5");
FORWARD(__pthread_key_create, "2.2.5");
FORWARD(pthread_condattr_setclock, "2.3.3");

#define HIDDEN __attribute__((visibility("hidden")))

/* The kernel's struct is that of glibc here. */
HIDDEN int __wrap_stat(const char *path, struct stat *out);
HIDDEN int __wrap_lstat(const char *path, struct stat *out);
HIDDEN int __wrap_fstat(int file, struct stat *out);
int __wrap_stat(const char *path, struct stat *out)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, 0);
}
int __wrap_lstat(const char *path, struct stat *out)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}
int __wrap_fstat(int file, struct stat *out) { return (int)syscall(SYS_fstat, file, out); }

/* expat salts its tables of names with this. */
HIDDEN void __wrap_arc4random_buf(void *bytes, size_t count);
void __wrap_arc4random_buf(void *bytes, size_t count)
{
    memset(bytes, 0, count);
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    for (size_t done = 0; file >= 0 && done < count;) {
        ssize_t got = read(file, (char *)bytes + done, count - done);
        if (got <= 0) break;
        done += (size_t)got;
    }
    if (file >= 0) close(file);
}

/* libstdc++ asks whether it may do without atomic operations: it may not. */
extern HIDDEN char __libc_single_threaded;
char __libc_single_threaded = 0;

/* libgcc, when an exception is thrown: which library has this code, and where its table of frames
 * is. */
typedef struct Found {
    unsigned long long flags;
    void *start, *end;
    struct link_map *map;
    void *frames;
    unsigned long long reserved[7];
} Found;

typedef struct Search {
    uintptr_t code;
    Found *found;
} Search;

static int look_into(struct dl_phdr_info *library, size_t size, void *context)
{
    Search *search = context;
    Found found = {0};
    (void)size;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        uintptr_t start = library->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_EH_FRAME) found.frames = (void *)start;
        if (part->p_type != PT_LOAD || search->code - start >= part->p_memsz) continue;
        found.start = (void *)start;
        found.end = (void *)(start + part->p_memsz);
    }
    if (!found.start || !found.frames) return 0;
    *search->found = found;
    return 1;
}

HIDDEN int __wrap__dl_find_object(void *code, Found *found);
int __wrap__dl_find_object(void *code, Found *found)
{
    Search search = {(uintptr_t)code, found};
    return dl_iterate_phdr(look_into, &search) ? 0 : -1;
}
#endif
