// Shapes, tubes, surfaces, arrows.
uniform float plain; // 1: signs such as arrows: no shadow falls on them
uniform float veil;  // their alpha is multiplied by this
uniform vec3 stress_stops[17];
uniform int tex_mode; // as in shape_vertex.glsl
uniform sampler2D flat_picture;
uniform samplerCube cube_picture;
uniform vec4 cut; // what is behind this plane is not drawn

in vec3 place;
in vec3 normal;
in vec4 color;
in float level; // share of the range of stress; -1: the colour counts
flat in uint id;
in vec3 picture;

out vec4 result;

void main()
{
#ifdef MATERIALS // only these reflect
    if (dot(cut.xyz, place) < cut.w) discard;
#endif
    vec3 n = normalize(normal);
    if (!gl_FrontFacing) n = -n; // the inner side of a surface
    vec3 own = color.rgb;
    vec3 image = vec3(1);
#ifdef PICTURES
    if (tex_mode >= 4) image = texture(cube_picture, picture).rgb;
    else if (tex_mode > 0) image = texture(flat_picture, picture.xy).rgb;
#endif
    if (level >= 0.0) { // by the level of this very place: colours of corners, mixed, would be others
        float at = 16.0 * min(level, 1.0);
        int stop = min(int(at), 15);
        own = mix(stress_stops[stop], stress_stops[stop + 1], at - float(stop));
    }
    vec3 lit = shade(own, image, place, n, plain > 0.0 ? 0.3 : 1.0, plain == 0.0);
    if (plain > 0.0) lit = mix(lit, own, 0.6);
    if ((id & 0x80000000u) != 0u) { // selected: a bright rim
        float rim = 1.0 - abs(dot(n, normalize(place)));
        lit += vec3(1.0, 0.62, 0.10) * (0.06 + 0.9 * rim * rim * rim);
    }
    result = vec4(below_white(lit), color.a * veil);
}
