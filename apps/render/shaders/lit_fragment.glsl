// Shapes, tubes, surfaces, arrows.
uniform float plain; // 1: signs such as arrows: no shadow falls on them
uniform float veil;  // their alpha is multiplied by this

in vec3 place;
in vec3 normal;
in vec4 color;
flat in uint id;

out vec4 result;

void main()
{
    vec3 n = normalize(normal);
    if (!gl_FrontFacing) n = -n; // the inner side of a surface
    vec3 lit = shade(color.rgb, place, n, plain > 0.0 ? 0.05 : 0.16, plain == 0.0);
    if (plain > 0.0) lit = mix(lit, color.rgb, 0.6);
    if ((id & 0x80000000u) != 0u) { // selected: a bright rim
        float rim = 1.0 - abs(dot(n, normalize(place)));
        lit += vec3(1.0, 0.62, 0.10) * (0.06 + 0.9 * rim * rim * rim);
    }
    result = vec4(min(lit, vec3(1)), color.a * veil);
}
