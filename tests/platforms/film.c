/* film.c: a film through a program that reads a pipe, on a system that has no ffmpeg: copied as
 * ffmpeg (or ffmpeg.exe), this program plays it and writes what it read into boxes of an MP4.
 *
 *   film FOLDER       FOLDER has the copy and takes the films; windows.sh does this */
#include "ffmpeg.h"
#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#endif

enum { WIDTH = 320, HEIGHT = 200, PICTURES = 50, BYTES = 3 * WIDTH * HEIGHT };

static int fail_with(const char *what, const char *why)
{
    printf("%s: %s\n", what, why);
    return 1;
}

static void write_box(FILE *out, const char *name, const void *data, uint32_t size)
{
    uint32_t all = size + 8;
    for (int shift = 24; shift >= 0; shift -= 8) fputc((int)(all >> shift & 255), out);
    fwrite(name, 1, 4, out);
    fwrite(data, 1, size, out);
}

/* As UTF-8: a program of Windows gets its arguments in the letters of the country. */
static const char *last_argument(int argc, char **argv)
{
#ifdef _WIN32
    static char text[1024];
    WideCharToMultiByte(CP_UTF8, 0, __wargv[argc - 1], -1, text, sizeof text, NULL, NULL);
    (void)argv;
    return text;
#else
    return argv[argc - 1];
#endif
}

/* The last argument is where to write; of pictures that begin with 255 it wants nothing. */
static int play_ffmpeg(int argc, char **argv)
{
    static uint8_t picture[BYTES];
    uint32_t sum = 0, count = 0;
    if (strcmp(argv[argc - 1], "-encoders") == 0) return puts(" V..... libx264") < 0;
#ifdef _WIN32
    _setmode(0, _O_BINARY);
#endif
    while (fread(picture, 1, BYTES, stdin) == BYTES) {
        if (picture[0] == 255) {
            fputs("no picture\n\nbegins with 255\n", stderr);
            return 3;
        }
        for (int i = 0; i < BYTES; i++) sum = sum * 31 + picture[i];
        count++;
    }
    FILE *out = system_open(last_argument(argc, argv), "wb");
    if (!out) return 4;
    uint32_t about[] = {count, sum, (uint32_t)argc};
    write_box(out, "moov", about, sizeof about);
    write_box(out, "mdat", picture, BYTES);
    return fclose(out) != 0;
}

static void paint(uint8_t *picture, int number, uint8_t first)
{
    for (int i = 0; i < BYTES; i++) picture[i] = (uint8_t)((i * 7 + number * 13) % 251);
    picture[0] = first;
}

int main(int argc, char **argv)
{
    static uint8_t picture[BYTES];
    char path[1024], error[512] = "", folders[1100];
    uint32_t sum = 0, about[5] = {0};
    if (argc != 2 || argv[1][0] == '-') return play_ffmpeg(argc, argv);
    snprintf(folders, sizeof folders, "PATH=%s", argv[1]);
    if (putenv(folders) != 0 || !ffmpeg_is_there()) return fail_with("PATH", "no ffmpeg in it");

    /* a name with blanks, quotes are no names on Windows; letters beyond ASCII; twice, so that the
     * second takes the place of the first */
    snprintf(path, sizeof path, "%s/new folder/a fílm.mp4", argv[1]);
    for (int round = 0; round < 2; round++) {
        Ffmpeg *film = ffmpeg_open(path, WIDTH, HEIGHT, 25, error, sizeof error);
        if (!film) return fail_with("open", error);
        sum = 0;
        for (int k = 0; k < PICTURES; k++) {
            paint(picture, k + round, (uint8_t)k);
            for (int i = 0; i < BYTES; i++) sum = sum * 31 + picture[i];
            if (!ffmpeg_add(film, picture, error, sizeof error)) return fail_with("add", error);
        }
        if (!ffmpeg_close(film, error, sizeof error)) return fail_with("close", error);
    }
    FILE *file = system_open(path, "rb");
    if (!file || fread(about, 1, sizeof about, file) != sizeof about)
        return fail_with(path, "cannot be read");
    fclose(file);
    if (about[2] != PICTURES || about[3] != sum) return fail_with(path, "has other pictures");

    /* what it says last is the reason, and nothing lies there */
    snprintf(path, sizeof path, "%s/broken.mp4", argv[1]);
    Ffmpeg *film = ffmpeg_open(path, WIDTH, HEIGHT, 25, error, sizeof error);
    if (!film) return fail_with("open", error);
    paint(picture, 0, 255);
    bool fine = true;
    for (int k = 0; k < PICTURES && fine; k++)
        fine = ffmpeg_add(film, picture, error, sizeof error);
    fine = fine ? ffmpeg_close(film, error, sizeof error) : (ffmpeg_discard(film), false);
    if (fine || !strstr(error, "could not write the film: begins with 255"))
        return fail_with("broken", error);
    strcat(path, ".part.mp4");
    if (system_open(path, "rb")) return fail_with(path, "is still there");

    snprintf(path, sizeof path, "%s/new folder/a fílm.mp4/b.mp4", argv[1]);
    if (ffmpeg_open(path, WIDTH, HEIGHT, 25, error, sizeof error) ||
        !strstr(error, "cannot be written"))
        return fail_with("a film within a film", error);
    puts("films: passed");
    return 0;
}
