/* io_file.h: reads a whole text file, from memory or from disk. */
#ifndef TN_IO_FILE_H
#define TN_IO_FILE_H

#include <tenon/model.h>

#define TN_IO_FILE_LIMIT ((size_t)256 * 1024 * 1024) /* bytes; larger ones are refused */

typedef struct TnIoFile {
    char *text; /* size bytes and a closing zero; free with tn_free */
    size_t size;
    uint64_t device, inode; /* the same for the same file under any path */
} TnIoFile;

/* False and an error when the file cannot be read. `from` is the element that names the file, all
 * zero for the first. `given` may have files in memory; NULL: none. */
bool tn_io_read_file(const TnLoadDef *given, const char *path, TnSource from, const char *element,
                     TnIoFile *out, TnError *err);
bool tn_io_file_exists(const TnLoadDef *given, const char *path);
/* Offset of the first byte that is no UTF-8, or size. */
size_t tn_io_utf8_fault(const char *text, size_t size);

#endif
