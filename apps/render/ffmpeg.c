/* ffmpeg.c: an ffmpeg program that runs beside and reads raw pictures from a pipe.
 *
 * It writes to FILE.part.mp4, renamed when whole: what lies under the final name is never broken.
 * Its own messages go to an unnamed temporary file; the last line is shown when it fails. */
#include "ffmpeg.h"
#include "fail.h"
#include "image.h"

#ifndef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct Ffmpeg {
    const char *path; /* the final name */
    char *temporary;
    int width, height;
    pid_t process;  /* 0: none, or ended */
    int pipe;       /* towards it; -1: closed */
    FILE *messages; /* what it said */
};

/* The program's place in PATH, to be freed; NULL where it is in none of the folders. */
static char *find_program(const char *name)
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        char *place = NULL;
        struct stat about;
        if (length && asprintf(&place, "%.*s/%s", (int)length, folders, name) < 0) return NULL;
        if (place && access(place, X_OK) == 0 && stat(place, &about) == 0 && S_ISREG(about.st_mode))
            return place;
        free(place);
        folders += length + (folders[length] == ':');
    }
    return NULL;
}

bool ffmpeg_is_there(void)
{
    char *place = find_program("ffmpeg");
    free(place);
    return place != NULL;
}

/* Starts a program without a shell; its output goes to `output`, what it reads comes from `input`.
 * A process id, or 0 with errno. */
