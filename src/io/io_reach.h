/* io_reach.h: which files a model may name, and how much it may ask for. Another person may have
 * written it. */
#ifndef TN_IO_REACH_H
#define TN_IO_REACH_H

#include <tenon/model.h>

/* Limits, unless TnLoadDef.limit_factor raises them; what `most` says is for good. */
#define TN_LIMIT_FILE ((int64_t)256 * 1024 * 1024) /* bytes */
#define TN_MOST_FILE ((int64_t)INT32_MAX)          /* expat counts in int */
#define TN_LIMIT_ELEMENTS 5000000                  /* of XML, copies and included files counted */
#define TN_MOST_ELEMENTS ((int64_t)1000000000)
#define TN_LIMIT_NODES 2000000    /* of a soft body whose mesh is made by the reader */
#define TN_MOST_NODES 20000000    /* what indices of 32 bits have room for */
#define TN_LIMIT_SEGMENTS 1000000 /* of a cable */
#define TN_MOST_SEGMENTS 10000000

int64_t tn_load_limit(const TnLoadDef *load, int64_t limit, int64_t most);

/* How messages end where one of these said no. */
#define TN_RAISE_LIMIT "; TnLoadDef.limit_factor (--limit-factor) raises the limit"
#define TN_RAISE_REACH "; TnLoadDef.reach (--files any) allows it"

/* Whether a model in `folder` ("": the present one) may read this file. What counts is where its
 * symbolic links lead. */
bool tn_io_may_read(const TnLoadDef *load, const char *folder, const char *path);
/* It may not, and might if there were no links. */
bool tn_io_leads_out(const TnLoadDef *load, const char *folder, const char *path);
/* Whether the file is in this folder or below, whatever ".." says; links may lead anywhere. */
bool tn_io_is_within(const char *folder, const char *path);
/* The same of what links lead to. */
bool tn_io_stays_within(const char *folder, const char *path);

#endif
