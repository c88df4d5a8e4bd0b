/* Every way in which an option, tendon, actuator, equality, pair, exclude, sensor, key or track can
 * be wrong is refused. */
#include "scene.h"

TEST(wrong_options_are_refused)
{
    REFUSED(s.option.timestep = 0.0, "option: timestep must be positive (0)");
    REFUSED(s.option.timestep = -0.01, "timestep must be positive");
    REFUSED(s.option.timestep = NAN, "timestep must be positive");
    REFUSED(s.option.timestep = INFINITY, "timestep must be positive");
    REFUSED(s.option.gravity[2] = NAN, "gravity is not finite");
    REFUSED(s.option.theta = 0.49, "theta must lie in [0.5, 1]");
    REFUSED(s.option.theta = 1.01, "theta must lie in [0.5, 1]");
    REFUSED(s.option.theta = NAN, "theta must lie in [0.5, 1]");
    REFUSED(s.option.tree_passes = 0, "tree_passes must lie in [1, 100] (0)");
    REFUSED(s.option.tree_passes = 101, "tree_passes must lie in [1, 100]");
    REFUSED(s.option.substeps = -1, "substeps must lie in [0, 100] (-1)");
    REFUSED(s.option.accuracy = -1.0, "accuracy must be 0 or more (-1)");
    REFUSED(s.option.accuracy = NAN, "accuracy must be 0 or more");
    REFUSED(s.option.substeps = 101, "substeps must lie in [0, 100]");
    REFUSED(s.option.stabilization = -0.1, "stabilization must lie in [0, 1]");
    REFUSED(s.option.stabilization = 1.1, "stabilization must lie in [0, 1]");
    REFUSED(s.option.contact_stiffness = -1.0, "contact_stiffness must be 0 or more (-1)");
    REFUSED(s.option.contact_stiffness = INFINITY, "contact_stiffness must be 0 or more");
    REFUSED(s.option.division.kind = TN_DIVISION_GROUPS,
            "group_size of the division must be positive (0)");
    REFUSED(s.option.division.kind = (TnDivisionKind)4, "division has no kind 4");
    ACCEPTED((s.option.division = (TnDivisionDef){TN_DIVISION_GROUPS, 1, 0}));
    ACCEPTED((s.option.theta = 1.0, s.option.stabilization = 0.0, s.option.tree_passes = 100));
}

TEST(wrong_tendons_are_refused)
{
    REFUSED(s.tendon.joint_count = 0, "tendon 'rope': it has no joints");
    REFUSED(s.parts[1].joint = 0, "tendon 'rope': joint is not given");
    REFUSED(s.parts[1].joint = 99, "tendon 'rope': joint 99 does not exist");
    REFUSED((s.parts[0].joint = 4, s.tendon.joint_count = 1), /* a ball */
            "joint must be a hinge or a slide");
    REFUSED(s.parts[1].joint = 1, "joint 1 comes twice");
    ACCEPTED(s.parts[1].joint = SCENE_JOINT); /* in another tree */
    REFUSED(s.parts[0].coef = NAN, "coef is not finite");
    REFUSED((s.tendon.limited = true, s.tendon.range[0] = 1.0), "range must increase (1, 0)");
    REFUSED(s.tendon.stiffness = -1.0, "stiffness must not be negative");
    REFUSED(s.tendon.damping = NAN, "damping is not finite");
    REFUSED(s.tendon.friction_loss = -1.0, "friction_loss must not be negative");
    REFUSED(s.tendon.spring_length = INFINITY, "spring_length is not finite");
    ACCEPTED((s.tendon.limited = true, s.tendon.range[1] = 1.0, s.tendon.stiffness = 1.0));
}

