// Either tenon's own: sun with shadow, sky from above and its reflection from below, a soft light beside the camera; or the
// lights of the model. Then fog.
uniform sampler2DShadow shadow_map;

const vec3 sun_color = vec3(0.80, 0.76, 0.70);
const vec3 sky_light = vec3(0.36, 0.39, 0.44);
const vec3 bounce_light = vec3(0.20, 0.19, 0.18);
const float fill_light = 0.16;

// Share of the sun that arrives. The place is moved out along the normal by about a texel, the more the
// flatter the sun falls in: no spots on what is lit, and still shadows that begin where things touch.
float sunlight(vec3 p, vec3 n, float facing)
{
    float away = dot(light_rows[3], vec4(p, 1)); // 1 where the light is parallel
    if (away <= 0.0) return 1.0;
    vec3 from = p + n * (sizes.x * away * (0.4 + 1.6 * sqrt(max(0.0, 1.0 - facing * facing))));
    vec3 at = vec3(dot(light_rows[0], vec4(from, 1)), dot(light_rows[1], vec4(from, 1)),
                   dot(light_rows[2], vec4(from, 1))) / dot(light_rows[3], vec4(from, 1));
    at.z = min(at.z, 1.0);
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

uniform vec4 surface; // strength of highlights, their exponent, emission, metallic

// Light on a surface, and its highlight.
struct Light { vec3 diffuse, shine; };

float highlight(vec3 n, vec3 view, vec3 to)
{
    float shine = max(dot(n, normalize(view + to)), 0.0);
#ifdef MATERIALS
    return pow(shine, surface.y);
#else
    shine *= shine; // to the power of 32
    shine *= shine;
    shine *= shine;
    shine *= shine;
    return shine * shine;
#endif
}

float shadow_of(vec3 p, vec3 n, float facing, bool shadowed)
{
    if (facing <= 0.0) return 0.0;
    return shadowed && sun.w > 0.0 ? sunlight(p, n, facing) : 1.0;
}

#ifndef LIGHTS
Light own_light(vec3 p, vec3 n, vec3 view, float open, bool shadowed)
{
    float facing = dot(n, sun.xyz), lit = shadow_of(p, n, facing, shadowed);
    vec3 soft = mix(bounce_light, sky_light, 0.5 + 0.5 * n.z) * open;
    soft += fill_light * max(dot(n, fill.xyz), 0.0);
    return Light(soft + sun_color * (lit * max(facing, 0.0)),
                 0.32 * sun_color * (lit * highlight(n, view, sun.xyz)));
}
#endif

#ifdef LIGHTS
// MJCF's numbers are for a renderer that adds light as the screen's values (sRGB): their sum becomes
// linear here. Textures get at most white from all lights together that throw no shadow, as there.
Light model_light(vec3 p, vec3 n, vec3 view, float open, bool textured, bool shadowed)
{
    Light sum = Light(vec3(0), vec3(0));
    vec3 steady = ambient.rgb * open;
    for (int i = 0; i < int(ambient.w); i++) {
        vec3 to = light_from[i].xyz - light_from[i].w * p;
        float away = max(length(to), 1e-9), share = 1.0;
        to /= away;
        if (light_from[i].w > 0.0) share /= max(dot(light_fade[i].xyz, vec3(1, away, away * away)), 1e-6);
        if (light_axis[i].w > -1.0) { // a cone, with a soft rim
            float c = dot(-to, light_axis[i].xyz), rim = light_axis[i].w;
            share *= pow(max(c, 0.0), light_diffuse[i].w) * smoothstep(rim, mix(rim, 1.0, 0.05), c);
        }
        float facing = dot(n, to);
        if (share <= 0.0 || facing <= 0.0) continue;
        share *= shadow_of(p, n, facing, shadowed && light_specular[i].w > 1.5);
        vec3 diffuse = light_diffuse[i].rgb * (share * facing);
        if (light_specular[i].w > 0.0) sum.diffuse += diffuse;
        else steady += diffuse;
        sum.shine += light_specular[i].rgb * (share * highlight(n, view, to));
    }
    if (textured) steady = min(steady, vec3(1));
    sum.diffuse = pow(sum.diffuse + steady, vec3(2.2));
    return sum;
}
#endif

// Lights of models may add up to more than white: bright parts approach it slowly.
vec3 below_white(vec3 c)
{
#ifndef LIGHTS
    return min(c, vec3(1));
#endif
    return mix(c, 1.0 - 0.25 * exp(-(c - 0.75) / 0.25), step(0.75, c));
}

// `picture`: of a texture, white without one. `n` has length 1 and points to the viewer's side.
vec3 shade(vec3 albedo, vec3 picture, vec3 p, vec3 n, float gloss, bool shadowed)
{
    float distance = length(p);
    vec3 view = -p / max(distance, 1e-30);
    float open = 1.0; // what of the sky is seen: less close above the ground, less looking down
    if (sizes.y > 0.0) {
        float height = dot(ground.xyz, p) + ground.w;
        float away = clamp(height / sizes.y, 0.0, 1.0);
        open = mix(1.0, 0.45 + 0.55 * away, clamp(0.75 - 0.75 * dot(n, ground.xyz), 0.0, 1.0));
    }
#ifdef LIGHTS
    Light light = model_light(p, n, view, open, picture != vec3(1), shadowed);
#else
    Light light = own_light(p, n, view, open, shadowed);
#endif
#ifndef MATERIALS
    return in_fog(albedo * light.diffuse + 0.5 * gloss * light.shine, distance);
#endif
    float metal = surface.w;
    albedo *= picture;
    vec3 result = albedo * (light.diffuse * (1.0 - 0.8 * metal) + surface.z);
    result += gloss * surface.x * light.shine * mix(vec3(1), albedo, metal);
    if (metal > 0.0) result += 0.8 * metal * albedo * sky_color(reflect(-view, n));
    return in_fog(result, distance);
}
