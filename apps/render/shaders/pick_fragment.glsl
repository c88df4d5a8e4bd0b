// What is here, and how far away along the viewing direction.
uniform vec3 forward;

in vec3 place;
flat in uint id;

out uvec2 result;

void main() { result = uvec2(id & 0x7fffffffu, floatBitsToUint(dot(place, forward))); }
