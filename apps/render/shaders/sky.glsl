// The sky in a direction: lightest at the horizon, bluer above, greyer below; or the model's own.
#ifdef SKY_BOX
uniform samplerCube sky_box;
#endif

vec3 sky_color(vec3 direction)
{
#ifdef SKY_BOX
    if (zenith.w > 1.5) return texture(sky_box, direction.xzy * vec3(1, 1, -1)).rgb;
#endif
    if (zenith.w == 0.0) return fog.rgb;
    float up = normalize(direction).z;
    float share = 1.0 - exp(-abs(up) * (up > 0.0 ? 2.6 : 5.0));
    return mix(fog.rgb, up > 0.0 ? zenith.rgb : below.rgb, share);
}
