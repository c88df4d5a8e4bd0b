/* film.c: pictures in a row: an MP4 (ffmpeg.h), or a folder of frame_00001.png, frame_00002.png, …
 */
#include "film.h"
#include "fail.h"
#include "ffmpeg.h"
#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct Film {
    char *path; /* the final name, or the folder without its last slash */
    int width, height, frame_count;
    bool broken;
    Ffmpeg *ffmpeg; /* NULL: a folder */
};

bool film_has_ffmpeg(void) { return ffmpeg_is_there(); }

static void film_free(Film *film)
{
    if (!film) return;
    ffmpeg_discard(film->ffmpeg);
    free(film->path);
    free(film);
}

static bool open_folder(Film *film, char *error, size_t error_size)
{
    size_t length = strlen(film->path);
    while (length > 1 && film->path[length - 1] == '/') film->path[--length] = '\0';
    errno = 0;
    bool fine = system_make_parents(film->path) && system_make_folder(film->path);
    if (fine && !system_is_folder(film->path)) {
        errno = ENOTDIR;
        fine = false;
    }
    return fine || fail(error, error_size, "%s: cannot be written: %s", film->path,
                        strerror(errno ? errno : EIO));
}

static bool open_mp4(Film *film, double fps, char *error, size_t error_size)
{
    if (film->width % 2 || film->height % 2)
        return fail(error, error_size,
                    "%s: an MP4 needs an even width and height, not %dx%d; a folder of PNG files "
                    "(-o FOLDER/) may have any size",
                    film->path, film->width, film->height);
    film->ffmpeg = ffmpeg_open(film->path, film->width, film->height, fps, error, error_size);
    return film->ffmpeg != NULL;
}

static bool ends_in_mp4(const char *path)
{
    static const char end[] = ".mp4";
    size_t length = strlen(path);
    if (length < sizeof end) return false;
    for (size_t i = 0; i < sizeof end - 1; i++) {
        char letter = path[length - (sizeof end - 1) + i];
        if (letter != end[i] && !(letter >= 'A' && letter <= 'Z' && letter + 'a' - 'A' == end[i]))
            return false;
    }
    return true;
}

Film *film_create(const char *path, int width, int height, double fps, char *error,
                  size_t error_size)
{
    Film *film = calloc(1, sizeof *film);
    if (film) *film = (Film){.width = width, .height = height, .path = strdup(path)};
    if (!film || !film->path) {
        film_free(film);
        fail(error, error_size, "no memory for a film");
        return NULL;
    }
    bool fine = ends_in_mp4(path) ? open_mp4(film, fps, error, error_size)
                                  : open_folder(film, error, error_size);
    if (fine) return film;
    film_free(film);
    return NULL;
}

static bool add_file(Film *film, const Image *image, char *error, size_t error_size)
{
    enum { ROOM = 40 }; /* of what follows the folder's name */
    size_t size = strlen(film->path) + ROOM;
    char *name = malloc(size);
    if (!name) return fail(error, error_size, "no memory for a film");
    snprintf(name, size, "%s/frame_%05d.png", film->path, film->frame_count);
    bool fine = image_write_png(image, name, error, error_size);
    free(name);
    return fine;
}

bool film_add(Film *film, const Image *image, char *error, size_t error_size)
{
    if (film->broken) return fail(error, error_size, "%s: the film is broken", film->path);
    if (image->width != film->width || image->height != film->height)
        return fail(error, error_size, "%s: all pictures of a film must have the same size",
                    film->path);
    film->frame_count++;
    bool fine = film->ffmpeg ? ffmpeg_add(film->ffmpeg, image->rgb, error, error_size)
                             : add_file(film, image, error, error_size);
    film->broken = !fine;
    return fine;
}

bool film_close(Film *film, char *error, size_t error_size)
{
    bool fine = true;
    if (film->broken) {
        fine = fail(error, error_size, "%s: the film is broken", film->path);
    } else if (film->frame_count == 0) {
        fine = fail(error, error_size, "%s: the film has no pictures", film->path);
    } else if (film->ffmpeg) {
        fine = ffmpeg_close(film->ffmpeg, error, error_size);
        film->ffmpeg = NULL;
    }
    film_free(film);
    return fine;
}
