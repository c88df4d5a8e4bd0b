/* See team_model.h. A model is one block of memory that points into itself only, so it must be at
 * the same address everywhere. The block is a file without a name (memfd_create), which others find
 * among the open files of the process that made it, and which ends with its last user. Behind the
 * model is the team's number, by which they see that it is the right file. */
#include "team_model.h"
#include "app.h"
#include "team.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* Far from where systems with 47 bits of address put anything by themselves. */
#define ADDRESS ((void *)0x200000000000)

#if defined(__linux__) && defined(MAP_FIXED_NOREPLACE) && UINTPTR_MAX > UINT32_MAX

/* What a process tells of the model that it has read. */
typedef struct Told {
    int64_t process;
    uint64_t bytes; /* with the team's number at their end; 0: no other can see it */
    int file, code; /* code: of load_model */
} Told;

typedef struct Block {
    void *memory; /* NULL: none */
    size_t bytes;
    int file;
} Block;

static size_t with_number(size_t bytes) { return (bytes + 63) / 64 * 64 + sizeof(uint64_t); }

static uint64_t *number_in(const Block *block)
{
    return (uint64_t *)((char *)block->memory + block->bytes) - 1;
}

static void *map(int file, size_t bytes, int protection)
{
    void *memory = mmap(ADDRESS, bytes, protection, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    if (memory == MAP_FAILED) return NULL;
    if (memory == ADDRESS) return memory; /* old systems take the address for a wish */
    munmap(memory, bytes);
    return NULL;
}

static void *place(void *context, size_t bytes)
{
    Block *block = context;
    block->bytes = with_number(bytes);
    block->file = (int)syscall(SYS_memfd_create, "tenon-model",
                               1u) /* MFD_CLOEXEC; older C libraries lack it */;
    if (block->file >= 0 && posix_fallocate(block->file, 0, (off_t)block->bytes) == 0)
        block->memory = map(block->file, block->bytes, PROT_READ | PROT_WRITE);
    return block->memory;
}

/* Into memory that others see, or else into its own. */
static TnModel *read_for_all(const char *command, const char *path, uint64_t number, Told *told)
{
    TnError err = {0};
    Block block = {.file = -1};
    TnModelBuilder *builder = load_builder(command, path, NULL, &told->code);
    TnModel *model = builder ? tn_builder_compile_in(builder, place, &block, &err) : NULL;
    tn_builder_destroy(builder);
    if (model) {
        *number_in(&block) = number;
        mprotect(block.memory, block.bytes, PROT_READ);
        told->process = getpid();
        told->file = block.file;
        told->bytes = block.bytes;
        return model;
    }
    if (block.memory) munmap(block.memory, block.bytes);
    if (block.file >= 0) close(block.file);
    return builder ? load_model(command, path, NULL, &told->code) : NULL;
}

/* NULL: it cannot be seen from here. */
static TnModel *see(const Told *told, uint64_t number)
{
    char path[64];
    if (!told->bytes) return NULL;
    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)told->process, told->file);
    Block block = {.bytes = told->bytes, .file = open(path, O_RDONLY | O_CLOEXEC)};
    if (block.file < 0) return NULL;
    bool fits = lseek(block.file, 0, SEEK_END) == (off_t)block.bytes;
    block.memory = fits ? map(block.file, block.bytes, PROT_READ) : NULL;
    close(block.file);
    if (!block.memory || *number_in(&block) == number) return block.memory;
    munmap(block.memory, block.bytes);
    return NULL;
}

/* Equal on all processes of a machine since it was started; 0: not known. */
static uint64_t machine(void)
{
    char text[64] = {0};
    uint64_t hash = UINT64_C(14695981039346656037);
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    bool known = file && fgets(text, sizeof text, file);
    if (file) fclose(file);
    for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    return known ? hash : 0;
}

/* The first rank of this machine. */
static int reader_here(void)
{
    uint64_t here = machine(), *all = team_gather(&here, sizeof here);
    int reader = 0, rank = team_ranks()->rank;
    while (reader < rank && (all[reader] != here || !here)) reader++;
    free(all);
    return reader;
}

TnModel *team_load_model(const char *command, const char *path, int *code)
{
    if (!team_ranks()) return load_model(command, path, NULL, code);
    uint64_t number = team_number();
    int reader = reader_here();
    Told here = {.code = *code};
    bool reads = reader == team_ranks()->rank;
    TnModel *model = reads ? read_for_all(command, path, number, &here) : NULL;
    Told *all = team_gather(&here, sizeof here);
    *code = all[reader].code;
    if (!reads && *code == EXIT_FINE) {
        model = see(&all[reader], number);
        if (!model) model = load_model(command, path, NULL, code);
    }
    free(all);
    team_any(false); /* all have looked */
    if (here.bytes) close(here.file);
    return model;
}

#else

TnModel *team_load_model(const char *command, const char *path, int *code)
{
    return load_model(command, path, NULL, code);
}

#endif

TnModel *team_load_first(const char *command, const char *path, int *code)
{
    TnModel *model = team_writes() ? load_model(command, path, NULL, code) : NULL;
    team_follow(code, sizeof *code);
    return model;
}
