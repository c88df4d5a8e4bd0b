/* zip.h: writes a ZIP archive front to back, without going back in the file. Every member is
 * deflated; sizes are 64 bits wide (ZIP64), as NumPy writes them, too. */
#ifndef TENON_ZIP_H
#define TENON_ZIP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

enum { ZIP_MAX_MEMBERS = 64, ZIP_MAX_NAME = 48 };

typedef struct ZipMember {
    char name[ZIP_MAX_NAME];
    uint64_t offset, size, packed;
    uint32_t checksum;
} ZipMember;

typedef struct Zip {
    FILE *out;
    uint64_t at; /* bytes written */
    ZipMember members[ZIP_MAX_MEMBERS];
    int member_count;
    z_stream stream; /* of the open member */
    bool open;
} Zip;

/* All return false where there is no memory; a full disk shows in ferror(out). */
bool zip_begin(Zip *zip, const char *name);
bool zip_write(Zip *zip, const void *bytes, size_t count);
bool zip_end(Zip *zip);
/* The list of members, which ends the archive. */
void zip_finish(Zip *zip);
/* Frees what an open member holds. */
void zip_drop(Zip *zip);

#endif
