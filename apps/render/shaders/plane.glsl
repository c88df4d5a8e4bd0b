// Where a pixel's ray meets the plane; false beyond the horizon.
uniform vec3 plane_normal;
uniform float plane_offset; // dot(plane_normal, any of its points)

bool meet_plane(out vec3 p)
{
    vec3 ray = pixel_ray(gl_FragCoord.xy);
    float rate = dot(plane_normal, ray);
    float t = plane_offset / (abs(rate) > 1e-12 ? rate : 1e-12);
    p = ray * t;
    return t > 0.0 && t < 1e12;
}
