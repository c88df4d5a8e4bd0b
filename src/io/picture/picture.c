/* picture.c: PNG and JPEG files: what kind, how large, whole; and their pixels.
 *
 * Checking looks at sizes, checksums (PNG) and the end (JPEG) and unpacks nothing, so that a model
 * with large textures loads fast. Plain PNG files are read by png_read.c, all else by stb_image. */
#include "picture.h"

#include "../../base/base.h"
#include "png_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool fault(TnPixels *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fault(TnPixels *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out->fault, sizeof out->fault, format, args);
    va_end(args);
    return false;
}

static bool is_jpeg(const uint8_t *b, size_t size)
{
    return size > 3 && b[0] == 0xff && b[1] == 0xd8 && b[2] == 0xff;
}

static bool is_png(const uint8_t *b, size_t size)
{
    return size > 8 && memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0;
}

/* Width and height are in the first frame header (SOFn); the last marker is EOI. */
static bool check_jpeg(const uint8_t *b, size_t size, TnPixels *out)
{
    size_t at = 2;
    while (size - at > 9 && b[at] == 0xff) {
        unsigned kind = b[at + 1], length = (unsigned)b[at + 2] << 8 | b[at + 3];
        bool frame = kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc;
        if (frame) {
            out->height = b[at + 5] << 8 | b[at + 6];
            out->width = b[at + 7] << 8 | b[at + 8];
            break;
        }
        if (kind == 0xff) {
            at++;
            continue;
        }
        if (length < 2 || length > size - at - 2) break;
        at += 2 + (size_t)length;
    }
    if (out->width == 0 || out->height == 0) return fault(out, "its header is damaged");
    /* a block of 64 pixels takes a bit at least, so a wrong size cannot ask for much more than that
     */
    if ((size_t)out->width * (size_t)out->height / 1100 > size)
        return fault(out, "it has too little data");
    size_t end = size;
    while (end > at && b[end - 1] == 0) end--; /* some programs pad files */
    for (size_t i = end; i > at + 1; i--)
        if (b[i - 2] == 0xff && b[i - 1] == 0xd9) return true;
    return fault(out, "it ends too early");
}

bool tn_picture_check(const void *data, size_t size, TnPixels *out)
{
    *out = (TnPixels){0};
    bool jpeg = is_jpeg(data, size);
    TnPngFile png = {0};
    if (!jpeg && !is_png(data, size))
        return fault(out, "textures are read from PNG and JPEG files, and this is neither");
    if (jpeg ? !check_jpeg(data, size, out) : !tn_png_check(data, size, &png))
        return jpeg || !png.fault[0] ? false : fault(out, "%s", png.fault);
    if (!jpeg) {
        out->width = png.width;
        out->height = png.height;
    }
    if (out->width > TN_MOST_TEXTURE_SIDE || out->height > TN_MOST_TEXTURE_SIDE)
        return fault(out, "it has %d × %d pixels; the limit is %d along a side: make it smaller",
                     out->width, out->height, TN_MOST_TEXTURE_SIDE);
    out->unread = (jpeg || png.odd) && !tn_stb_there();
    int width, height;
    if ((jpeg || png.odd) && tn_stb_there() && !tn_stb_size(data, size, &width, &height))
        return fault(out, "it is a kind of %s file that is not read: save it as a plain PNG",
                     jpeg ? "JPEG" : "PNG");
    return true;
}

bool tn_picture_read(const void *data, size_t size, TnPixels *out)
{
    if (!tn_picture_check(data, size, out) || out->unread) return false;
    TnPngFile png;
    if (is_png(data, size) && tn_png_read(data, size, 3, &png)) {
        out->rgb = png.pixels;
        return true;
    }
    int width, height;
    out->rgb = tn_stb_there() ? tn_stb_read(data, size, &width, &height) : NULL;
    if (!out->rgb) return fault(out, "it cannot be unpacked");
    out->width = width;
    out->height = height;
    return true;
}
