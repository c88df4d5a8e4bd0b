/* keywords.h: keywords of the builder that are more than a plain field: arrays, choices, references
 * to several things. */
#pragma once

#include "fields.h"

template <typename Def> struct Special {
    const char *name, *type, *doc;
    void (*set)(Maker &maker, Def &def, nb::handle value, const std::string &what);
};
template <typename Def> const std::vector<Special<Def>> &specials()
{
    static const std::vector<Special<Def>> none;
    return none;
}
/* keywords.cpp */
template <> const std::vector<Special<TnKeyDef>> &specials();
template <> const std::vector<Special<TnTrackDef>> &specials();
template <> const std::vector<Special<TnRodDef>> &specials();
template <> const std::vector<Special<TnTendonDef>> &specials();
template <> const std::vector<Special<TnSensorDef>> &specials();
template <> const std::vector<Special<TnActuatorDef>> &specials();

/* Our name of a keyword in the spelling of MJCF (ctrlrange, contype, …), or the same; `there`: our
 * names. */
std::string our_keyword(const std::string &given, const std::vector<std::string> &there);
/* Why a keyword of MJCF has no counterpart; NULL: it is none of those. */
const char *why_no_keyword(const std::string &given);
/* shapes.cpp */
template <> const std::vector<Special<TnMeshDef>> &specials();
template <> const std::vector<Special<TnTextureDef>> &specials();
template <> const std::vector<Special<TnHeightFieldDef>> &specials();
template <> const std::vector<Special<TnSoftDef>> &specials();
template <> const std::vector<Special<TnGeomDef>> &specials();

/* Numbers that live as long as the maker; *has: their shape. */
const double *keep_doubles(Maker &maker, nb::handle value, const std::vector<long> &shape,
                           const std::string &what, std::vector<int> *has = nullptr);
/* Whole numbers; their count along the first axis in *count. */
int32_t *keep_integers(Maker &maker, nb::handle value, const std::vector<long> &shape,
                       const std::string &what, int *count);
std::vector<nb::object> items(nb::handle value, const char *expects, const std::string &what);
/* Pairs of a dict, or of a list of pairs. */
std::vector<std::pair<nb::object, nb::object>> pairs(nb::handle value, const char *expects,
                                                     const std::string &what);

void bind_shapes(nb::module_ &m);
