/* io_file.c: reads a whole text file, pipes included, and refuses what cannot be a model. */
#include "io_file.h"
#include "../base/base.h"
#include "io_reach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *reason_of(int code)
{
    switch (code) {
    case ENOENT:
        return "no such file";
    case ENOTDIR:
        return "no such file";
    case EACCES:
        return "permission denied";
    case EISDIR:
        return "is a directory";
    case ENAMETOOLONG:
        return "the name is too long";
    case ELOOP:
        return "too many symbolic links";
    default:
        return "cannot be read";
    }
}

static bool fail(TnError *err, TnStatus code, TnSource from, const char *element, const char *path,
                 const char *reason)
{
    if (from.file)
        tn_error_at(err, code, from, element, "'%.400s': %s", path, reason);
    else
        tn_error_add(err, code, "%.700s: %s", path, reason);
    return false;
}

/* ---- in memory ---- */

/* The next part of a path that counts: not "", not ".", and none that a ".." leads out of again.
 * NULL at the end. */
static const char *next_part(const char *path, size_t *length)
{
    for (;;) {
        path += strspn(path, TN_PATH_SEPARATORS);
        *length = strcspn(path, TN_PATH_SEPARATORS);
        if (*length == 0) return NULL;
        if (*length == 1 && path[0] == '.') {
            path += 1;
            continue;
        }
        const char *at = path + *length;
        int depth = 1;
        while (depth > 0) {
            at += strspn(at, TN_PATH_SEPARATORS);
            size_t size = strcspn(at, TN_PATH_SEPARATORS);
            if (size == 0) return path;
            if (size == 2 && memcmp(at, "..", 2) == 0)
                depth--;
            else if (size != 1 || at[0] != '.')
                depth++;
            at += size;
        }
        if (*length == 2 && memcmp(path, "..", 2) == 0) return path;
        path = at;
    }
}

static bool same_path(const char *a, const char *b)
{
    if (tn_path_separates(a[0]) != tn_path_separates(b[0])) return false;
    size_t size_a, size_b;
    for (;;) {
        a = next_part(a, &size_a);
        b = next_part(b, &size_b);
        if (!a || !b) return !a && !b;
        if (size_a != size_b || memcmp(a, b, size_a) != 0) return false;
        a += size_a;
        b += size_b;
    }
}

/* Its index, -1: none. */
static int find_given(const TnLoadDef *given, const char *path)
{
    for (int i = 0; given && i < given->file_count; i++)
        if (given->files[i].path && same_path(given->files[i].path, path)) return i;
    return -1;
}

static char *copy_given(const TnMemoryFile *file, size_t *size)
{
    char *text = tn_malloc(file->size + 1);
    if (!text) return NULL;
    if (file->size > 0) memcpy(text, file->data, file->size);
    text[file->size] = '\0';
    *size = file->size;
    return text;
}

bool tn_io_is_given(const TnLoadDef *given, const char *path)
{
    return find_given(given, path) >= 0;
}

/* ---- on disk ---- */

bool tn_io_file_exists(const TnLoadDef *given, const char *path)
{
    TnFileInfo info;
    return find_given(given, path) >= 0 || tn_file_info(path, &info) == 0;
}

static const char too_large[] = "is larger than a file may be (256 MB)" TN_RAISE_LIMIT;

/* Reads until the end, doubling the buffer. NULL with a reason, or with none when memory is short.
 */
static char *read_all(FILE *file, size_t limit, size_t *size, const char **reason)
{
    size_t capacity = 16 * 1024, used = 0;
    char *text = tn_malloc(capacity + 1);
    *reason = NULL;
    while (text) {
        used += fread(text + used, 1, capacity - used, file);
        if (used > limit) {
            *reason = too_large;
            tn_free(text);
            return NULL;
        }
        if (used < capacity) break;
        char *bigger = tn_realloc(text, 2 * capacity + 1);
        if (!bigger) {
            tn_free(text);
            return NULL;
        }
        text = bigger;
        capacity *= 2;
    }
    if (text && ferror(file)) {
        *reason = "cannot be read";
        tn_free(text);
        return NULL;
    }
    if (text) text[used] = '\0';
    *size = used;
    return text;
}

/* NULL, or the reason why it cannot be read; no text without a reason: no memory. */
static const char *read_disk(const char *path, bool first, size_t limit, TnIoFile *out)
{
    TnFileInfo info;
    /* to open a pipe may take for ever */
    if (!first && tn_file_info(path, &info) == 0 && info.kind == TN_FILE_OTHER)
        return "is not a regular file";
    FILE *file = tn_stream_open(path, "r");
    if (!file) return reason_of(errno);
    const char *reason = NULL;
    int code = tn_stream_info(file, &info);
    if (code)
        reason = reason_of(code);
    else if (info.kind == TN_FILE_FOLDER)
        reason = "is a directory";
    else if (info.kind == TN_FILE_REGULAR && (uint64_t)info.size > limit)
        reason = too_large;
    if (!reason) {
        out->id = info.id;
        out->text = read_all(file, limit, &out->size, &reason);
    }
    fclose(file);
    return reason;
}

bool tn_io_read_file(const TnLoadDef *given, const char *path, TnSource from, const char *element,
                     TnIoFile *out, TnError *err)
{
    *out = (TnIoFile){0};
    const char *reason = NULL;
    size_t limit = (size_t)tn_load_limit(given, TN_LIMIT_FILE, TN_MOST_FILE);
    int index = find_given(given, path);
    if (index < 0) {
        reason = read_disk(path, !from.file, limit, out);
    } else if (given->files[index].size > limit) {
        reason = too_large;
    } else {
        out->id = (TnFileId){UINT64_MAX, 0, (uint64_t)index}; /* of no disk */
        out->text = copy_given(&given->files[index], &out->size);
    }
    if (reason) return fail(err, TN_ERROR_IO, from, element, path, reason);
    if (!out->text) {
        tn_error_add(err, TN_ERROR_MEMORY, "no memory to read '%.400s'", path);
        return false;
    }
    return true;
}

/* Length of the well-formed sequence at s (at most `left` bytes), 0 where there is none. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    /* overlong forms, surrogates, beyond U+10FFFF */
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
    if (s[0] == 0xED && s[1] > 0x9F) return 0;
    if (s[0] == 0xF0 && s[1] < 0x90) return 0;
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
    return n;
}

size_t tn_io_utf8_fault(const char *text, size_t size)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        size_t n = utf8_length(s + i, size - i);
        if (n == 0) return i;
        i += n;
    }
    return size;
}
