/* ffmpeg.c: an ffmpeg program that runs beside and reads raw pictures from a pipe.
 *
 * It writes to FILE.part.mp4, renamed when whole: what lies under the final name is never broken.
 * Its own messages go to an unnamed temporary file; the last line is shown when it fails. */
#include "ffmpeg.h"
#include "child.h"
#include "fail.h"
#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct Ffmpeg {
    const char *path; /* the final name */
    char *temporary;
    int width, height;
    Child *child;   /* NULL: none, or ended */
    FILE *messages; /* what it said */
};

bool ffmpeg_is_there(void)
{
    char *place = child_find("ffmpeg");
    free(place);
    return place != NULL;
}

/* Asks ffmpeg for its list of encoders. */
static bool has_encoder(const char *program, const char *encoder)
{
    static const char *const arguments[] = {"ffmpeg", "-hide_banner", "-encoders", NULL};
    FILE *list = child_paper();
    Child *child = list ? child_start(program, arguments, list) : NULL;
    bool found = false;
    if (child && child_end(child) == 0) {
        char line[256];
        rewind(list);
        while (!found && fgets(line, sizeof line, list)) found = strstr(line, encoder) != NULL;
    }
    if (list) fclose(list);
    return found;
}

/* ffmpeg's last line that says something. */
static void last_message(FILE *messages, char *text, size_t size)
{
    char line[512];
    text[0] = '\0';
    rewind(messages);
    while (fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] && strcmp(line, "Conversion failed!") != 0) snprintf(text, size, "%s", line);
    }
}

static bool start_ffmpeg(Ffmpeg *film, const char *program, double fps, char *error,
                         size_t error_size)
{
    film->messages = child_paper();
    if (!film->messages)
        return fail(error, error_size, "%s: cannot be written: %s", film->path, strerror(errno));
    bool good = has_encoder(program, "libx264");
    char size[32], rate[40];
    snprintf(size, sizeof size, "%dx%d", film->width, film->height);
    snprintf(rate, sizeof rate, "%.12g", fps);
    /* Quality is chosen by eye: not to be told from the pictures at normal size. yuv420p is what
     * every player takes, and players take bt709 for granted: without saying so, colours would
     * shift a little. faststart puts the index first, so that browsers start at once. */
    const char *arguments[] = {"ffmpeg",
                               "-hide_banner",
                               "-loglevel",
                               "error",
                               "-y",
                               "-f",
                               "rawvideo",
                               "-pix_fmt",
                               "rgb24",
                               "-s",
                               size,
                               "-r",
                               rate,
                               "-i",
                               "-",
                               "-an",
                               "-vf",
                               "scale=out_color_matrix=bt709:out_range=tv",
                               "-colorspace",
                               "bt709",
                               "-color_primaries",
                               "bt709",
                               "-color_trc",
                               "bt709",
                               "-color_range",
                               "tv",
                               "-c:v",
                               good ? "libx264" : "mpeg4",
                               good ? "-crf" : "-q:v",
                               good ? "20" : "3",
                               "-pix_fmt",
                               "yuv420p",
                               "-movflags",
                               "+faststart",
                               "-f",
                               "mp4",
                               film->temporary,
                               NULL};
    film->child = child_start(program, arguments, film->messages);
    return film->child || fail(error, error_size, "ffmpeg cannot be started: %s", strerror(errno));
}

void ffmpeg_discard(Ffmpeg *film)
{
    if (!film) return;
    if (film->child) child_end(film->child);
    if (film->temporary) system_remove(film->temporary);
    if (film->messages) fclose(film->messages);
    free(film->temporary);
    free(film);
}

#ifdef _WIN32
#define INSTALL "winget install ffmpeg"
#elif defined(__APPLE__)
#define INSTALL "brew install ffmpeg"
#else
#define INSTALL "apt-get install ffmpeg"
#endif

