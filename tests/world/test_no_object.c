/* Every public function with NULL for all that it takes by pointer: an error, zeros or nothing, in
 * every build. The last test reads the headers: a function that is missing here fails it. */
#include "../check.h"

#include <dirent.h>
#include <tenon/batch.h>
#include <tenon/definitions.h>
#include <tenon/derivatives.h>
#include <tenon/fit.h>
#include <tenon/plan.h>
#include <tenon/problem_file.h>
#include <tenon/record.h>
#include <tenon/tenon.h>

/* What is refused has this status, or leaves false or NULL; others return nothing of interest. */
#define STATUS(CALL) CHECK((CALL) == TN_ERROR_USAGE)
#define NONE(CALL) CHECK(!(CALL))

TEST(functions_of_definitions_and_files_survive_null)
{
    tn_builder_destroy(NULL);
    tn_builder_set_name(NULL, NULL);
    tn_builder_set_option(NULL, NULL, (TnSource){0});
    NONE(tn_builder_add_body(NULL, NULL));
    NONE(tn_builder_add_joint(NULL, NULL));
    NONE(tn_builder_add_geom(NULL, NULL));
    NONE(tn_builder_add_site(NULL, NULL));
    NONE(tn_builder_add_tendon(NULL, NULL));
    NONE(tn_builder_add_actuator(NULL, NULL));
    NONE(tn_builder_add_equality(NULL, NULL));
    tn_builder_add_pair(NULL, NULL);
    tn_builder_add_exclude(NULL, 1, 1, (TnSource){0});
    NONE(tn_builder_add_sensor(NULL, NULL));
    NONE(tn_builder_add_key(NULL, NULL));
    NONE(tn_builder_add_mesh(NULL, NULL));
    NONE(tn_builder_add_height_field(NULL, NULL));
    NONE(tn_builder_fit_geom(NULL, NULL, 1, 0, 0));
    NONE(tn_builder_add_camera(NULL, NULL));
    NONE(tn_builder_add_texture(NULL, NULL));
    NONE(tn_builder_add_material(NULL, NULL));
    NONE(tn_builder_add_light(NULL, NULL));
    NONE(tn_builder_add_rod(NULL, NULL));
    NONE(tn_builder_add_wheel(NULL, NULL));
    NONE(tn_builder_add_soft(NULL, NULL));
    NONE(tn_builder_add_tie(NULL, NULL));
    tn_builder_rod_parts(NULL, 1);
    tn_builder_set_view(NULL, NULL);
    tn_builder_set_track(NULL, NULL);
    NONE(tn_builder_compile(NULL, NULL));
    NONE(tn_builder_compile_in(NULL, NULL, NULL, NULL));
    NONE(tn_model_load(NULL, NULL));
    NONE(tn_model_load_with_remarks(NULL, NULL, NULL));
    NONE(tn_model_load_string(NULL, NULL, NULL, NULL));
    NONE(tn_builder_load(NULL, NULL, NULL, NULL));
    NONE(tn_builder_write(NULL, NULL, NULL));
    NONE(tn_builder_write_to(NULL, NULL, NULL, NULL, NULL));
    tn_model_destroy(NULL);
}

TEST(functions_of_definitions_of_a_builder_survive_null) { tn_builder_definitions(NULL); }

