// What all programs share. setup.c puts the version in front, and what the scene needs: LIGHTS of its own, MATERIALS,
// PICTURES on shapes, a SKY_BOX; the rest is not compiled, since software would run it for every pixel.
//
// Places are in metres in the world's axes, seen from the eye: the eye is the origin, so that a scene far from the world's
// origin loses no digits. Colours are linear.
layout(std140) uniform Scene {
    vec4 light_rows[4]; // place → shadow map (x, y, depth, each 0 to 1, times w) and w
    vec4 sun;           // towards it; w: 1 with shadows, 0 without
    vec4 fill;          // towards the soft light beside the camera
    vec4 fog;           // colour; w: 1 / distance, 0 without
    vec4 zenith;        // colour; w: 1 with a sky, 0 with a plain background
    vec4 below;         // colour of the sky under the horizon
    vec4 ground;        // plane that darkens what is close to it: normal, height of the eye above it
    vec4 sizes;         // m: texel of the shadow map; reach of the ground's darkening (0: none)
    vec4 ray_base, ray_x, ray_y; // direction through a pixel: base + x ray_x + y ray_y
    vec4 ambient; // of the model's lights; w: their number, 0: tenon's own sun and sky
    vec4 light_from[8];     // place; w = 0: direction towards it
    vec4 light_axis[8];     // direction that it shines in; w: cosine of the cone, -1: no cone
    vec4 light_diffuse[8];  // w: exponent of the cone
    vec4 light_specular[8]; // w: 1 where it may throw shadows, 2 where it does
    vec4 light_fade[8];     // with the distance
};

vec3 pixel_ray(vec2 pixel) { return ray_base.xyz + pixel.x * ray_x.xyz + pixel.y * ray_y.xyz; }
