/* physics_panel.c: what of the physics can be changed while it runs, as rows of a panel. */
#include "window.h"

#include <float.h>
#include <stdio.h>

static void send(Viewer *viewer, SimulationCommandKind kind, int index, double value)
{
    if (!simulation_set(viewer->simulation, kind, index, value))
        viewer_complain(viewer, "the simulation is busy; the change was ignored");
}

static void option_rows(Viewer *viewer)
{
    static const struct {
        const char *label;
        double low, high;
    } rows[PHYSICS_COUNT] = {[PHYSICS_GRAVITY_X] = {"gravity x, m/s\u00b2", -1e6, 1e6},
                             [PHYSICS_GRAVITY_Y] = {"gravity y, m/s\u00b2", -1e6, 1e6},
                             [PHYSICS_GRAVITY_Z] = {"gravity z, m/s\u00b2", -1e6, 1e6},
                             [PHYSICS_TIMESTEP] = {"timestep, s", 1e-9, 1e3},
                             [PHYSICS_TOLERANCE] = {"tolerance", 0, 1e6},
                             [PHYSICS_ITERATIONS] = {"iterations", 1, 1e6},
                             [PHYSICS_FRICTION] = {"friction, times", 0, 1e6}};
    for (int id = 0; id < PHYSICS_COUNT; id++) {
        bool of_solver = id == PHYSICS_TOLERANCE || id == PHYSICS_ITERATIONS;
        double value = viewer->status.physics.values[id];
        if (of_solver && !viewer->def.solver) continue;
        if (ui_number(&viewer->ui, rows[id].label, &value, rows[id].low, rows[id].high))
            send(viewer, COMMAND_PHYSICS, id, value);
    }
    if (!viewer->def.solver) ui_text(&viewer->ui, ui_gray, "the solver is set by the program");
}

typedef const char *NameOf(const TnModel *model, int32_t id);

/* Check boxes for what is on or off. */
static void switch_rows(Viewer *viewer, int count, NameOf *name_of, const char *unnamed,
                        const uint64_t *on, SimulationCommandKind command)
{
    char label[96];
    for (int i = 0; i < count && i < PHYSICS_LISTED; i++) {
        const char *name = name_of(viewer->model, i + 1);
        bool is_on = on[i / 64] >> (i % 64) & 1;
        snprintf(label, sizeof label, name[0] ? "%s" : "%s%d", name[0] ? name : unnamed, i + 1);
        if (ui_check(&viewer->ui, label, "", is_on)) send(viewer, command, i + 1, !is_on);
    }
    if (count > PHYSICS_LISTED) {
        snprintf(label, sizeof label, "the first %d of %d", PHYSICS_LISTED, count);
        ui_text(&viewer->ui, ui_gray, label);
    }
}

static void pad_rows(Viewer *viewer)
{
    static const char *const axes[PAD_AXES] = {"left, right", "left, up", "right, right",
                                               "right, up", "triggers"};
    const Pad *pad = &viewer->pad;
    int row = -1, control = -1;
    ui_text(&viewer->ui, pad->there ? ui_white : ui_amber,
            pad->there ? pad->name : "no gamepad is connected");
    for (int axis = 0; axis < PAD_AXES; axis++) {
        while (row + 1 < viewer->signals.row_count && control < pad->first + axis)
            control += viewer->signals.rows[++row].actuator >= 0;
        bool found = control == pad->first + axis && row >= 0;
        if (found)
            ui_value(&viewer->ui, axes[axis], ui_white, "%s",
                     viewer->scene->signals[viewer->signals.rows[row].signal].name);
    }
}

void physics_rows(Viewer *viewer)
{
    const PhysicsView *view = &viewer->status.physics;
    TnModelInfo info = tn_model_info(viewer->model);
    if (ui_section(&viewer->ui, "Physics", true)) option_rows(viewer);
    if (info.equality_count && ui_section(&viewer->ui, "Equalities", true))
        switch_rows(viewer, info.equality_count, tn_model_equality_name, "equality ",
                    view->equalities, COMMAND_EQUALITY);
    if (info.actuator_count && ui_section(&viewer->ui, "Actuators", true))
        switch_rows(viewer, info.actuator_count, tn_model_actuator_name, "actuator ",
                    view->actuators, COMMAND_ACTUATOR);
    if (viewer->pad.on && ui_section(&viewer->ui, "Gamepad", true)) pad_rows(viewer);
}
