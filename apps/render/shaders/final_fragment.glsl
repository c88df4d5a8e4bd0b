// From linear light to the screen's sRGB, with a fine pattern against bands in the sky.
uniform sampler2D picture;
out vec4 result;

void main()
{
    vec3 c = clamp(texelFetch(picture, ivec2(gl_FragCoord.xy), 0).rgb, 0.0, 1.0);
    vec3 bright = 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055;
    vec3 code = mix(bright, 12.92 * c, lessThan(c, vec3(0.0031308)));
    // One of sixteen steps of a last digit, in the order of a Bayer matrix.
    ivec2 at = ivec2(gl_FragCoord.xy), mixed = ivec2(at.x ^ at.y, at.y);
    int order = ((mixed.x & 1) << 3) | ((mixed.y & 1) << 2) | (mixed.x & 2) | ((mixed.y & 2) >> 1);
    float noise = (float(order) + 0.5) / 16.0;
    result = vec4(code + (noise - 0.5) / 255.0, 1);
}
