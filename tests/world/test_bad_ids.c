/* Public functions with ids, indices and pointers that do not exist: zeros, false or an error, in
 * every build. Under a sanitizer this also shows that nothing outside an array is read. */
#include <tenon/tenon.h>

#include "../check.h"
#include "../step/text_scene.h"

static const char *const scene =
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
    "<body name='b' pos='0 0 0.1'><freejoint/><geom size='0.1'/><site name='s'/></body>"
    "<body name='arm' pos='1 0 1'><joint name='j'/><geom size='0.1' pos='0.2 0 0'/></body>"
    "</worldbody><actuator><motor joint='j'/></actuator>"
    "<equality><joint joint1='j' active='false'/></equality>"
    "<sensor><jointpos joint='j'/></sensor><keyframe><key name='k'/></keyframe></mujoco>";

static const int bad_ids[] = {0, -1, 9999, INT32_MIN, INT32_MAX};
#define EACH_BAD_ID(ID)                                                                            \
    for (size_t i_ = 0; i_ < sizeof bad_ids / sizeof bad_ids[0]; i_++)                             \
        for (int ID = bad_ids[i_], once_ = 1; once_; once_ = 0)

static TnWorld *make_world(TnModel **model)
{
    TnError err = {0};
    *model = load_text(scene, NULL);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, *model, &err);
    CHECK(world != NULL);
    tn_world_step(world);
    return world;
}

static bool is_zero(const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++)
        if (b[i]) return false;
    return true;
}
#define CHECK_ZERO(X) CHECK(is_zero(&(X), sizeof(X)))

