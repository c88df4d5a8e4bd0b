/* film.h: pictures in a row: as MP4 through an ffmpeg program, where there is one, or as numbered
 * PNG files in a folder. */
#ifndef TENON_RENDER_FILM_H
#define TENON_RENDER_FILM_H

#include "image.h"

typedef struct Film Film;

/* `path` ends in .mp4 (even width and height) or is a folder, made where it is missing. NULL and
 * one line in `error`: no ffmpeg, no place to write. */
Film *film_create(const char *path, int width, int height, double fps, char *error,
                  size_t error_size);
bool film_add(Film *film, const Image *image, char *error, size_t error_size);
/* Waits for ffmpeg to end; false where the film is not whole. */
bool film_close(Film *film, char *error, size_t error_size);
bool film_has_ffmpeg(void);

#endif
