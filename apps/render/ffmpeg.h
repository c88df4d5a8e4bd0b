/* ffmpeg.h: an MP4 through an ffmpeg program, where there is one. */
#ifndef TENON_RENDER_FFMPEG_H
#define TENON_RENDER_FFMPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Ffmpeg Ffmpeg;

bool ffmpeg_is_there(void);
/* `path` stays the caller's, until the film is closed. NULL and one line in `error`: no ffmpeg, no
 * place to write. */
Ffmpeg *ffmpeg_open(const char *path, int width, int height, double fps, char *error,
                    size_t error_size);
/* width × height × 3 bytes. False: the film is broken; only ffmpeg_discard is left. */
bool ffmpeg_add(Ffmpeg *film, const uint8_t *rgb, char *error, size_t error_size);
/* Waits for ffmpeg to end, and frees; false where the film is not whole. */
bool ffmpeg_close(Ffmpeg *film, char *error, size_t error_size);
void ffmpeg_discard(Ffmpeg *film); /* NULL is allowed */

#endif
