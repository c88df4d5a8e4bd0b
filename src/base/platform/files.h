/* files.h: files and folders. Paths are UTF-8, files are bytes, sizes and places have 64 bits, and
 * no child process inherits what is open.
 *
 * What returns an int gives 0, or the errno that says what went wrong. */
#ifndef TN_PLATFORM_FILES_H
#define TN_PLATFORM_FILES_H

#include "paths.h"

#include <stdint.h>
#include <stdio.h>

/* ---- what there is ---- */

typedef enum TnFileKind { TN_FILE_REGULAR, TN_FILE_FOLDER, TN_FILE_OTHER } TnFileKind;

/* Two open files are the same file when these are equal. */
typedef struct TnFileId {
    uint64_t volume, high, low;
} TnFileId;

typedef struct TnFileInfo {
    TnFileKind kind;
    int64_t size;
    TnFileId id;
    int permissions; /* of POSIX; 0: the system has none */
} TnFileInfo;

int tn_file_info(const char *path, TnFileInfo *out);      /* of what a link leads to */
int tn_file_info_link(const char *path, TnFileInfo *out); /* of the link itself */
int tn_stream_info(FILE *stream, TnFileInfo *out);
int tn_handle_info(int file, TnFileInfo *out);
bool tn_file_same(const TnFileId *a, const TnFileId *b);
int tn_file_may_write(const char *path);
/* Absolute, with '/' between its parts and no link in it. */
int tn_file_real_path(const char *path, char out[TN_PATH]);
int tn_file_here(char out[TN_PATH]); /* the present folder */

/* ---- streams ---- */

/* As fopen in binary mode: "r", "w", "a", "r+", "w+"; with an x behind: only where nothing is. NULL
 * with errno set. */
FILE *tn_stream_open(const char *path, const char *mode);
int tn_stream_seek(FILE *stream, int64_t place);
int64_t tn_stream_place(FILE *stream);         /* -1: not known */
int tn_stream_cut(FILE *stream, int64_t size); /* and goes on behind it */
int tn_stream_to_disk(FILE *stream);
bool tn_stream_is_terminal(FILE *stream);
/* A file without a name, which ends with its stream. */
FILE *tn_stream_nameless(const char *beside);

/* What is written to the stream becomes a text in memory: by `close`, which gives its bytes and a
 * closing zero, to be freed by free(). NULL: no memory. */
FILE *tn_stream_open_memory(char **text, size_t *size);
int tn_stream_close_memory(FILE *stream, char **text, size_t *size);

/* ---- files that are written with care ---- */

typedef enum TnFileUse {
    TN_FILE_READ,
    TN_FILE_WRITE,  /* what is there, a pipe or a device too */
    TN_FILE_CHANGE, /* what is there, read and written */
    TN_FILE_NEW,    /* only where nothing is; read and written */
    TN_FILE_MAKE,   /* what is there, or a new one; written */
} TnFileUse;

int tn_file_open(const char *path, TnFileUse use, int *file);
int tn_file_set_permissions(int file, int permissions);
int tn_file_write(int file, const void *bytes, size_t size); /* all of it */
int tn_file_cut(int file, int64_t size);                     /* and goes on behind it */
int tn_file_to_disk(int file);
int tn_file_lock(int file); /* EBUSY: another process has it locked */
int tn_file_close(int file);
/* `path` takes the place of `target`, which need not be there. `file`, if there is one, is `path`,
 * open for writing, and stays so. */
int tn_file_put_in_place(const char *path, const char *target, int *file);
int tn_file_remove(const char *path);
#ifdef _WIN32 /* what takes the place of an open file must wait until it is closed */
#define TN_REPLACES_OPEN_FILES false
#else
#define TN_REPLACES_OPEN_FILES true
#endif

/* ---- folders ---- */

int tn_folder_make(const char *path);
int tn_folder_remove(const char *path); /* an empty one */
int tn_folder_rename(const char *path, const char *to);
/* Calls `each` for every name, "." and ".." left out, until it says false. */
int tn_folder_list(const char *path, bool (*each)(void *context, const char *name), void *context);
int tn_folder_to_disk(const char *path); /* the names in it */

#endif