TEST(wrong_actuators_are_refused)
{
    REFUSED(s.actuator.tendon = 1, "it acts on more than one of joint, tendon, site");
    REFUSED((s.actuator.joint = 0, s.actuator.tendon = 2), "tendon 2 does not exist");
    ACCEPTED((s.actuator.joint = 0, s.actuator.tendon = 1));
    REFUSED(s.actuator.damping_ratio = -1.0, "damping_ratio must not be negative");
    REFUSED(s.actuator.damping_ratio = 1.0, "damping_ratio is for position servos");
    REFUSED((s.actuator.damping_ratio = s.actuator.gain = 1.0, s.actuator.bias[1] = -1.0,
             s.actuator.bias[2] = -1.0),
            "damping_ratio is for position servos");
    REFUSED((s.actuator.damping_ratio = 1.0, s.actuator.bias[1] = -1.0, s.actuator.gear = 0.0),
            "damping_ratio: it moves no mass");
    ACCEPTED((s.actuator.damping_ratio = 1.0, s.actuator.bias[1] = -1.0));
    REFUSED(s.actuator.joint = 0, "actuator 'motor': joint is not given");
    REFUSED(s.actuator.joint = 99, "joint 99 does not exist");
    ACCEPTED(s.actuator.joint = 3); /* free */
    ACCEPTED(s.actuator.joint = 4); /* ball */
    REFUSED(s.actuator.gear = NAN, "gear is not finite");
    REFUSED(s.actuator.gain = INFINITY, "gain is not finite");
    REFUSED(s.actuator.bias[2] = NAN, "bias is not finite");
    REFUSED(s.actuator.ctrl_limited = true, "control range must increase (0, 0)");
    REFUSED(s.actuator.force_limited = true, "force range must increase (0, 0)");
    REFUSED((s.actuator.ctrl_limited = true, s.actuator.ctrl_range[1] = NAN),
            "control range is not finite");
    ACCEPTED((s.actuator.force_limited = true, s.actuator.force_range[0] = -1.0));
}

TEST(wrong_equalities_are_refused)
{
    REFUSED(s.connect.body1 = 0, "equality 'hook': body1 is not given");
    REFUSED(s.connect.body1 = 99, "body1 99 does not exist");
    REFUSED(s.connect.body2 = -3, "body2 -3 does not exist");
    REFUSED(s.connect.body2 = 4, "its bodies are fixed to each other already");
    REFUSED(s.connect.anchor[0] = NAN, "anchor is not finite");
    REFUSED(s.weld.body1 = TN_BODY_WORLD,
            "equality 'glue': its bodies are fixed to each other already");
    REFUSED((s.weld.has_relpose = true, s.weld.relpos[0] = NAN), "relpos is not finite");
    REFUSED((s.weld.has_relpose = true, s.weld.relquat[0] = 0.0), "relquat has length 0");
    ACCEPTED(s.weld.relquat[0] = 0.0); /* not read without has_relpose */
    REFUSED(s.couple.joint1 = 0, "equality 'gears': joint1 is not given");
    REFUSED(s.couple.joint1 = 3, "joint1 must be a hinge or a slide");
    REFUSED(s.couple.joint2 = 4, "joint2 must be a hinge or a slide");
    REFUSED(s.couple.joint2 = 99, "joint2 99 does not exist");
    REFUSED(s.couple.joint2 = 1, "joint1 and joint2 are the same");
    REFUSED(s.couple.polycoef[4] = NAN, "polycoef is not finite");
    ACCEPTED(s.couple.joint2 = 0);
    REFUSED(s.couple.type = (TnEqualityType)7, "type 7 does not exist");
}

TEST(wrong_pairs_and_excludes_are_refused)
{
    REFUSED(s.pair.geom1 = 0, "pair 1: geom1 is not given");
    REFUSED(s.pair.geom2 = 99, "pair 1: geom2 99 does not exist");
    REFUSED(s.pair.geom2 = 1, "pair 1: its geoms are fixed to each other");
    REFUSED(s.pair.contact_dim = 2, "pair 1: contact dimension must be 1, 3, 4 or 6 (2)");
    REFUSED(s.pair.friction[0] = -1.0, "pair 1: friction (sliding) must not be negative");
    REFUSED(s.pair.friction_across[1] = NAN, "friction_across is not finite");
    REFUSED(s.pair.restitution = 2.0, "restitution must lie in [0, 1]");
    REFUSED(s.pair.margin = NAN, "margin is not finite");
    REFUSED(s.exclude[0] = 0, "exclude 1: body1 is not given");
    REFUSED(s.exclude[1] = 99, "exclude 1: body2 99 does not exist");
}

