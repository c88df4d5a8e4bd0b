/* PNG files: written, read back, refused. And films as folders, and what a film does when things go
 * wrong. */
#include "../../apps/render/film.h"
#include "../../apps/render/system.h"
#include "../check.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

/* A folder of its own for a test. */
static const char *in_folder(const char *name)
{
    static char path[2][160];
    static int turn;
    turn = !turn;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/tenon_image_XXXXXX");
        if (!mkdtemp(folder)) abort();
    }
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

__attribute__((destructor)) static void remove_folder(void)
{
    char command[128];
    if (!folder[0]) return;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) fprintf(stderr, "%s is left\n", folder);
}

/* Four quarters that each suit another filter: noise, plain, a ramp, columns. */
static Image picture(int width, int height)
{
    Image image;
    if (!image_create(&image, width, height)) abort();
    uint32_t bits = 1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint8_t *p = image.rgb + 3 * (y * width + x);
            for (int k = 0; k < 3; k++) {
                bits = bits * 1664525u + 1013904223u;
                int left = x < width / 2, upper = y < height / 2;
                p[k] = (uint8_t)(left ? (upper ? (int)(bits >> 24) : 200)
                                      : (upper ? x + 2 * y + k : (x % 4) * 60));
            }
        }
    return image;
}

TEST(every_pixel_comes_back_from_a_png)
{
    static const int sizes[][2] = {{1, 1}, {7, 3}, {64, 48}, {301, 200}};
    char error[256] = "";
    for (int i = 0; i < 4; i++) {
        Image image = picture(sizes[i][0], sizes[i][1]), back;
        const char *path = in_folder("picture.png");
        CHECK(image_write_png(&image, path, error, sizeof error));
        REQUIRE(image_read_png(&back, path, error, sizeof error));
        CHECK(back.width == image.width && back.height == image.height);
        CHECK(memcmp(back.rgb, image.rgb, (size_t)(3 * image.width * image.height)) == 0);
        image_free(&image);
        image_free(&back);
    }
}

TEST(filters_make_a_smooth_picture_small)
{
    Image image;
    char error[256];
    struct stat about;
    REQUIRE(image_create(&image, 256, 256));
    for (int i = 0; i < 256 * 256; i++)
        for (int k = 0; k < 3; k++)
            image.rgb[3 * i + k] = (uint8_t)((i % 256 * 3 + i / 256 * (k + 1)) / 4);
    REQUIRE(image_write_png(&image, in_folder("ramp.png"), error, sizeof error));
    REQUIRE(stat(in_folder("ramp.png"), &about) == 0);
    /* zlib alone leaves about a third of the 196608 bytes; predicted rows leave next to nothing */
    CHECK(about.st_size < 8000);
    image_free(&image);
}

TEST(missing_folders_are_made)
{
    Image image = picture(4, 4);
    char error[256] = "";
    CHECK(image_write_png(&image, in_folder("a/b/c.png"), error, sizeof error));
    CHECK(access(in_folder("a/b/c.png"), R_OK) == 0);
    image_free(&image);
}

TEST(full_disk_and_forbidden_places_are_reported_with_their_reason)
{
    Image image = picture(64, 64);
    char error[256] = "";
    CHECK(!image_write_png(&image, "/dev/full", error, sizeof error));
    CHECK_STR(error, "/dev/full");
    CHECK_STR(error, strerror(ENOSPC));
    CHECK(!image_write_png(&image, "/dev/null/x.png", error, sizeof error));
    CHECK_STR(error, strerror(ENOTDIR));
    image_free(&image);
}

/* Writes a copy of a good file with one byte changed, or cut off before it. */
static void write_damaged(const char *good, const char *bad, long place, bool cut)
{
    FILE *in = fopen(good, "rb"), *out = fopen(bad, "wb");
    if (!in || !out) abort();
    int byte;
    for (long at = 0; (byte = fgetc(in)) != EOF; at++) {
        if (at == place && cut) break;
        fputc(at == place ? byte ^ 0x40 : byte, out);
    }
    fclose(in);
    fclose(out);
}

TEST(damaged_files_are_refused_wherever_the_damage_is)
{
    Image image = picture(9, 5), back;
    char error[256] = "", good[160], bad[160];
    struct stat about;
    snprintf(good, sizeof good, "%s", in_folder("good.png"));
    snprintf(bad, sizeof bad, "%s", in_folder("bad.png"));
    REQUIRE(image_write_png(&image, good, error, sizeof error));
    REQUIRE(stat(good, &about) == 0);
    for (long place = 0; place < about.st_size; place++)
        for (int cut = 0; cut < 2; cut++) {
            write_damaged(good, bad, place, cut);
            CHECK(!image_read_png(&back, bad, error, sizeof error));
            CHECK(back.rgb == NULL);
            CHECK_STR(error, "bad.png: ");
        }
    image_free(&image);
}

