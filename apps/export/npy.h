/* npy.h: arrays of NumPy (.npy) as members of a ZIP archive, which together are an .npz file. */
#ifndef TENON_NPY_H
#define TENON_NPY_H

#include "zip.h"

enum { NPY_TYPE_SIZE = 8, NPY_NAME_SIZE = 256 };

/* "<f8" for kind 'f' and 8 bytes: numbers go out as they lie in memory. */
const char *npy_type(char kind, int bytes, char buffer[NPY_TYPE_SIZE]);
/* Begins an array, with a shape such as "100,3" or "100,"; then come zip_write and zip_end. */
bool npy_begin(Zip *zip, const char *name, const char *type, const char *shape);
/* A whole array of texts; `name_of` may use a buffer of NPY_NAME_SIZE. */
bool npy_names(Zip *zip, const char *name, int count,
               const char *(*name_of)(const void *context, int index, char *buffer),
               const void *context);

#endif
