// For the shadow map: only depth counts.
void main() {}
