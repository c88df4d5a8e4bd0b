/* png_file.h: gray values of a PNG file. */
#ifndef TN_IO_PNG_FILE_H
#define TN_IO_PNG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TnPngFile {
    int width, height;
    uint8_t *gray; /* width × height, top row first, heap; the first channel's upper eight bits */
    char fault[120]; /* after a failure: what is wrong; "" means no memory */
} TnPngFile;

/* 8 or 16 bits per channel, gray or colours, with or without alpha; not interlaced. Free `gray`
 * with tn_free. */
bool tn_png_read(const char *bytes, size_t size, TnPngFile *out);

#endif
