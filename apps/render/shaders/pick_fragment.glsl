// What is here, and how far away along the viewing direction.
uniform vec3 forward;
uniform float least_alpha; // what is clearer is not there

in vec3 place;
in vec4 color;
flat in uint id;

out uvec2 result;

void main()
{
    if (color.a < least_alpha) discard;
    result = uvec2(id & 0x7fffffffu, floatBitsToUint(dot(place, forward)));
}
