/* replace_file.h: a file that is always whole. */
#ifndef TENON_REPLACE_FILE_H
#define TENON_REPLACE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes PATH.part, brings it to the disk and renames it; then the folder is brought to the disk.
 * A process that dies in between leaves what was there before. Missing folders are made. A symbolic
 * link stays one; what is no regular file is not replaced. False with errno set.
 *
 * `*held`, -1 at first, is the file that was written, open and locked until it is closed: EBUSY
 * tells another process that it is in use. */
bool replace_file(const char *path, const void *bytes, size_t size, int *held);

#endif