TEST(missing_file_is_reported_with_its_reason)
{
    Image image;
    char error[256] = "";
    CHECK(!image_read_png(&image, in_folder("nothing.png"), error, sizeof error));
    CHECK_STR(error, strerror(ENOENT));
}

TEST(impossible_sizes_make_no_image)
{
    Image image;
    CHECK(!image_create(&image, 0, 5));
    CHECK(!image_create(&image, 5, -1));
    CHECK(!image_create(&image, 1 << 20, 1));
    CHECK(image.rgb == NULL);
}

TEST(folder_of_pictures_counts_from_one)
{
    Image image = picture(8, 6), back;
    char error[256] = "";
    Film *film = film_create(in_folder("new/frames/"), 8, 6, 30, error, sizeof error);
    REQUIRE(film);
    for (int i = 0; i < 3; i++) CHECK(film_add(film, &image, error, sizeof error));
    CHECK(film_close(film, error, sizeof error));
    CHECK(access(in_folder("new/frames/frame_00001.png"), R_OK) == 0);
    CHECK(access(in_folder("new/frames/frame_00004.png"), R_OK) != 0);
    REQUIRE(image_read_png(&back, in_folder("new/frames/frame_00003.png"), error, sizeof error));
    CHECK(memcmp(back.rgb, image.rgb, 8 * 6 * 3) == 0);
    image_free(&image);
    image_free(&back);
}

TEST(film_without_ffmpeg_says_what_to_do)
{
    char error[256] = "", *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    REQUIRE(path);
    setenv("PATH", "/nonexistent", 1);
    CHECK(!film_has_ffmpeg());
    CHECK(film_create(in_folder("x.mp4"), 8, 8, 30, error, sizeof error) == NULL);
    CHECK_STR(error,
              "ffmpeg was not found: install it (apt-get install ffmpeg), or write PNG files "
              "with -o FOLDER/");
    CHECK(access(in_folder("x.mp4.part.mp4"), F_OK) != 0);
    setenv("PATH", path, 1);
    free(path);
}

/* A program of that text stands in for ffmpeg. */
static void pretend_ffmpeg(const char *text)
{
    const char *path = in_folder("bin/ffmpeg");
    system_make_parents(path);
    FILE *out = fopen(path, "w");
    if (!out) abort();
    fputs(text, out);
    fclose(out);
    chmod(path, 0755);
}

TEST(film_whose_ffmpeg_fails_shows_its_words_and_leaves_nothing)
{
    /* too large for a pipe's buffer: writing meets the closed end */
    Image image = picture(256, 256);
    char error[512] = "", *path = strdup(getenv("PATH") ? getenv("PATH") : ""), longer[4096];
    REQUIRE(path);
    pretend_ffmpeg("#!/bin/sh\necho broken on purpose >&2\nexit 1\n");
    in_folder("bin");
    snprintf(longer, sizeof longer, "%s:%s", in_folder("bin"), path);
    setenv("PATH", longer, 1);
    Film *film = film_create(in_folder("y.mp4"), 256, 256, 30, error, sizeof error);
    CHECK(film != NULL);
    if (film) {
        bool fine = true;
        for (int i = 0; i < 20 && fine; i++) fine = film_add(film, &image, error, sizeof error);
        CHECK(!fine);
        CHECK_STR(error, "broken on purpose");
        CHECK(!film_close(film, longer, sizeof longer));
    }
    setenv("PATH", path, 1);
    CHECK(access(in_folder("y.mp4"), F_OK) != 0);
    CHECK(access(in_folder("y.mp4.part.mp4"), F_OK) != 0);
    image_free(&image);
    free(path);
}

TEST(film_of_odd_size_and_of_no_picture_is_refused)
{
    char error[256] = "";
    CHECK(film_create(in_folder("z.mp4"), 7, 8, 30, error, sizeof error) == NULL);
    CHECK_STR(error, "even");
    Film *film = film_create(in_folder("empty/"), 8, 8, 30, error, sizeof error);
    REQUIRE(film);
    CHECK(!film_close(film, error, sizeof error));
    CHECK_STR(error, "the film has no pictures");
}
