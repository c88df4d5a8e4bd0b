/* SVG primitives, widths of texts, numbers as texts; see svg.h. */
#include "svg.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void svg_number(FILE *out, double value)
{
    long long hundredths = llround(value * 100);
    long long size = hundredths < 0 ? -hundredths : hundredths;
    if (hundredths < 0) fputc('-', out);
    fprintf(out, "%lld", size / 100);
    if (size % 10)
        fprintf(out, ".%02lld", size % 100);
    else if (size % 100)
        fprintf(out, ".%lld", size % 100 / 10);
}

void svg_point(FILE *out, double x, double y)
{
    svg_number(out, x);
    fputc(' ', out);
    svg_number(out, y);
}

/* The code point at *text, which moves behind it; U+FFFD for a byte that starts no valid one. */
static uint32_t next_code_point(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    int length = s[0] < 0x80                   ? 1
                 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                 : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                               : 0;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code = length == 1 ? s[0] : length ? s[0] & (0xFFu >> (length + 1)) : 0;
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            length = 0;
            break;
        }
        code = code << 6 | (s[i] & 0x3Fu);
    }
    *text += length ? length : 1;
    if (!length || code < least[length] || code > 0x10FFFF) return 0xFFFD;
    if ((code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF) return 0xFFFD;
    if (code == '\t' || code == '\n' || code == '\r') return ' ';
    return code < 0x20 || code == 0x7F ? 0xFFFD : code;
}

void svg_escaped(FILE *out, const char *text)
{
    while (*text) {
        const char *start = text;
        uint32_t code = next_code_point(&text);
        switch (code) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case ' ':
            fputc(' ', out);
            break;
        case 0xFFFD:
            fputs("\uFFFD", out);
            break;
        default:
            fwrite(start, 1, (size_t)(text - start), out);
        }
    }
}

void svg_text(FILE *out, double x, double y, char anchor, double turn, const char *attributes,
              const char *text)
{
    fputs("<text x=\"", out);
    svg_number(out, x);
    fputs("\" y=\"", out);
    svg_number(out, y);
    fputc('"', out);
    if (anchor != 's') fprintf(out, " text-anchor=\"%s\"", anchor == 'm' ? "middle" : "end");
    if (turn != 0) {
        fputs(" transform=\"rotate(", out);
        svg_number(out, turn);
        fputc(' ', out);
        svg_point(out, x, y);
        fputs(")\"", out);
    }
    fprintf(out, "%s%s>", *attributes ? " " : "", attributes);
    svg_escaped(out, text);
    fputs("</text>\n", out);
}

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *attributes)
{
    fputs("<path d=\"M", out);
    svg_point(out, x1, y1);
    fputc('L', out);
    svg_point(out, x2, y2);
    fprintf(out, "\"%s%s/>\n", *attributes ? " " : "", attributes);
}

void svg_rect(FILE *out, double x, double y, double width, double height, const char *attributes)
{
    fputs("<rect x=\"", out);
    svg_number(out, x);
    fputs("\" y=\"", out);
    svg_number(out, y);
    fputs("\" width=\"", out);
    svg_number(out, width);
    fputs("\" height=\"", out);
    svg_number(out, height);
    fprintf(out, "\"%s%s/>\n", *attributes ? " " : "", attributes);
}

/* Widths in units of the font's size, those of the wider among the usual fonts. */
static double code_width(uint32_t code)
{
    if (code < 0x80) {
        if (strchr("iljI.,:;'|!ft()[]/ ", (int)code)) return 0.36;
        if (strchr("mwMW%@&<>+=~", (int)code)) return 0.95;
        return code >= 'A' && code <= 'Z' ? 0.72 : 0.61;
    }
    if (code >= 0x300 && code < 0x370) return 0;      /* combining */
    if (code >= 0x2070 && code < 0x20A0) return 0.42; /* superscripts */
    return code >= 0x1100 && code < 0x2000 ? 1 : code >= 0x2E80 ? 1 : 0.66;
}

double text_width(const char *text, double size)
{
    double width = 0;
    while (*text) width += code_width(next_code_point(&text));
    return width * size;
}

void text_shorten(const char *text, double size, double width, char *buffer, size_t buffer_size)
{
    static const char dots[] = "\u2026";
    const char *rest = text;
    size_t fitting = 0, length = strlen(text);
    double used = 0;
    if (length < buffer_size && text_width(text, size) <= width) {
        memcpy(buffer, text, length + 1);
        return;
    }
    while (*rest) {
        used += size * code_width(next_code_point(&rest));
        if (used > width - size || (size_t)(rest - text) + sizeof dots > buffer_size) break;
        fitting = (size_t)(rest - text);
    }
    memcpy(buffer, text, fitting);
    memcpy(buffer + fitting, dots, sizeof dots);
}

/* Puts a point where the locale has something else, and U+2212 for the minus. */
static void polish(const char *raw, char buffer[NUMBER_SIZE])
{
    static const char minus[] = "\u2212";
    size_t n = 0;
    for (; *raw && n + sizeof minus < NUMBER_SIZE; raw++) {
        if (*raw == '-') {
            memcpy(buffer + n, minus, 3);
            n += 3;
        } else if ((*raw >= '0' && *raw <= '9') || *raw == 'e' || *raw == '+') {
            buffer[n++] = *raw;
        } else {
            buffer[n++] = '.';
        }
    }
    buffer[n] = '\0';
}

void number_general(double value, int digits, char buffer[NUMBER_SIZE])
{
    char raw[NUMBER_SIZE];
    snprintf(raw, sizeof raw, "%.*g", digits, value);
    char *exponent = strchr(raw, 'e');
    if (!exponent) {
        polish(raw, buffer);
        return;
    }
    /* 2.5e-07 as 2.5×10⁻⁷ */
    char power[NUMBER_SIZE], mantissa[NUMBER_SIZE];
    int n = 0;
    for (const char *s = exponent + 2; *s; s++) n = 10 * n + (*s - '0');
    number_power_of_ten(exponent[1] == '-' ? -n : n, power);
    *exponent = '\0';
    polish(raw, mantissa);
    if (strcmp(mantissa, "1") == 0)
        snprintf(buffer, NUMBER_SIZE, "%s", power);
    else
        snprintf(buffer, NUMBER_SIZE, "%.24s\u00d7%.20s", mantissa, power);
}

void number_fixed(double value, int decimals, char buffer[NUMBER_SIZE])
{
    char raw[NUMBER_SIZE];
    snprintf(raw, sizeof raw, "%.*f", decimals, value == 0 ? 0.0 : value);
    polish(raw, buffer);
}

void number_power_of_ten(int exponent, char buffer[NUMBER_SIZE])
{
    static const char *const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char raw[16];
    size_t n = (size_t)snprintf(buffer, NUMBER_SIZE, "10%s", exponent < 0 ? "\u207b" : "");
    snprintf(raw, sizeof raw, "%d", exponent < 0 ? -exponent : exponent);
    for (const char *s = raw; *s && n < NUMBER_SIZE - 4; s++)
        n += (size_t)snprintf(buffer + n, NUMBER_SIZE - n, "%s", digits[*s - '0']);
}