TEST(functions_of_models_survive_null)
{
    tn_model_info(NULL);
    CHECK(tn_model_fingerprint(NULL) == 0);
    tn_model_body_name(NULL, 1);
    tn_model_joint_name(NULL, 1);
    tn_model_geom_name(NULL, 1);
    tn_model_site_name(NULL, 1);
    tn_model_tendon_name(NULL, 1);
    tn_model_actuator_name(NULL, 1);
    tn_model_actuator_acts(NULL, 1, NULL);
    tn_model_equality_name(NULL, 1);
    tn_model_sensor_name(NULL, 1);
    tn_model_key_name(NULL, 1);
    tn_model_rod_name(NULL, 1);
    tn_model_wheel_name(NULL, 1);
    tn_model_soft_name(NULL, 1);
    NONE(tn_model_find_body(NULL, NULL));
    NONE(tn_model_find_joint(NULL, NULL));
    NONE(tn_model_find_geom(NULL, NULL));
    NONE(tn_model_find_site(NULL, NULL));
    NONE(tn_model_find_tendon(NULL, NULL));
    NONE(tn_model_find_actuator(NULL, NULL));
    NONE(tn_model_find_equality(NULL, NULL));
    NONE(tn_model_find_sensor(NULL, NULL));
    NONE(tn_model_find_key(NULL, NULL));
    NONE(tn_model_find_camera(NULL, NULL));
    NONE(tn_model_find_texture(NULL, NULL));
    NONE(tn_model_find_material(NULL, NULL));
    NONE(tn_model_find_light(NULL, NULL));
    NONE(tn_model_find_rod(NULL, NULL));
    NONE(tn_model_find_wheel(NULL, NULL));
    NONE(tn_model_find_soft(NULL, NULL));
    tn_model_body_subsystem(NULL, 1);
    tn_model_body_info(NULL, 1);
    tn_model_joint_info(NULL, 1);
    tn_model_actuator_info(NULL, 1);
    tn_model_geom_info(NULL, 1);
    tn_model_site_info(NULL, 1);
    tn_model_mesh_info(NULL, 1);
    tn_model_camera_info(NULL, 1);
    tn_model_texture_info(NULL, 1);
    tn_model_material_info(NULL, 1);
    tn_model_light_info(NULL, 1);
    tn_model_rod_info(NULL, 1);
    tn_model_soft_info(NULL, 1);
    tn_model_wheel_info(NULL, 1);
    tn_model_tendon_info(NULL, 1);
    tn_model_tendon_points(NULL, 1, 0);
    tn_model_equality_info(NULL, 1);
    tn_model_sensor_info(NULL, 1);
    NONE(tn_model_track(NULL, 0, NULL));
}

TEST(functions_of_meshes_survive_null)
{
    tn_tet_mesh_free(NULL);
    NONE(tn_tet_mesh_load(NULL, NULL, NULL));
    NONE(tn_tet_mesh_check(NULL, NULL, NULL));
    tn_tet_mesh_volume(NULL);
    NONE(tn_tet_mesh_surface(NULL, NULL, NULL));
    tn_tet_surface_free(NULL);
    NONE(tn_tet_mesh_box(NULL, NULL, 0, NULL, NULL));
    NONE(tn_tet_mesh_cylinder(0, 0, 0, 0, NULL, NULL));
    NONE(tn_tet_mesh_ball(0, 0, NULL, NULL));
    NONE(tn_sheet_mesh_rectangle(NULL, NULL, NULL, NULL));
    NONE(tn_sheet_mesh_check(NULL, NULL, NULL));
    tn_sheet_mesh_area(NULL);
}

