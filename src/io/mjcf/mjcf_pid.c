/* mjcf_pid.c: actuators that MuJoCo's plugin mujoco.pid drives. Numbers are in <config> elements of
 * the actuator, or of an instance of the plugin in <extension>. */
#include "mjcf.h"

#include <string.h>

static const char *text_of(const TnXmlElement *e, const char *name)
{
    const TnXmlAttr *attr = tn_xml_attr(e, name);
    return attr ? attr->value : "";
}

static void read_config(TnMjcf *m, const TnXmlElement *e, TnPid *pid)
{
    double *const targets[] = {&pid->kp, &pid->ki, &pid->kd, &pid->integral_max, &pid->slew_max};
    if (!tn_mjcf_check_leaf(m, TN_GROUP_PLUGIN, e)) return;
    const char *key = text_of(e, "key"), *text = text_of(e, "value");
    int which = tn_mjcf_word_index("kp ki kd imax slewmax", key);
    double number = 0;
    if (which < 0) {
        tn_mjcf_error_attr(m, e, "key", "key must be one of: kp ki kd imax slewmax; it is '%.60s'",
                           key);
        return;
    }
    bool good = tn_mjcf_number(&text, ' ', &number) == TN_NUMBER_GOOD && number >= 0;
    if (!good || text[strspn(text, " ")])
        tn_mjcf_error_attr(m, e, "value", "%s needs a number that is not negative", key);
    else
        *targets[which] = number;
}

const TnXmlElement *tn_mjcf_plugin_instance(const TnMjcf *m, const char *name, const char **plugin)
{
    for (const TnXmlElement *top = m->root->first; top; top = top->next) {
        if (strcmp(top->name, "extension") != 0) continue;
        for (const TnXmlElement *p = top->first; p; p = p->next)
            for (const TnXmlElement *i = p->first; i; i = i->next)
                if (strcmp(i->name, "instance") == 0 && strcmp(text_of(i, "name"), name) == 0) {
                    *plugin = text_of(p, "plugin");
                    return i;
                }
    }
    return NULL;
}

void tn_mjcf_read_pid(TnMjcf *m, const TnMjcfView *view, TnActuatorDef *actuator)
{
    const TnXmlElement *e = view->element, *config = e;
    const char *plugin = text_of(e, "plugin"), *instance = text_of(e, "instance");
    if (instance[0]) {
        config = tn_mjcf_plugin_instance(m, instance, &plugin);
        if (!config) {
            tn_mjcf_error_attr(m, e, "instance", "there is no plugin instance named '%.60s'",
                               instance);
            return;
        }
    }
    if (strcmp(plugin, "mujoco.pid") != 0) {
        tn_mjcf_error_attr(m, e, instance[0] ? "instance" : "plugin",
                           "plugin '%.60s' is not supported; of actuators only 'mujoco.pid' is",
                           plugin);
        return;
    }
    actuator->activation = TN_ACTIVATION_PID;
    for (const TnXmlElement *child = config->first; child; child = child->next)
        read_config(m, child, &actuator->pid);
    int acts = (actuator->pid.ki > 0) + (actuator->pid.slew_max > 0),
        given = tn_mjcf_int(m, view, "actdim", 0);
    if (given != acts)
        tn_mjcf_error_attr(m, e, "actdim",
                           "actdim is %d, but the controller has %d: one for ki "
                           "and one for slewmax",
                           given, acts);
    actuator->ctrl_limited =
        tn_mjcf_limited(m, view, "ctrllimited", "ctrlrange", actuator->ctrl_range);
    if (!m->settings.clamp_ctrl) actuator->ctrl_limited = false;
}
