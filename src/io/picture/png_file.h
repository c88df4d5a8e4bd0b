/* png_file.h: pixels of a PNG file. */
#ifndef TN_IO_PNG_FILE_H
#define TN_IO_PNG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TnPngFile {
    int width, height;
    uint8_t *pixels; /* channels × width × height, top row first, heap; upper eight bits of 16 */
    bool odd;        /* a sound file, but with a palette, few bits or interlaced: not read here */
    char fault[120]; /* after a failure: what is wrong; "" means no memory */
} TnPngFile;

/* 8 or 16 bits per channel, gray or colours, with or without alpha; not interlaced. One channel:
 * the first; three: red, green, blue, without alpha. Free `pixels` with tn_free. */
bool tn_png_read(const char *bytes, size_t size, int channels, TnPngFile *out);
/* Size and checksums alone. */
bool tn_png_check(const char *bytes, size_t size, TnPngFile *out);

#endif