TEST(functions_of_worlds_survive_null)
{
    NONE(tn_device_info(0, NULL, NULL));
    NONE(tn_world_create(NULL, NULL, NULL));
    tn_world_destroy(NULL);
    tn_world_step(NULL);
    tn_world_set_callbacks(NULL, NULL, NULL, NULL);
    tn_world_reset(NULL, 1);
    tn_world_island(NULL, 0);
    tn_world_worst_constraint(NULL, 0, NULL, 0);
    CHECK(tn_world_time(NULL) == 0.0);
    CHECK(tn_world_trouble(NULL).kind == TN_TROUBLE_NONE);
    NONE(tn_world_body_asleep(NULL, 1));
    tn_world_wake(NULL, 1);
    NONE(tn_world_model(NULL));
    tn_world_substeps(NULL);
    tn_world_subsystem_count(NULL);
    tn_world_subsystem_info(NULL, 0);
    tn_world_body_subsystem(NULL, 1);
    tn_world_bond_count(NULL);
    tn_world_soft_subsystems(NULL, 1, NULL);
    tn_world_division_reason(NULL);
    tn_world_state(NULL);
    STATUS(tn_world_set_state(NULL, NULL, NULL, NULL));
    STATUS(tn_world_set_ctrl(NULL, NULL, NULL));
    STATUS(tn_world_set_act(NULL, NULL, NULL));
    tn_world_apply_wrench(NULL, 1, NULL, NULL);
    STATUS(tn_world_set_mocap(NULL, 1, NULL, NULL, NULL));
    STATUS(tn_world_place_mocap(NULL, 1, NULL, NULL, NULL));
    NONE(tn_world_mocap(NULL, 1, NULL, NULL));
    tn_world_apply_node_force(NULL, 1, 0, NULL);
    STATUS(tn_world_soft_stress(NULL, 1, NULL, NULL, NULL));
    tn_world_body_pose(NULL, 1, NULL, NULL);
    tn_world_tendon_way(NULL, 1, NULL);
    tn_world_body_velocity(NULL, 1, NULL, NULL);
    tn_world_site_pose(NULL, 1, NULL, NULL);
    tn_world_site_velocity(NULL, 1, NULL, NULL);
    tn_world_geom_pose(NULL, 1, NULL, NULL);
    tn_world_geom_velocity(NULL, 1, NULL, NULL);
    tn_world_contact_count(NULL);
    tn_world_contact(NULL, 0);
    tn_world_body_reaction(NULL, 1);
    tn_world_joint_reaction(NULL, 1);
    tn_world_equality_reaction(NULL, 1);
    STATUS(tn_world_sensors(NULL, NULL, NULL));
    tn_world_self_overlap_count(NULL);
    tn_world_self_overlap(NULL, 0);
    STATUS(tn_world_set_equality(NULL, 1, 0, NULL));
    STATUS(tn_world_attach(NULL, 1, NULL));
    NONE(tn_world_equality_active(NULL, 1));
    STATUS(tn_world_set_gravity(NULL, NULL, NULL));
    STATUS(tn_world_set_timestep(NULL, 0, NULL));
    STATUS(tn_world_set_geom_friction(NULL, 1, NULL, NULL));
    STATUS(tn_world_set_geom_size(NULL, 1, NULL, NULL));
    STATUS(tn_world_set_actuator(NULL, 1, 0, NULL, NULL));
    tn_world_joint_forces(NULL, 1);
    STATUS(tn_world_set_joint_forces(NULL, 1, NULL, NULL));
    STATUS(tn_world_set_body_mass(NULL, 1, 0, NULL, NULL, NULL));
    STATUS(tn_world_cast_rays(NULL, NULL, 0, NULL, NULL, NULL));
    tn_world_geom_distance(NULL, 1, 1, 0);
    tn_world_overlaps(NULL, NULL, NULL, 0, NULL, 0);
    tn_world_energy(NULL);
    tn_world_energy_account(NULL);
    tn_world_body_loss(NULL, 1);
    tn_world_soft_loss(NULL, 1);
    tn_world_largest_loss(NULL);
    tn_world_contact_wrenches(NULL, NULL);
    STATUS(tn_world_actuator_forces(NULL, NULL, NULL));
    STATUS(tn_world_set_geom_local_pose(NULL, 1, NULL, NULL, NULL));
    STATUS(tn_world_set_site_local_pose(NULL, 1, NULL, NULL, NULL));
    tn_world_momentum(NULL, NULL, NULL);
    tn_world_save_size(NULL);
    STATUS(tn_world_save(NULL, NULL, 0, NULL));
    NONE(tn_world_create_shadow(NULL, NULL));
    STATUS(tn_world_copy_to_shadow(NULL, NULL, false, NULL));
    STATUS(tn_world_restore(NULL, NULL, 0, NULL));
    tn_world_hash(NULL);
    STATUS(tn_world_set_solver(NULL, NULL, NULL));
    NONE(tn_world_problem(NULL, NULL, NULL));
    NONE(tn_world_last_velocity(NULL, NULL));
    tn_world_velocity_distance(NULL, NULL, NULL);
    NONE(tn_world_solve_again(NULL, NULL, NULL, NULL));
    STATUS(tn_model_eval(NULL, NULL, NULL, NULL, NULL, NULL));
    STATUS(tn_world_jacobian(NULL, 1, NULL, NULL, NULL));
    STATUS(tn_model_jacobian(NULL, NULL, 1, NULL, NULL, NULL));
    STATUS(tn_model_ik(NULL, NULL, NULL, NULL, NULL));
}

TEST(functions_of_shapes_survive_null) { NONE(tn_collide(NULL, NULL, NULL, NULL, 0, NULL)); }

