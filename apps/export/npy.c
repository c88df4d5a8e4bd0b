/* Arrays of NumPy; see npy.h. An array is a dictionary that ends on a multiple of 64 bytes, then
 * the numbers. */
#include "npy.h"

#include <stdlib.h>
#include <string.h>

bool npy_begin(Zip *zip, const char *name, const char *type, const char *shape)
{
    char member[ZIP_MAX_NAME], header[256];
    snprintf(member, sizeof member, "%s.npy", name);
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
    unsigned char front[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    front[8] = (unsigned char)(padded & 0xFF);
    front[9] = (unsigned char)(padded >> 8);
    memset(header + length, ' ', (size_t)(padded - length));
    header[padded - 1] = '\n';
    return zip_begin(zip, member) && zip_write(zip, front, sizeof front) &&
           zip_write(zip, header, (size_t)padded);
}

const char *npy_type(char kind, int bytes, char buffer[NPY_TYPE_SIZE])
{
    const uint16_t probe = 1;
    bool little = *(const unsigned char *)&probe == 1;
    snprintf(buffer, NPY_TYPE_SIZE, "%c%c%d", little ? '<' : '>', kind, bytes);
    return buffer;
}

/* The characters of UTF-8 text, at most so many; a byte that is none stands for itself. */
static int decode_utf8(const char *text, int most, uint32_t *out)
{
    const unsigned char *s = (const unsigned char *)text;
    int count = 0;
    while (*s && count < most) {
        int extra = *s >= 0xF0 ? 3 : *s >= 0xE0 ? 2 : *s >= 0xC0 ? 1 : 0;
        uint32_t code = extra ? *s & (0x3Fu >> extra) : *s;
        int used = 0;
        while (used < extra && (s[1 + used] & 0xC0) == 0x80)
            code = code << 6 | (s[1 + used++] & 0x3Fu);
        if (used < extra || code > 0x10FFFF) { /* not UTF-8 */
            code = *s;
            used = 0;
        }
        s += 1 + used;
        if (out) out[count] = code;
        count++;
    }
    return count;
}

enum { MOST_WIDTH = 1000 }; /* all are as wide as the longest: one of 10 MB would be too much */

/* Texts of one width, in 32-bit characters, filled with zeros: NumPy's unicode arrays. */
bool npy_names(Zip *zip, const char *name, int count,
               const char *(*name_of)(const void *context, int index, char *buffer),
               const void *context)
{
    char buffer[NPY_NAME_SIZE], shape[24], type[NPY_TYPE_SIZE], wide_type[24];
    int width = 1;
    for (int i = 0; i < count; i++) {
        int length = decode_utf8(name_of(context, i, buffer), MOST_WIDTH, NULL);
        if (length > width) width = length;
    }
    uint32_t *cell = malloc((size_t)width * sizeof *cell);
    snprintf(shape, sizeof shape, "%d,", count);
    snprintf(wide_type, sizeof wide_type, "%c%c%d", npy_type('U', 1, type)[0], 'U', width);
    bool fine = cell && npy_begin(zip, name, wide_type, shape);
    for (int i = 0; i < count && fine; i++) {
        memset(cell, 0, (size_t)width * sizeof *cell);
        decode_utf8(name_of(context, i, buffer), width, cell);
        fine = zip_write(zip, cell, (size_t)width * sizeof *cell);
    }
    free(cell);
    return fine && zip_end(zip);
}
