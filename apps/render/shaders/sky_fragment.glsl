// What is behind everything.
out vec4 result;

void main() { result = vec4(sky_color(pixel_ray(gl_FragCoord.xy)), 1); }
