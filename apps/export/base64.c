/* Bytes as base64; see base64.h. */
#include "base64.h"

#include <string.h>

void base64_flush(Base64 *base64)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!base64->held_count) return;
    const unsigned char *b = base64->held;
    char text[4] = {digits[b[0] >> 2], digits[(b[0] & 3) << 4 | b[1] >> 4],
                    digits[(b[1] & 15) << 2 | b[2] >> 6], digits[b[2] & 63]};
    for (int k = base64->held_count + 1; k < 4; k++) text[k] = '=';
    fwrite(text, 1, 4, base64->out);
    memset(base64->held, 0, sizeof base64->held);
    base64->held_count = 0;
}

void base64_byte(Base64 *base64, unsigned char byte)
{
    base64->held[base64->held_count++] = byte;
    if (base64->held_count == 3) base64_flush(base64);
}
