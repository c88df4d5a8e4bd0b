// The ground and other planes: a checker and thin lines, smoothed by their size on the screen so that
// they never flicker, and gone in the distance.
uniform vec4 plane_color;
uniform vec3 grid_u, grid_v; // axes in the plane, 1 / m per cell; 0 without a grid
uniform vec2 grid_start;     // cell at the eye, modulo ten
uniform int tex_mode;        // 3: a texture, in place of the checker
uniform sampler2D flat_picture;
uniform vec3 tex_u, tex_v;   // places in it, per m along the plane
uniform vec2 tex_start;      // at the eye
uniform float mirrored;      // share of the reflection
uniform float has_mirror;    // 1: things are in it, too
uniform sampler2D mirror;
out vec4 result;

// Mean over a pixel of width w of a stripe that is 1 in even cells and -1 in odd ones.
vec2 stripe(vec2 cell, vec2 w)
{
    vec2 a = abs(fract((cell - 0.5 * w) * 0.5) - 0.5), b = abs(fract((cell + 0.5 * w) * 0.5) - 0.5);
    return 2.0 * (a - b) / w;
}

// Share of a pixel of width w that lies in lines of width `line` at whole numbers.
float lines(vec2 cell, vec2 w, float line)
{
    vec2 a = cell + 0.5 * (w + line), b = cell - 0.5 * (w - line);
    vec2 cover = (floor(a) + min(fract(a) / line, 1.0) - floor(b) - min(fract(b) / line, 1.0)) * line / w;
    cover = clamp(cover, 0.0, 1.0);
    return cover.x + cover.y - cover.x * cover.y;
}

void main()
{
    vec3 p;
    vec3 n = plane_offset > 0.0 ? -plane_normal : plane_normal; // towards the eye
    if (!meet_plane(p)) {
        result = vec4(fog.w > 0.0 ? fog.rgb : plane_color.rgb * 0.5, plane_color.a);
        return;
    }
    vec3 albedo = plane_color.rgb;
    vec2 cell = vec2(dot(grid_u, p), dot(grid_v, p)) + grid_start;
    // Derivatives of the ray's hit, not of neighbours: exact up to the horizon.
    vec3 ray = pixel_ray(gl_FragCoord.xy);
    float rate = dot(plane_normal, ray), t = plane_offset / rate;
    vec3 dx = t * (ray_x.xyz - ray * (dot(plane_normal, ray_x.xyz) / rate));
    vec3 dy = t * (ray_y.xyz - ray * (dot(plane_normal, ray_y.xyz) / rate));
    vec2 w = abs(vec2(dot(grid_u, dx), dot(grid_v, dx))) + abs(vec2(dot(grid_u, dy), dot(grid_v, dy)));
    if (w.x + w.y > 0.0) {
        w = max(w, vec2(1e-4));
        float coarse = max(w.x, w.y);
        if (coarse < 2.0) {
            vec2 s = stripe(cell, w);
            albedo *= 1.0 + 0.055 * s.x * s.y * (1.0 - smoothstep(0.5, 2.0, coarse));
        }
        if (coarse < 20.0) {
            float thin = lines(cell * 0.1, w * 0.1, 0.0035);
            albedo *= 1.0 - 0.35 * thin * (1.0 - smoothstep(5.0, 20.0, coarse));
        }
    }
    vec3 image = vec3(1);
#ifdef PICTURES
    if (tex_mode > 0) // derivatives as above; the horizon gets the mean of the picture
        image = textureGrad(flat_picture, vec2(dot(tex_u, p), dot(tex_v, p)) + tex_start,
                              vec2(dot(tex_u, dx), dot(tex_v, dx)), vec2(dot(tex_u, dy), dot(tex_v, dy))).rgb;
#endif
    vec3 lit = shade(albedo, image, p, n, 0.0, true);
#ifdef MATERIALS
    if (mirrored > 0.0) {
        vec4 seen = has_mirror > 0.0 ? texelFetch(mirror, ivec2(gl_FragCoord.xy), 0) : vec4(0);
        vec3 other = mix(sky_color(reflect(normalize(ray), n)), seen.rgb, seen.a);
        lit = mix(lit, in_fog(other, length(p)), mirrored);
    }
#endif
    result = vec4(below_white(lit), plane_color.a);
}
