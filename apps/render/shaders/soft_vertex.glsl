// A vertex of a tube or of a deforming surface, already in its place.
layout(location = 0) in vec3 vertex;
layout(location = 1) in vec3 vertex_normal;
layout(location = 6) in vec4 vertex_color;
layout(location = 7) in uint vertex_id;
layout(location = 8) in float vertex_level;

uniform mat4 clip_from_eye;

out vec3 place;
out vec3 normal;
out vec4 color;
out float level;
flat out uint id;
out vec3 picture;

void main()
{
    place = vertex;
    normal = vertex_normal;
    color = vertex_color;
    level = vertex_level;
    id = vertex_id;
    picture = vec3(0);
    gl_Position = clip_from_eye * vec4(vertex, 1);
}