static bool open_film(Ffmpeg *film, double fps, char *error, size_t error_size)
{
    char *program = child_find("ffmpeg");
    if (!program)
        return fail(error, error_size,
                    "ffmpeg was not found: install it (" INSTALL "), or write PNG files with -o "
                    "FOLDER/");
    errno = 0;
    bool fine = system_make_parents(film->path);
    /* see at once whether the place can be written, and not after a long simulation */
    FILE *file = fine ? system_open(film->temporary, "wb") : NULL;
    if (!file) {
        fail(error, error_size, "%s: cannot be written: %s", film->path, strerror(errno));
        free(program);
        return false;
    }
    fclose(file);
    fine = start_ffmpeg(film, program, fps, error, error_size);
    free(program);
    return fine;
}

Ffmpeg *ffmpeg_open(const char *path, int width, int height, double fps, char *error,
                    size_t error_size)
{
    Ffmpeg *film = calloc(1, sizeof *film);
    if (film) {
        size_t size = strlen(path) + sizeof ".part.mp4";
        *film = (Ffmpeg){.path = path, .width = width, .height = height};
        film->temporary = malloc(size);
        if (film->temporary) snprintf(film->temporary, size, "%s.part.mp4", path);
    }
    bool fine = film && film->temporary ? open_film(film, fps, error, error_size)
                                        : fail(error, error_size, "no memory for a film");
    if (fine) return film;
    ffmpeg_discard(film);
    return NULL;
}

/* Whether an MP4 has all its parts: boxes of a size (4 bytes) and a name (4 letters) that fill the
 * file exactly, with an index (moov) and pictures (mdat) among them. ffmpeg itself ends with 0 when
 * the disk is full at its very end. */
static bool mp4_is_whole(const char *path)
{
    FILE *file = system_open(path, "rb");
    int64_t length = file ? system_size(file) : -1;
    bool fine = length >= 0, has_index = false, has_pictures = false;
    uint64_t at = 0, end = fine ? (uint64_t)length : 0;
    while (fine && at < end) {
        uint8_t head[16] = {0};
        fine = system_seek(file, (int64_t)at) && fread(head, 1, sizeof head, file) >= 8;
        uint64_t size = 0;
        for (int i = 0; i < 4; i++) size = size << 8 | head[i];
        if (size == 1) /* larger than 4 GiB: the size follows in 8 bytes */
            for (int i = 8; i < 16; i++) size = (i == 8 ? 0 : size << 8) | head[i];
        has_index = has_index || memcmp(head + 4, "moov", 4) == 0;
        has_pictures = has_pictures || memcmp(head + 4, "mdat", 4) == 0;
        fine = fine && size >= 8 && size <= end - at;
        at += size;
    }
    if (file) fclose(file);
    return fine && has_index && has_pictures;
}

/* Ends ffmpeg and says why it failed, if it did. */
static bool end_ffmpeg(Ffmpeg *film, bool whole, char *error, size_t error_size)
{
    int status = child_end(film->child);
    film->child = NULL;
    if (status == 0 && whole && mp4_is_whole(film->temporary)) return true;
    char message[512];
    last_message(film->messages, message, sizeof message);
    return fail(error, error_size, "%s: ffmpeg could not write the film: %s", film->path,
                message[0] ? message : "ffmpeg gave no reason, but the film is incomplete");
}

bool ffmpeg_add(Ffmpeg *film, const uint8_t *rgb, char *error, size_t error_size)
{
    size_t size = (size_t)film->width * (size_t)film->height * 3;
    return child_write(film->child, rgb, size) || end_ffmpeg(film, false, error, error_size);
}

bool ffmpeg_close(Ffmpeg *film, char *error, size_t error_size)
{
    bool fine = end_ffmpeg(film, true, error, error_size);
    if (fine && !system_replace(film->path, film->temporary))
        fine = fail(error, error_size, "%s: cannot be written: %s", film->path, strerror(errno));
    if (fine) {
        free(film->temporary); /* it has the final name now: nothing to remove */
        film->temporary = NULL;
    }
    ffmpeg_discard(film);
    return fine;
}
