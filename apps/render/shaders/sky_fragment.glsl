// Lightest at the horizon, bluer above, greyer below.
out vec4 result;

void main()
{
    vec3 color = fog.rgb;
    if (zenith.w > 0.0) {
        float up = normalize(pixel_ray(gl_FragCoord.xy)).z;
        vec3 end = up > 0.0 ? zenith.rgb : below.rgb;
        float share = 1.0 - exp(-abs(up) * (up > 0.0 ? 2.6 : 5.0));
        color = mix(fog.rgb, end, share);
    }
    result = vec4(color, 1);
}
