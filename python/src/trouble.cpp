/* trouble.cpp: what is wrong with a step, and what happens then: on_trouble of worlds and batches.
 *
 * Trouble is what tn_world_trouble says, and besides a contact force that nothing real makes: one
 * whose impulse F h would give all that moves together a speed of 1 km/s. A blow of any bodies at
 * less than that stays below, and so does the weight of a pile, at any step. What exceeds it are
 * motions that are imposed and cannot take place: a hand whose pose is set, driven into a post. */
#include "common.h"

#include <cmath>

static const double FAST = 1000.0; /* m/s */

static std::string geom_text(const TnModel *model, TnGeomId id)
{
    std::string name = tn_model_geom_name(model, id);
    return "geom " + (name.empty() ? std::to_string(id - 1) : "'" + name + "'");
}

/* The largest contact force of the last step, if it is too large. */
static bool find_force(const TnWorld *world, const TroubleLimits &limits, Trouble *out)
{
    double most = limits.force;
    bool found = false;
    int count = tn_world_contact_count(world);
    for (int i = 0; i < count; i++) {
        TnContact c = tn_world_contact(world, i);
        double force =
            std::sqrt(c.force[0] * c.force[0] + c.force[1] * c.force[1] + c.force[2] * c.force[2]);
        if (!(force > most)) continue;
        most = force;
        found = true;
        const TnModel *model = tn_world_model(world);
        char number[64];
        snprintf(number, sizeof number, "%.2g N", force);
        out->kind = "force";
        out->where =
            "contact of " + geom_text(model, c.geom1) + " with " + geom_text(model, c.geom2);
        out->what = std::string("a contact force of ") + number +
                    " would give all that moves 1 km/s in one step";
        out->help =
            "a motion that is imposed (a mocap body, an equality, a stiff servo) leads into "
            "the other body: limit its force (force_range, forcerange), or move a body that "
            "a weld or a spring holds";
    }
    return found;
}

TroubleLimits trouble_limits(const TnWorld *world)
{
    TnModelInfo info = tn_model_info(tn_world_model(world));
    return {FAST * info.total_mass / info.option.timestep};
}

bool find_trouble(const TnWorld *world, const TroubleLimits *limits, Trouble *out)
{
    static const char *const kinds[] = {"none",       "tolerance",  "rough", "contradiction",
                                        "not finite", "indefinite", "memory"};
    static_assert(sizeof kinds / sizeof *kinds == TN_TROUBLE_MEMORY + 1, "a name for each kind");
    TnTrouble t = tn_world_trouble(world);
    if (t.kind == TN_TROUBLE_NONE)
        return limits && limits->force > 0.0 && find_force(world, *limits, out);
    *out = {kinds[t.kind], t.where, t.what, t.help};
    return true;
}

std::string Trouble::text(double time) const
{
    char at[64];
    snprintf(at, sizeof at, "step at t = %.6g s: ", time);
    return at + what + (where.empty() ? "" : ", at " + where) + "; what helps: " + help;
}

/* How many frames of Python from here to one that is not of this package. */
static int level_of_caller()
{
    nb::object frame = nb::module_::import_("sys").attr("_getframe")();
    for (int level = 1;; level++) {
        nb::object name = nb::object(frame.attr("f_globals")).attr("get")("__name__", "");
        nb::object back = frame.attr("f_back");
        if (nb::cast<std::string>(nb::str(name)).rfind("tenon.", 0) != 0 || back.is_none())
            return level;
        frame = back;
    }
}

void tell_trouble(BatchData &data, const Trouble &trouble, double time, const std::string &which)
{
    nb::module_ errors = nb::module_::import_("tenon._errors");
    std::string text = which + trouble.text(time);
    if (data.on_trouble == ON_TROUBLE_RAISE) {
        PyErr_SetString(errors.attr("TroubleError").ptr(), text.c_str());
        throw nb::python_error();
    }
    data.told = true;
    text += ". Later steps do not warn; world.trouble tells of each, on_trouble=\"raise\" stops at "
            "it, \"ignore\" is silent";
    if (PyErr_WarnEx(errors.attr("TroubleWarning").ptr(), text.c_str(), level_of_caller()) != 0)
        throw nb::python_error();
}

bool is_suspect(const TnStepReport &r)
{
    return !r.converged || r.diverged || r.rough || r.contradiction > 0.0;
}

/* After a call that stepped all worlds of a batch: forces are not looked at, that would be a good
 * part of a step of small worlds. */
void look_for_trouble(BatchData &data, const uint8_t *mask)
{
    if (!data.watches() || tn_batch_device_view(data.batch).memory) return;
    Trouble first;
    int found = 0, at = 0;
    for (int i = 0; i < data.view.count; i++) {
        if ((mask && !mask[i]) || !is_suspect(data.view.reports[i])) continue;
        Trouble t;
        if (!find_trouble(tn_batch_world(data.batch, i), nullptr, &t)) continue;
        if (found++ == 0) {
            first = t;
            at = i;
        }
    }
    if (found == 0) return;
    std::string which = "world " + std::to_string(at);
    if (found > 1) which += " (and " + std::to_string(found - 1) + " more)";
    tell_trouble(data, first, data.view.time[at], which + ": ");
}
