/* robots.h: robots for batches on a device: a quadruped on a plane, and an arm that grasps a box.
 */
#ifndef TEST_GPU_ROBOTS_H
#define TEST_GPU_ROBOTS_H

#include "../step/text_scene.h"

/* Four legs of three hinges; servo: position servos, else motors and springs. */
static inline TnModel *open_quadruped(bool servo, const char *more)
{
    static Text text;
    TnError err = {0};
    text.length = 0;
    text_add(&text,
             "<mujoco><option timestep='.005'/><default><geom friction='.8'/>"
             "<joint damping='.5' armature='.01' frictionloss='.2' limited='true'%s/></default>"
             "<worldbody><geom type='plane' size='9 9 1'/>%s"
             "<body name='trunk' pos='0 0 .38'><freejoint/>"
             "<geom type='box' size='.2 .1 .05' mass='6'/>",
             servo ? "" : " stiffness='30'", more);
    for (int leg = 0; leg < 4; leg++) {
        double x = leg < 2 ? 0.2 : -0.2, y = leg % 2 ? -0.12 : 0.12;
        text_add(&text,
                 "<body pos='%g %g 0'><joint name='abd%d' axis='1 0 0' range='-40 40'/>"
                 "<geom type='sphere' size='.04' mass='.6'/>"
                 "<body><joint name='hip%d' axis='0 1 0' range='-80 80' springref='34'/>"
                 "<geom type='capsule' fromto='0 0 0 0 0 -.2' size='.025' mass='.8'/>"
                 "<body pos='0 0 -.2'><joint name='knee%d' axis='0 1 0' range='-140 -5' "
                 "springref='-69'/>"
                 "<geom type='capsule' fromto='0 0 -.03 0 0 -.17' size='.015' mass='.2'/>"
                 "<geom type='sphere' pos='0 0 -.2' size='.025' mass='.06' friction='1'/>"
                 "</body></body></body>",
                 x, y, leg, leg, leg);
    }
    text_add(&text, "</body></worldbody><actuator>");
    for (int leg = 0; leg < 4; leg++) {
        const char *names[3] = {"abd", "hip", "knee"};
        for (int j = 0; j < 3; j++)
            text_add(&text,
                     servo ? "<position joint='%s%d' kp='60' kv='1' forcerange='-25 25'/>"
                           : "<motor joint='%s%d' ctrlrange='-20 20'/>",
                     names[j], leg);
    }
    text_add(&text, "</actuator><keyframe><key qpos='0 0 .335 1 0 0 0");
    for (int leg = 0; leg < 4; leg++) text_add(&text, " 0 .6 -1.2");
    text_add(&text, "'");
    if (servo) {
        text_add(&text, " ctrl='");
        for (int leg = 0; leg < 4; leg++) text_add(&text, "0 .6 -1.2 ");
        text_add(&text, "'");
    }
    text_add(&text, "/></keyframe></mujoco>");
    TnModel *model = load_text(text.text, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

/* An arm that holds a box. */
static inline TnModel *open_gripper(void)
{
    TnError err = {0};
    TnModel *model = tn_model_load(TENON_SOURCE_DIR "/bench/models/grasp.xml", &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

#endif
