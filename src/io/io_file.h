/* io_file.h: reads a whole text file, from memory or from disk. */
#ifndef TN_IO_FILE_H
#define TN_IO_FILE_H

#include "../base/platform/files.h"

#include <tenon/model.h>

typedef struct TnIoFile {
    char *text; /* size bytes and a closing zero; free with tn_free */
    size_t size;
    TnFileId id; /* the same for the same file under any path */
} TnIoFile;

/* False and an error when the file cannot be read. `from` is the element that names the file, all
 * zero for the first. `given` may have files in memory; NULL: none. Only the first may be a pipe.
 */
bool tn_io_read_file(const TnLoadDef *given, const char *path, TnSource from, const char *element,
                     TnIoFile *out, TnError *err);
bool tn_io_file_exists(const TnLoadDef *given, const char *path);
bool tn_io_is_given(const TnLoadDef *given, const char *path); /* in memory */
/* Offset of the first byte that is no UTF-8, or size. */
size_t tn_io_utf8_fault(const char *text, size_t size);

#endif
