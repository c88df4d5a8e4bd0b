// A plane: four corners, or, where it is endless, its point below the eye and four directions at
// infinity. Drawn as a fan.
uniform mat4 clip_from_eye;
uniform vec4 corners[6]; // w = 0: a direction

void main() { gl_Position = clip_from_eye * corners[gl_VertexID]; }
