/* builder.h: a model that is being made. */
#pragma once

#include "common.h"

#include <unordered_map>

/* The calls are kept: they make the definitions again, for a copy and for pickle. */
struct Builder {
    std::shared_ptr<TnModelBuilder> made;
    bool shared = false; /* a model has `made` now: the next call makes another one */
    nb::object base;     /* files of the model that it began with, or None */
    nb::list calls;      /* (method, keywords, file, line) */
    struct Names {
        std::unordered_map<std::string, int32_t> ids;
        int seen = 0;
    };
    std::unordered_map<std::string, Names> names; /* of each kind, filled when asked for */
};
