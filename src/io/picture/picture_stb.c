/* picture_stb.c: JPEG, and PNG files with palettes, few bits or interlacing, by stb_image of the
 * system (docs/dependencies.md). Without it these are not read. */
#include "picture.h"

#include "../../base/base.h"

#ifdef TN_STB_HEADER

#include <limits.h>
#include <string.h>

static void *stb_more(void *old, size_t old_size, size_t size)
{
    void *more = tn_malloc(size);
    if (more && old) memcpy(more, old, old_size < size ? old_size : size);
    if (more) tn_free(old);
    return more;
}

#define STBI_MALLOC(SIZE) tn_malloc(SIZE)
#define STBI_FREE(BLOCK) tn_free(BLOCK)
#define STBI_REALLOC_SIZED(BLOCK, OLD, SIZE) stb_more(BLOCK, OLD, SIZE)
#define STBI_ASSERT(TRUTH) ((void)(TRUTH))
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_NO_FAILURE_STRINGS
#define STBI_MAX_DIMENSIONS TN_MOST_TEXTURE_SIDE
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include TN_STB_HEADER

bool tn_stb_there(void) { return true; }

bool tn_stb_size(const void *data, size_t size, int *width, int *height)
{
    int channels;
    return size <= INT_MAX && stbi_info_from_memory(data, (int)size, width, height, &channels);
}

uint8_t *tn_stb_read(const void *data, size_t size, int *width, int *height)
{
    int channels;
    return size <= INT_MAX ? stbi_load_from_memory(data, (int)size, width, height, &channels, 3)
                           : NULL;
}

#else

bool tn_stb_there(void) { return false; }

bool tn_stb_size(const void *data, size_t size, int *width, int *height)
{
    (void)data, (void)size, (void)width, (void)height;
    return false;
}

uint8_t *tn_stb_read(const void *data, size_t size, int *width, int *height)
{
    (void)data, (void)size, (void)width, (void)height;
    return NULL;
}

#endif
