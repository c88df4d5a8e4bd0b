/* part.c: see part.h. */
#include "part.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/base.h"
#include "part_bodies.h"

int tn_part_find(const int *numbers, int count, int number)
{
    int low = 0;
    if (!count || numbers[0] > number) return -1;
    while (count > 1) { /* the last one that is not larger */
        int half = count / 2;
        if (numbers[low + half] <= number) low += half;
        count -= half;
    }
    return numbers[low] == number ? low : -1;
}

/* ---- the base ---- */

bool tn_base_create(const TnModel *whole, const bool *has, TnBase *out)
{
    TnCutNumbers numbers;
    const TnCut cut = {.model = whole,
                       .has = has,
                       .touches = true,
                       .pairs = whole->pairs,
                       .excludes = whole->excludes,
                       .pair_count = whole->pair_count,
                       .exclude_count = whole->exclude_count};
    *out = (TnBase){.model = tn_model_cut(&cut, &numbers)};
    if (!out->model) return false;
    tn_free(numbers.links);
    out->subsystem = numbers.subsystems;
    out->body = numbers.bodies;
    out->geom = numbers.geoms;
    out->subsystem_count = whole->subsystem_count;
    out->pairs = whole->pairs;
    out->excludes = whole->excludes;
    out->pair_count = whole->pair_count;
    out->exclude_count = whole->exclude_count;
    return true;
}

void tn_base_free(TnBase *base)
{
    tn_model_destroy(base->model);
    if (!base->memory) { /* in which all of these are */
        tn_free(base->subsystem);
        tn_free(base->body);
        tn_free(base->geom);
    }
    tn_free(base->memory);
    *base = (TnBase){0};
}

/* ---- parts ---- */

/* Lists of `count` things by the link of each. */
static bool list_by_link(const TnModel *m, int count, int (*link)(const TnModel *, int),
                         int **start, int **list)
{
    *start = tn_calloc((size_t)m->link_count + 2, sizeof(int));
    *list = tn_malloc(sizeof(int) * (size_t)(count + 1));
    if (!*start || !*list) return false;
    for (int i = 0; i < count; i++) (*start)[link(m, i) + 2]++;
    for (int l = 0; l < m->link_count; l++) (*start)[l + 2] += (*start)[l + 1];
    for (int i = 0; i < count; i++) (*list)[(*start)[link(m, i) + 1]++] = i;
    return true;
}

static int link_of_body(const TnModel *m, int b) { return m->bodies[b].link; }
static int link_of_geom(const TnModel *m, int g) { return m->geom_link[g]; }

static bool index_links(TnPart *part)
{
    const TnModel *m = part->model;
    if (list_by_link(m, m->body_count, link_of_body, &part->body_start, &part->bodies) &&
        list_by_link(m, m->geom_count, link_of_geom, &part->geom_start, &part->geoms))
        return true;
    tn_part_free(part);
    return false;
}

bool tn_part_of_whole(const TnModel *whole, TnPart *out)
{
    *out = (TnPart){.model = whole};
    return index_links(out);
}

void tn_part_free(TnPart *part)
{
    void *const all[] = {part->subsystem, part->body,       part->geom, part->body_start,
                         part->bodies,    part->geom_start, part->geoms};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    tn_model_destroy(part->own);
    *part = (TnPart){0};
}

bool tn_part_make(const TnBase *base, const bool *has, const TnPart *from,
                  const TnBodySource *bodies, int count, TnPart *out)
{
    TnFreeList list;
    TnCutNumbers numbers;
    *out = (TnPart){0};
    if (!tn_free_list(from, bodies, count, &list)) return false;
    const TnCut cut = {.model = base->model,
                       .has = has,
                       .touches = true,
                       .subsystem = base->subsystem,
                       .body = base->body,
                       .geom = base->geom,
                       .pairs = base->pairs,
                       .excludes = base->excludes,
                       .pair_count = base->pair_count,
                       .exclude_count = base->exclude_count,
                       .more = &list};
    out->own = tn_model_cut(&cut, &numbers);
    tn_free_list_free(&list);
    if (!out->own) return false;
    tn_free(numbers.links);
    out->model = out->own;
    out->subsystem = numbers.subsystems;
    out->body = numbers.bodies;
    out->geom = numbers.geoms;
    return index_links(out);
}