static pid_t start(const char *program, char *const *arguments, int input, int output)
{
    pid_t process = 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    /* Ctrl-C on the terminal is for tenon, which then ends the film properly: ffmpeg gets a process
     * group of its own. SIGPIPE is as usual there, whatever it is here. */
    posix_spawnattr_init(&attributes);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    int result = posix_spawn(&process, program, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    errno = result;
    return result == 0 ? process : 0;
}

/* Exit status of a process, -1 where a signal ended it. */
static int wait_for(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Asks ffmpeg for its list of encoders. */
static bool has_encoder(const char *program, const char *encoder)
{
    FILE *list = tmpfile();
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool found = false;
    if (list && nothing >= 0) {
        char *arguments[] = {(char[]){"ffmpeg"}, (char[]){"-hide_banner"}, (char[]){"-encoders"},
                             NULL};
        pid_t process = start(program, arguments, nothing, fileno(list));
        if (process && wait_for(process) == 0) {
            char line[256];
            rewind(list);
            while (!found && fgets(line, sizeof line, list)) found = strstr(line, encoder) != NULL;
        }
    }
    if (list) fclose(list);
    if (nothing >= 0) close(nothing);
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

/* No child has it but by what it is given. macOS has no pipe2. */
static bool make_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

static bool start_ffmpeg(Ffmpeg *film, const char *program, double fps, char *error,
                         size_t error_size)
{
    int ends[2] = {-1, -1};
    film->messages = tmpfile();
    if (!film->messages || !make_pipe(ends))
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
    enum { COUNT = sizeof arguments / sizeof arguments[0] };
    char *writable[COUNT];
    memcpy(writable, arguments, sizeof writable); /* posix_spawn's type lacks a const */
    film->process = start(program, writable, ends[0], fileno(film->messages));
    int reason = errno;
    close(ends[0]);
    film->pipe = ends[1];
    return film->process ||
           fail(error, error_size, "ffmpeg cannot be started: %s", strerror(reason));
}

void ffmpeg_discard(Ffmpeg *film)
{
    if (!film) return;
    if (film->pipe >= 0) close(film->pipe);
    if (film->process) wait_for(film->process);
    if (film->temporary) unlink(film->temporary);
    if (film->messages) fclose(film->messages);
    free(film->temporary);
    free(film);
}

static bool open_film(Ffmpeg *film, double fps, char *error, size_t error_size)
{
    char *program = find_program("ffmpeg");
    if (!program)
        return fail(error, error_size,
                    "ffmpeg was not found: install it (apt-get install ffmpeg), or write PNG files "
                    "with -o FOLDER/");
    errno = 0;
    bool fine = image_make_folders(film->path);
    /* see at once whether the place can be written, and not after a long simulation */
    int file = fine ? open(film->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (file < 0) {
        fail(error, error_size, "%s: cannot be written: %s", film->path, strerror(errno));
        free(program);
        return false;
    }
    close(file);
    /* ffmpeg may end before everything is written: that is an error of write, no reason to die */
    signal(SIGPIPE, SIG_IGN);
    fine = start_ffmpeg(film, program, fps, error, error_size);
    free(program);
    return fine;
}

Ffmpeg *ffmpeg_open(const char *path, int width, int height, double fps, char *error,
                    size_t error_size)
{
    Ffmpeg *film = calloc(1, sizeof *film);
    if (film) {
        *film = (Ffmpeg){.path = path, .width = width, .height = height, .pipe = -1};
        if (asprintf(&film->temporary, "%s.part.mp4", path) < 0) film->temporary = NULL;
    }
    bool fine = film && film->temporary ? open_film(film, fps, error, error_size)
                                        : fail(error, error_size, "no memory for a film");
    if (fine) return film;
    ffmpeg_discard(film);
    return NULL;
}

static bool write_all(int file, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* Whether an MP4 has all its parts: boxes of a size (4 bytes) and a name (4 letters) that fill the
 * file exactly, with an index (moov) and pictures (mdat) among them. ffmpeg itself ends with 0 when
 * the disk is full at its very end. */
static bool mp4_is_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    bool fine = file && fstat(fileno(file), &about) == 0, has_index = false, has_pictures = false;
    uint64_t at = 0, end = fine ? (uint64_t)about.st_size : 0;
    while (fine && at < end) {
        uint8_t head[16] = {0};
        fine = fseeko(file, (off_t)at, SEEK_SET) == 0 && fread(head, 1, sizeof head, file) >= 8;
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
    if (film->pipe >= 0) close(film->pipe);
    film->pipe = -1;
    int status = wait_for(film->process);
    film->process = 0;
    if (status == 0 && whole && mp4_is_whole(film->temporary)) return true;
    char message[512];
    last_message(film->messages, message, sizeof message);
    return fail(error, error_size, "%s: ffmpeg could not write the film: %s", film->path,
                message[0] ? message : "ffmpeg gave no reason, but the film is incomplete");
}

bool ffmpeg_add(Ffmpeg *film, const uint8_t *rgb, char *error, size_t error_size)
{
    size_t size = (size_t)film->width * (size_t)film->height * 3;
    return write_all(film->pipe, rgb, size) || end_ffmpeg(film, false, error, error_size);
}

bool ffmpeg_close(Ffmpeg *film, char *error, size_t error_size)
{
    bool fine = end_ffmpeg(film, true, error, error_size);
    if (fine && rename(film->temporary, film->path) != 0)
        fine = fail(error, error_size, "%s: cannot be written: %s", film->path, strerror(errno));
    if (fine) {
        free(film->temporary); /* it has the final name now: nothing to remove */
        film->temporary = NULL;
    }
    ffmpeg_discard(film);
    return fine;
}

#else /* no pipe to another program here */

bool ffmpeg_is_there(void) { return false; }

Ffmpeg *ffmpeg_open(const char *path, int width, int height, double fps, char *error,
                    size_t error_size)
{
    (void)width, (void)height, (void)fps;
    fail(error, error_size,
         "%s: tenon writes no MP4 on this system: write PNG files with -o FOLDER/, then 'ffmpeg -i "
         "FOLDER/frame_%%05d.png FILM.mp4'",
         path);
    return NULL;
}

void ffmpeg_discard(Ffmpeg *film) { (void)film; }

bool ffmpeg_add(Ffmpeg *film, const uint8_t *rgb, char *error, size_t error_size)
{
    (void)film, (void)rgb;
    return fail(error, error_size, "no ffmpeg");
}

bool ffmpeg_close(Ffmpeg *film, char *error, size_t error_size)
{
    (void)film;
    return fail(error, error_size, "no ffmpeg");
}

#endif
