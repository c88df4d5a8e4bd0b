// Sun with shadow, sky from above and its reflection from below, a soft light beside the camera, fog.
uniform sampler2DShadow shadow_map;

const vec3 sun_color = vec3(0.80, 0.76, 0.70);
const vec3 sky_light = vec3(0.36, 0.39, 0.44);
const vec3 bounce_light = vec3(0.20, 0.19, 0.18);
const float fill_light = 0.16;

// Share of the sun that arrives. The place is moved out along the normal by about a texel, the more the
// flatter the sun falls in: no spots on what is lit, and still shadows that begin where things touch.
float sunlight(vec3 p, vec3 n, float facing)
{
    vec3 from = p + n * (sizes.x * (0.4 + 1.6 * sqrt(max(0.0, 1.0 - facing * facing))));
    vec3 at = vec3(dot(light_rows[0], vec4(from, 1)), dot(light_rows[1], vec4(from, 1)),
                   min(dot(light_rows[2], vec4(from, 1)), 1.0));
    if (any(lessThan(at.xy, vec2(0))) || any(greaterThan(at.xy, vec2(1)))) return 1.0;
    // Four taps between texels, each a mean of four: a soft edge of three texels.
    vec2 size = vec2(textureSize(shadow_map, 0));
    vec2 texel = at.xy * size - 0.5, corner = floor(texel), part = texel - corner;
    vec2 weight0 = 3.0 - 2.0 * part, weight1 = 1.0 + 2.0 * part;
    vec2 at0 = (corner - 0.5 + (2.0 - part) / weight0) / size;
    vec2 at1 = (corner + 1.5 + part / weight1) / size;
    float sum = weight0.x * weight0.y * texture(shadow_map, vec3(at0, at.z)) +
                weight1.x * weight0.y * texture(shadow_map, vec3(at1.x, at0.y, at.z)) +
                weight0.x * weight1.y * texture(shadow_map, vec3(at0.x, at1.y, at.z)) +
                weight1.x * weight1.y * texture(shadow_map, vec3(at1, at.z));
    return sum / 16.0;
}

vec3 in_fog(vec3 lit, float distance)
{
    float depth = distance * fog.w;
    return mix(fog.rgb, lit, exp(-depth * depth));
}

// `n` has length 1 and points to the viewer's side.
vec3 shade(vec3 albedo, vec3 p, vec3 n, float gloss, bool shadowed)
{
    float distance = length(p);
    vec3 view = -p / max(distance, 1e-30);
    float facing = dot(n, sun.xyz), lit = 0.0;
    if (facing > 0.0) lit = shadowed && sun.w > 0.0 ? sunlight(p, n, facing) : 1.0;
    float open = 1.0; // what of the sky is seen: less close above the ground, less looking down
    if (sizes.y > 0.0) {
        float height = dot(ground.xyz, p) + ground.w;
        float away = clamp(height / sizes.y, 0.0, 1.0);
        open = mix(1.0, 0.45 + 0.55 * away, clamp(0.75 - 0.75 * dot(n, ground.xyz), 0.0, 1.0));
    }
    vec3 ambient = mix(bounce_light, sky_light, 0.5 + 0.5 * n.z) * open;
    float soft = fill_light * max(dot(n, fill.xyz), 0.0);
    vec3 result = albedo * (ambient + soft + sun_color * (lit * max(facing, 0.0)));
    float shine = max(dot(n, normalize(view + sun.xyz)), 0.0);
    shine *= shine; // to the power of 32
    shine *= shine;
    shine *= shine;
    shine *= shine;
    shine *= shine;
    return in_fog(result + sun_color * (gloss * lit * shine), distance);
}
