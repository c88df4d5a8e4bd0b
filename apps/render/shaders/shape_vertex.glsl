// A vertex of a unit mesh, stretched, turned and moved by its instance.
layout(location = 0) in vec3 vertex;
layout(location = 1) in vec3 vertex_normal;
layout(location = 2) in float vertex_lift;
layout(location = 3) in vec4 instance_pos; // w: half length for the lift
layout(location = 4) in vec4 instance_quat;
layout(location = 5) in vec3 instance_scale;
layout(location = 6) in vec4 instance_color;
layout(location = 7) in uint instance_id;
layout(location = 8) in vec2 vertex_uv;

uniform mat4 clip_from_eye;
uniform int tex_mode;   // TexMode: 0 none, 1 by coordinates, 2 and 3 flat over the shape and per 2 m,
                        // 4 and 5 cubes around them
uniform vec3 tex_unit;  // makes the shape reach from -1 to 1
uniform vec2 tex_repeat;

out vec3 place;
out vec3 normal;
out vec4 color;
out float level;
flat out uint id;
out vec3 picture; // where in the texture: two numbers, or a direction

vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }

void main()
{
    vec3 local = vertex * instance_scale + vec3(0, 0, vertex_lift * instance_pos.w);
    place = turn(instance_quat, local) + instance_pos.xyz;
    normal = turn(instance_quat, vertex_normal / instance_scale);
    color = instance_color;
    level = -1.0;
    id = instance_id;
    vec3 unit = (vertex + vec3(0, 0, vertex_lift)) * tex_unit;
    picture = tex_mode == 2 || tex_mode == 4 ? unit : local;
    if (tex_mode == 1) picture = vec3(vertex_uv * tex_repeat, 0);
    if (tex_mode == 2 || tex_mode == 3) { // from the upper left corner, as in MuJoCo
        vec2 half_size = tex_mode == 2 ? vec2(1) : instance_scale.xy / tex_unit.xy;
        picture.xy = 0.5 * tex_repeat * (half_size + picture.xy * vec2(1, -1));
    }
    gl_Position = clip_from_eye * vec4(place, 1);
}
