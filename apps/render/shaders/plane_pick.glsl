uniform vec3 forward;
uniform uint plane_id;
out uvec2 result;

void main()
{
    vec3 p;
    if (!meet_plane(p)) discard;
    result = uvec2(plane_id, floatBitsToUint(dot(p, forward)));
}
