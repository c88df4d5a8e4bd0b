// A vertex of a unit mesh, stretched, turned and moved by its instance.
layout(location = 0) in vec3 vertex;
layout(location = 1) in vec3 vertex_normal;
layout(location = 2) in float vertex_lift;
layout(location = 3) in vec4 instance_pos; // w: half length for the lift
layout(location = 4) in vec4 instance_quat;
layout(location = 5) in vec3 instance_scale;
layout(location = 6) in vec4 instance_color;
layout(location = 7) in uint instance_id;

uniform mat4 clip_from_eye;

out vec3 place;
out vec3 normal;
out vec4 color;
out float level;
flat out uint id;

vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }

void main()
{
    vec3 local = vertex * instance_scale + vec3(0, 0, vertex_lift * instance_pos.w);
    place = turn(instance_quat, local) + instance_pos.xyz;
    normal = turn(instance_quat, vertex_normal / instance_scale);
    color = instance_color;
    level = -1.0;
    id = instance_id;
    gl_Position = clip_from_eye * vec4(place, 1);
}