TEST(questions_to_a_world_about_what_it_has_not_give_zeros)
{
    TnModel *model;
    TnWorld *world = make_world(&model);
    for (int which = 0; which < 2; which++) {
        const TnWorld *w = which ? world : NULL;
        EACH_BAD_ID(id)
        {
            double a[3] = {1, 1, 1}, b[4] = {1, 1, 1, 1};
            TnIslandReport island = tn_world_island(w, id == 0 ? 9 : id);
            CHECK_ZERO(island);
            TnContact contact = tn_world_contact(w, id == 0 ? 9999 : id);
            CHECK_ZERO(contact);
            TnSubsystemInfo part = tn_world_subsystem_info(w, id == 0 ? -2 : id);
            CHECK_ZERO(part);
            CHECK(!tn_world_body_asleep(w, id));
            CHECK(tn_world_body_subsystem(w, id) == -1);
            tn_world_body_pose(w, id, a, b);
            CHECK_ZERO(a);
            CHECK_ZERO(b);
            a[0] = b[0] = 1;
            tn_world_body_velocity(w, id, a, b);
            CHECK_ZERO(a);
            CHECK(b[0] == 0);
            a[0] = b[0] = 1;
            tn_world_site_pose(w, id, a, b);
            CHECK_ZERO(a);
            CHECK(b[0] == 0);
            tn_world_site_velocity(w, id, a, b);
            tn_world_geom_pose(w, id, a, b);
            tn_world_geom_velocity(w, id, a, b);
            tn_world_body_pose(w, id, NULL, NULL);
            char text[8] = "x";
            tn_world_worst_constraint(w, id, text, sizeof text);
            CHECK(id == 0 || text[0] == 0);
            tn_world_worst_constraint(w, id, NULL, 0);
            int32_t subsystem = 7;
            tn_world_soft_subsystems(w, id, &subsystem);
            CHECK(subsystem == 7);
            CHECK(tn_world_soft_stress(w, id, NULL, NULL, NULL) == TN_ERROR_USAGE);
        }
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(changes_of_what_a_world_has_not_change_nothing)
{
    TnModel *model;
    TnWorld *world = make_world(&model);
    uint64_t before = tn_world_hash(world);
    const double force[3] = {1, 1, 1};
    EACH_BAD_ID(id)
    {
        tn_world_apply_wrench(NULL, id, force, force);
        tn_world_apply_wrench(world, id, force, force);
        tn_world_apply_node_force(NULL, id, 0, force);
        tn_world_apply_node_force(world, id, 0, force);
        tn_world_wake(NULL, id);
        if (id != 0) tn_world_wake(world, id);
        tn_world_reset(NULL, id);
        if (id != 0) tn_world_reset(world, id);
        CHECK(!tn_world_body_reaction(NULL, id).known && !tn_world_body_reaction(world, id).known);
        CHECK(!tn_world_joint_reaction(NULL, id).known &&
              !tn_world_joint_reaction(world, id).known);
        CHECK(!tn_world_equality_reaction(NULL, id).known &&
              !tn_world_equality_reaction(world, id).known);
    }
    CHECK(tn_world_hash(world) == before);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(calls_without_a_world_or_without_data_are_refused)
{
    TnModel *model;
    TnWorld *world = make_world(&model);
    TnError err = {0};
    TnSolverDef solver = tn_solver_def();
    double v[16], residual;
    CHECK(tn_world_create(NULL, model, &err) == NULL && err.code == TN_ERROR_USAGE);
    TnStepReport report = tn_world_step(NULL);
    CHECK_ZERO(report);
    CHECK(tn_world_model(NULL) == NULL && tn_world_substeps(NULL) == 0);
    CHECK(tn_world_subsystem_count(NULL) == 0 && tn_world_bond_count(NULL) == 0);
    CHECK(tn_world_division_reason(NULL)[0] == 0);
    CHECK(tn_world_state(NULL).qpos == NULL);
    CHECK(tn_world_set_state(NULL, v, v, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_set_ctrl(NULL, v, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_set_ctrl(world, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_contact_count(NULL) == 0);
    CHECK(tn_world_sensors(NULL, v, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_sensors(world, NULL, NULL) == TN_ERROR_USAGE);
    TnEnergy energy = tn_world_energy(NULL);
    CHECK_ZERO(energy);
    TnEnergyAccount account = tn_world_energy_account(NULL);
    CHECK_ZERO(account);
    TnStepLoss loss = tn_world_largest_loss(NULL);
    CHECK_ZERO(loss);
    tn_world_momentum(NULL, v, v + 3);
    tn_world_momentum(world, NULL, NULL);
    CHECK(v[0] == 0 && v[5] == 0);
    CHECK(tn_world_save_size(NULL) == 0);
    CHECK(tn_world_save(NULL, v, sizeof v, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_save(world, NULL, 1 << 20, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_save(world, v, 1, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_restore(NULL, v, sizeof v, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_restore(world, NULL, 0, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_hash(NULL) == 0);
    CHECK(tn_world_set_solver(NULL, &solver, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_set_solver(world, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_problem(NULL, &solver, NULL) == NULL);
    CHECK(tn_world_problem(world, NULL, NULL) == NULL);
    CHECK(!tn_world_last_velocity(NULL, v) && !tn_world_last_velocity(world, NULL));
    CHECK(isnan(tn_world_velocity_distance(NULL, v, v)));
    CHECK(!tn_world_solve_again(NULL, &solver, v, &residual));
    CHECK(!tn_world_solve_again(world, NULL, v, &residual) && isnan(residual));
    CHECK(tn_model_eval(NULL, v, v, v, NULL, NULL) == TN_ERROR_USAGE);
    tn_world_destroy(NULL);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(questions_to_a_model_about_what_it_has_not_give_zeros)
{
    TnModel *model = load_text(scene, NULL);
    double ctrl[4];
    for (int which = 0; which < 2; which++) {
        const TnModel *m = which ? model : NULL;
        EACH_BAD_ID(id)
        {
            CHECK(tn_model_body_name(m, id)[0] == 0 && tn_model_joint_name(m, id)[0] == 0);
            CHECK(tn_model_geom_name(m, id)[0] == 0 && tn_model_site_name(m, id)[0] == 0);
            CHECK(tn_model_tendon_name(m, id)[0] == 0 && tn_model_actuator_name(m, id)[0] == 0);
            CHECK(tn_model_equality_name(m, id)[0] == 0 && tn_model_sensor_name(m, id)[0] == 0);
            CHECK(tn_model_key_name(m, id)[0] == 0 && tn_model_rod_name(m, id)[0] == 0);
            CHECK(tn_model_wheel_name(m, id)[0] == 0 && tn_model_soft_name(m, id)[0] == 0);
            CHECK(tn_model_body_subsystem(m, id) == 0);
            TnBodyInfo body = tn_model_body_info(m, id);
            CHECK_ZERO(body);
            CHECK(tn_model_joint_info(m, id).body == 0 && tn_model_geom_info(m, id).body == 0);
            CHECK(tn_model_mesh_info(m, id).vertices == NULL);
            CHECK(tn_model_camera_info(m, id).body == 0 && tn_model_rod_info(m, id).body == 0);
            CHECK(tn_model_texture_info(m, id).width == 0 && tn_model_light_info(m, id).body == 0);
            CHECK(tn_model_material_info(m, id).specular == 0);
            CHECK(tn_model_soft_info(m, id).rest == NULL && tn_model_wheel_info(m, id).body == 0);
            TnEqualityInfo equality = tn_model_equality_info(m, id);
            CHECK_ZERO(equality);
            CHECK(tn_model_sensor_info(m, id).data_count == 0);
        }
        const char *const names[] = {NULL, "", "nobody"};
        for (int k = 0; k < 3; k++) {
            CHECK(!tn_model_find_body(m, names[k]) && !tn_model_find_joint(m, names[k]));
            CHECK(!tn_model_find_geom(m, names[k]) && !tn_model_find_site(m, names[k]));
            CHECK(!tn_model_find_tendon(m, names[k]) && !tn_model_find_actuator(m, names[k]));
            CHECK(!tn_model_find_equality(m, names[k]) && !tn_model_find_sensor(m, names[k]));
            CHECK(!tn_model_find_key(m, names[k]) && !tn_model_find_camera(m, names[k]));
            CHECK(!tn_model_find_texture(m, names[k]) && !tn_model_find_material(m, names[k]));
            CHECK(!tn_model_find_light(m, names[k]));
            CHECK(!tn_model_find_rod(m, names[k]) && !tn_model_find_wheel(m, names[k]));
            CHECK(!tn_model_find_soft(m, names[k]));
        }
        CHECK(!tn_model_track(m, 0.0, ctrl) && !tn_model_track(m, 0.0, NULL));
    }
    CHECK(tn_model_info(NULL).body_count == 0);
    CHECK(tn_model_find_site(model, "s") == 1);
    tn_model_destroy(model);
}

TEST(a_solver_a_frame_and_a_recording_refuse_the_same)
{
    TnModel *model;
    TnWorld *world = make_world(&model);
    TnSolverDef def = tn_solver_def();
    TnSolver *solver = tn_solver_create(&def, NULL);
    TnScene *set = tn_scene_create(model, NULL);
    TnFrame *frame = tn_frame_create(set, NULL), *other = tn_frame_create(set, NULL);
    EACH_BAD_ID(id)
    {
        TnBlockDef block = tn_solver_block(solver, id);
        TnConstraintDef constraint = tn_solver_constraint(solver, id);
        CHECK_ZERO(block);
        CHECK_ZERO(constraint);
        CHECK(tn_recording_time(NULL, id) == 0.0);
        CHECK(tn_recording_frame(NULL, id, frame, NULL) == TN_ERROR_USAGE);
    }
    CHECK(tn_solver_block_count(NULL) == 0 && tn_solver_lambda_count(NULL) == 0);
    tn_solver_start(solver, NULL, NULL); /* not prepared */
    tn_solver_solution(solver, NULL, NULL);
    CHECK(tn_frame_capture(NULL, world, NULL, false, NULL) == TN_ERROR_USAGE);
    CHECK(tn_frame_capture(frame, NULL, NULL, false, NULL) == TN_ERROR_USAGE);
    CHECK(tn_frame_copy(frame, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_frame_blend(frame, frame, other, 0.5, NULL) == TN_ERROR_USAGE);
    tn_frame_destroy(frame);
    tn_frame_destroy(other);
    tn_scene_destroy(set);
    tn_solver_destroy(solver);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(fits_and_names_of_parameters_refuse_the_same)
{
    TnModel *model;
    TnWorld *world = make_world(&model);
    EACH_BAD_ID(id)
    {
        char text[64] = "x";
        TnParameter p = {TN_PARAMETER_MASS, id == 0 ? 9 : id, 0};
        CHECK(tn_model_parameter(model, &p) == 0.0 && tn_model_parameter(NULL, &p) == 0.0);
        tn_parameter_text(model, &p, text, sizeof text);
        tn_parameter_text(NULL, &p, text, sizeof text);
        CHECK(!text[0]);
        p.kind = (TnParameterKind)(id == 0 ? -1 : id);
        if (id != 1) tn_parameter_text(model, &p, text, sizeof text);
        CHECK(!tn_parameter_from_text(model, "mass:#99", &p, NULL));
        CHECK(!tn_parameter_from_text(NULL, "mass:b", &p, NULL));
        tn_fit_direction_text(NULL, id, text, sizeof text);
        CHECK(!text[0] && tn_fit_unit(NULL, id) == 0.0);
        CHECK(tn_fit_simulated(NULL, id, NULL, NULL, NULL, NULL, NULL) == TN_ERROR_USAGE);
        CHECK(tn_fit_end_name((TnFitEnd)(id == 0 ? -1 : id))[0] == 0);
    }
    CHECK(tn_fit_apply(NULL, world, NULL) == TN_ERROR_USAGE);
    CHECK(tn_fit_create(NULL, NULL, NULL) == NULL && tn_fit_solve(NULL, NULL) == TN_ERROR_USAGE);
    tn_fit_destroy(NULL);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