TEST(functions_of_batches_survive_null)
{
    NONE(tn_batch_create(NULL, NULL, NULL));
    tn_batch_destroy(NULL);
    tn_batch_view(NULL);
    STATUS(tn_batch_step(NULL, NULL, NULL));
    STATUS(tn_batch_step_world(NULL, 0, NULL));
    tn_batch_step_bare(NULL, 0);
    tn_batch_reset(NULL, NULL, 1);
    STATUS(tn_batch_sensors(NULL, NULL, NULL));
    STATUS(tn_batch_arrays(NULL, NULL, NULL));
    STATUS(tn_batch_jacobian(NULL, 1, NULL, NULL, NULL));
    STATUS(tn_batch_site_jacobian(NULL, 1, NULL, NULL));
    STATUS(tn_batch_cast_rays(NULL, NULL, 1, NULL, NULL, NULL));
    STATUS(tn_batch_set_gravity(NULL, NULL, NULL, NULL));
    STATUS(tn_batch_set_timestep(NULL, NULL, NULL, NULL));
    STATUS(tn_batch_set_geom_friction(NULL, NULL, 1, NULL, NULL));
    STATUS(tn_batch_set_geom_size(NULL, NULL, 1, NULL, NULL));
    STATUS(tn_batch_set_geom_local_pose(NULL, NULL, 1, NULL, NULL, NULL));
    STATUS(tn_batch_set_site_local_pose(NULL, NULL, 1, NULL, NULL, NULL));
    STATUS(tn_batch_set_actuator(NULL, NULL, 1, NULL, NULL, NULL));
    STATUS(tn_batch_set_joint_forces(NULL, NULL, 1, NULL, NULL));
    STATUS(tn_batch_set_body_mass(NULL, NULL, 1, NULL, NULL, NULL, NULL));
    STATUS(tn_batch_set_mocap(NULL, NULL, 1, NULL, NULL, NULL));
    STATUS(tn_batch_restore(NULL, NULL, NULL, NULL, NULL));
    STATUS(tn_batch_rollout(NULL, NULL, NULL));
    NONE(tn_batch_world(NULL, 0));
    STATUS(tn_batch_push(NULL, 0, NULL));
    tn_batch_pull(NULL, 0);
    CHECK(tn_batch_device_view(NULL).memory == 0);
    STATUS(tn_batch_device_step(NULL, 1, NULL, NULL));
    STATUS(tn_batch_device_reset(NULL, NULL, 0, NULL));
    STATUS(tn_batch_fetch(NULL, NULL));
}