TEST(wrong_sensors_are_refused)
{
    REFUSED(s.sensor.object = 99, "sensor 'angle': joint 99 does not exist");
    REFUSED(s.sensor.object = 3, "joint must be a hinge or a slide");
    REFUSED((s.sensor.type = TN_SENSOR_BODY_POS, s.sensor.object = 0), "body is not given");
    REFUSED((s.sensor.type = TN_SENSOR_TENDON_POS, s.sensor.object = 2), "tendon 2 does not exist");
    REFUSED((s.sensor.type = TN_SENSOR_ACTUATOR_VEL, s.sensor.object = 2),
            "actuator 2 does not exist");
    REFUSED((s.sensor.type = TN_SENSOR_GYRO, s.sensor.object = 3), "site 3 does not exist");
    REFUSED((s.sensor.type = TN_SENSOR_SITE_QUAT, s.sensor.object = 3), "site 3 does not exist");
    REFUSED(s.sensor.type = (TnSensorType)99, "type 99 does not exist");
}

TEST(wrong_cameras_and_views_are_refused)
{
    ACCEPTED((s.camera.mode = TN_CAMERA_FIXED, s.camera.target = 0));
    ACCEPTED(s.view = (TnView){0});
    REFUSED(s.camera.body = 0, "camera 'eye': body is not given");
    REFUSED(s.camera.body = 99, "camera 'eye': body 99 does not exist");
    REFUSED(s.camera.target = 0, "camera 'eye': target is not given");
    REFUSED((s.camera.mode = TN_CAMERA_FIXED, s.camera.target = 99), "target 99 does not exist");
    REFUSED(s.camera.pos[1] = NAN, "camera 'eye': pos is not finite");
    REFUSED(s.camera.quat[0] = 0.0, "camera 'eye': quat has length 0");
    REFUSED(s.camera.fovy = 0.0, "fovy must lie between 0 and 180 degrees (0)");
    REFUSED(s.camera.fovy = 3.2, "fovy must lie between 0 and 180 degrees");
    REFUSED(s.camera.fovy = NAN, "fovy must lie between 0 and 180 degrees");
    REFUSED(s.camera.mode = (TnCameraMode)3, "camera 'eye': mode 3 does not exist");
    REFUSED(s.view.center[2] = INFINITY, "view: center is not finite");
    REFUSED(s.view.extent = 0.0, "view: extent must be positive");
    REFUSED(s.view.azimuth = NAN, "view: azimuth is not finite");
    REFUSED(s.view.elevation = NAN, "view: elevation is not finite");
    REFUSED(s.view.fovy = -1.0, "view: fovy must lie between");
}

TEST(wrong_keys_are_refused)
{
    REFUSED(s.key.qpos_count = 13, "key 'home': qpos has 13 numbers; the model has 14");
    REFUSED(s.key.qvel_count = 13, "key 'home': qvel has 13 numbers; the model has 12");
    REFUSED((s.key.ctrl = s.qvel, s.key.ctrl_count = 2),
            "key 'home': ctrl has 2 numbers; the model has 1");
    REFUSED(s.qpos[0] = NAN, "qpos is not finite");
    REFUSED(s.qvel[3] = INFINITY, "qvel is not finite");
    REFUSED(s.ctrl[0] = NAN, "ctrl is not finite");
    REFUSED(s.key.time = NAN, "time is not finite");
    REFUSED(s.qpos[9] = 1e-200, "key 'home': a quaternion in qpos has length"); /* the swing's */
}

TEST(wrong_tracks_are_refused)
{
    REFUSED(s.times[1] = 0.0, "control track: times must increase (row 2: 0 after 0)");
    REFUSED(s.times[2] = 0.5, "times must increase (row 3: 0.5 after 1)");
    REFUSED(s.times[2] = NAN, "a time is not finite");
    REFUSED(s.rows[1] = NAN, "a control is not finite");
    REFUSED(s.track.row_count = 0, "it has no rows");
    REFUSED(s.track.ctrl = NULL, "it has no rows");
    REFUSED(s.track.loop_from = 2, "loop_from 2 must be -1 or name a row before the last of 3");
    REFUSED(s.track.loop_from = -2, "loop_from -2 must be -1");
    REFUSED((s.track.loop_from = 0, s.rows[2] = 1.0),
            "the controls of row loop_from and of the last row must be equal");
    ACCEPTED(s.track.loop_from = 0);
    REFUSED((s.late_actuators = 1, s.key.ctrl_count = 0),
            "it was set for 1 actuators, but the model has 2: set it after adding them");
}
