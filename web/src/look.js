// look.js: light, colours and sizes of the picture: the numbers of the native renderer (apps/render: light.glsl, renderer.c,
// shadow.c, signs.c, camera.c), so that a replay looks like a picture made by "tenon render". Colours of light and sky are
// linear.

export const look = {
  sunDirection: [-0.37139068, -0.55708601, 0.74278135], // towards the sun
  sunColor: [0.80, 0.76, 0.70],
  skyLight: [0.36, 0.39, 0.44],
  bounceLight: [0.20, 0.19, 0.18],
  fillLight: 0.16,
  fillDirection: [-0.5, 0.3, 1], // in the camera's axes
  intensity: Math.PI, // three.js spreads light over a half sphere: this lights a surface as fully as 1 does there
  shininess: 32,
  gloss: 0.16 / 4.25, // three.js scales a highlight by (shininess / 2 + 1) / 4
  skyTop: [0.22, 0.40, 0.68],
  skyHorizon: [0.76, 0.83, 0.90],
  skyBelow: [0.30, 0.32, 0.35],
  contact: [0.98, 0.78, 0.10], // sRGB, as all below
  force: [0.90, 0.16, 0.16],
  joint: [0.10, 0.65, 0.85],
  axes: [[0.88, 0.18, 0.18], [0.20, 0.70, 0.25], [0.20, 0.38, 0.92]],
  selected: [1.0, 0.62, 0.10],
  goal: [0.20, 0.72, 0.30],
  // degrees; the free camera where the model says nothing
  azimuth: 125,
  elevation: -22,
  fovy: 45,
  filledShare: 0.9, // of the picture that the scene may fill
};