TEST(functions_of_solvers_survive_null)
{
    STATUS(tn_solver_def_check(NULL, NULL));
    NONE(tn_solver_create(NULL, NULL));
    tn_solver_destroy(NULL);
    NONE(tn_solver_add_block(NULL, NULL));
    NONE(tn_solver_add_constraint(NULL, NULL));
    STATUS(tn_solver_prepare(NULL, NULL));
    tn_solver_solve(NULL, NULL, NULL, NULL);
    STATUS(tn_solver_set(NULL, NULL, NULL));
    tn_solver_start(NULL, NULL, NULL);
    tn_solver_solution(NULL, NULL, NULL);
    tn_solver_block_count(NULL);
    tn_solver_constraint_count(NULL);
    tn_solver_unknown_count(NULL);
    tn_solver_lambda_count(NULL);
    tn_solver_block(NULL, 1);
    tn_solver_constraint(NULL, 1);
    STATUS(tn_solver_judge(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
}

TEST(functions_of_problem_files_survive_null)
{
    NONE(tn_problem_read(NULL, NULL));
    tn_problem_file_destroy(NULL);
    tn_problem_file_info(NULL);
    NONE(tn_problem_solver(NULL, NULL, NULL));
    tn_problem_shift(NULL);
    NONE(tn_problem_solver_near(NULL, NULL, NULL, NULL));
    tn_problem_start(NULL, NULL);
    tn_problem_file_error(NULL, NULL, NULL, NULL, NULL);
    STATUS(tn_problem_write(NULL, NULL, NULL));
}

TEST(functions_of_scenes_and_frames_survive_null)
{
    NONE(tn_scene_create(NULL, NULL));
    NONE(tn_scene_create_of(NULL, NULL));
    tn_scene_destroy(NULL);
    NONE(tn_frame_create(NULL, NULL));
    tn_frame_destroy(NULL);
    STATUS(tn_frame_reserve_contacts(NULL, 0, NULL));
    STATUS(tn_frame_reserve_state(NULL, 0, 0, 0, NULL));
    STATUS(tn_frame_reserve_stress(NULL, 0, NULL));
    STATUS(tn_frame_capture(NULL, NULL, NULL, 0, NULL));
    STATUS(tn_frame_capture_signals(NULL, NULL, NULL));
    STATUS(tn_frame_reserve_signals(NULL, 0, NULL));
    STATUS(tn_frame_copy(NULL, NULL, NULL));
    STATUS(tn_frame_blend(NULL, NULL, NULL, 0, NULL));
}

TEST(functions_of_recordings_survive_null)
{
    NONE(tn_recorder_create(NULL, NULL, NULL, NULL));
    STATUS(tn_recorder_write(NULL, NULL, NULL));
    STATUS(tn_recorder_flush(NULL, NULL));
    tn_recorder_close(NULL, NULL);
    NONE(tn_recording_open(NULL, NULL));
    tn_recording_close(NULL);
    NONE(tn_recording_scene(NULL));
    tn_recording_info(NULL);
    tn_recording_time(NULL, 0);
    STATUS(tn_recording_frame(NULL, 0, NULL, NULL));
}

TEST(functions_of_derivatives_survive_null)
{
    double x[1] = {0};
    NONE(tn_derivatives_create(NULL, NULL, NULL));
    tn_derivatives_destroy(NULL);
    STATUS(tn_world_derivatives(NULL, NULL, NULL));
    NONE(tn_derivatives_view(NULL).state_count);
    STATUS(tn_derivatives_adjoint(NULL, x, x, x, x, NULL));
    tn_model_difference(NULL, NULL, NULL, x);
    tn_model_displace(NULL, NULL, NULL, x);
    tn_model_gradient_to_tangent(NULL, NULL, NULL, x);
    tn_model_gradient_from_tangent(NULL, NULL, NULL, x);
}

TEST(functions_of_plans_survive_null)
{
    double x[1] = {0};
    NONE(tn_plan_create(NULL, NULL, NULL));
    tn_plan_destroy(NULL);
    STATUS(tn_plan_start(NULL, NULL, NULL));
    STATUS(tn_plan_solve(NULL, NULL, NULL));
    STATUS(tn_plan_shift(NULL, 1, NULL));
    STATUS(tn_plan_set_goal(NULL, 1, NULL, 0, NULL));
    STATUS(tn_plan_set_weight(NULL, 1, 0, 0, NULL));
    STATUS(tn_plan_set_ctrl(NULL, NULL, NULL));
    NONE(tn_plan_view(NULL).ctrl);
    NONE(tn_plan_cost_name(NULL, 0));
    tn_plan_off(NULL, NULL, 0);
    STATUS(tn_plan_policy(NULL, 0, NULL, NULL, NULL, x, NULL));
}

TEST(functions_of_fits_survive_null)
{
    char text[8] = "?";
    TnParameter parameter;
    NONE(tn_fit_create(NULL, NULL, NULL));
    tn_fit_destroy(NULL);
    STATUS(tn_fit_solve(NULL, NULL));
    NONE(tn_fit_view(NULL).values);
    STATUS(tn_fit_simulated(NULL, 0, NULL, NULL, NULL, NULL, NULL));
    STATUS(tn_fit_apply(NULL, NULL, NULL));
    tn_fit_direction_text(NULL, 0, text, sizeof text);
    CHECK(text[0] == '\0');
    tn_fit_unit(NULL, 0);
    tn_parameter_text(NULL, NULL, text, sizeof text);
    CHECK(text[0] == '\0');
    NONE(tn_parameter_from_text(NULL, NULL, &parameter, NULL));
    tn_model_parameter(NULL, NULL);
}

/* ---- the headers ---- */

/* They are in libraries of their own, which this test has not. */
static bool is_elsewhere(const char *header)
{
    return !strcmp(header, "mpi.h") || !strcmp(header, "render.h");
}

static int check_header(const char *header, char *text, const char *calls)
{
    int found = 0;
    for (char *at = text; (at = strstr(at, "TN_API ")) != NULL;) {
        char *end = strchr(at, ';'), *open = strchr(at, '('), name[128];
        if (!end || !open || open > end) break;
        *end = '\0';
        char *start = open;
        while (start > at && strchr("_abcdefghijklmnopqrstuvwxyz0123456789", start[-1])) start--;
        snprintf(name, sizeof name, "%.*s(", (int)(open - start), start);
        if (!strncmp(name, "tn_", 3) && strpbrk(open, "*[") && !is_elsewhere(header)) {
            found++;
            if (!strstr(calls, name)) test_fail(__FILE__, __LINE__, "%s is not called here", name);
        }
        at = end + 1;
    }
    return found;
}

static char *read_text(const char *folder, const char *name)
{
    char path[1024], *text = calloc(1, 1 << 18);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (text && file && fread(text, 1, (1 << 18) - 1, file) == 0) text[0] = '\0';
    if (file) fclose(file);
    return text;
}

TEST(every_public_function_with_a_pointer_is_called_here)
{
    const char *folder = TENON_SOURCE_DIR "/include/tenon";
    char *calls = read_text(TENON_SOURCE_DIR "/tests/world", "test_no_object.c");
    DIR *headers = opendir(folder);
    REQUIRE(headers && calls);
    int found = 0;
    for (struct dirent *entry; (entry = readdir(headers)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        char *text = read_text(folder, entry->d_name);
        if (text) found += check_header(entry->d_name, text, calls);
        free(text);
    }
    closedir(headers);
    free(calls);
    CHECK(found > 200);
}
