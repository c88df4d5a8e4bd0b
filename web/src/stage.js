// stage.js: light, sky, ground and the drawing itself. Everything is in the recording's axes: z is up.
import {
  BackSide, Color, DirectionalLight, DoubleSide, FogExp2, HemisphereLight, LinearSRGBColorSpace, Mesh,
  MeshLambertMaterial, PCFShadowMap, PerspectiveCamera, PlaneGeometry, Scene, ShaderMaterial, SphereGeometry, SRGBColorSpace, Vector3, WebGLRenderer,
} from 'three';
import { look } from './look.js';

const linear = ([r, g, b]) => new Color().setRGB(r, g, b, LinearSRGBColorSpace);

// Lightest at the horizon. Drawn behind everything, and only where nothing else is.
function makeSky() {
  const material = new ShaderMaterial({
    side: BackSide,
    depthWrite: false,
    uniforms: {
      zenith: { value: linear(look.skyTop) },
      horizon: { value: linear(look.skyHorizon) },
      below: { value: linear(look.skyBelow) },
    },
    vertexShader: `
      varying vec3 direction;
      void main() {
        direction = position;
        vec4 place = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
        gl_Position = place.xyww;
      }`,
    fragmentShader: `
      uniform vec3 zenith, horizon, below;
      varying vec3 direction;
      void main() {
        float up = normalize(direction).z;
        float share = 1.0 - exp(-abs(up) * (up > 0.0 ? 2.6 : 5.0));
        gl_FragColor = vec4(mix(horizon, up > 0.0 ? zenith : below, share), 1.0);
        #include <colorspace_fragment>
      }`,
  });
  const sky = new Mesh(new SphereGeometry(1, 24, 16), material);
  sky.frustumCulled = false;
  sky.renderOrder = 1; // after the solid things, before the clear ones
  return sky;
}

// The ground: lit and shadowed as usual, with a faint checker and thin lines drawn by the shader, smoothed by their
// size on the screen and gone in the distance.
function groundMaterial(color, cell) {
  const material = new MeshLambertMaterial({ color, side: DoubleSide });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.cell = { value: cell };
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec2 groundPlace;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\ngroundPlace = position.xy;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>
        varying vec2 groundPlace;
        uniform float cell;
        // Mean over a pixel of width w of a stripe that is 1 in even cells and -1 in odd ones.
        vec2 stripe(vec2 at, vec2 w) {
          vec2 a = abs(fract((at - 0.5 * w) * 0.5) - 0.5), b = abs(fract((at + 0.5 * w) * 0.5) - 0.5);
          return 2.0 * (a - b) / w;
        }
        // Share of a pixel of width w in lines at whole numbers, as wide as a pixel and a half.
        float lines(vec2 at, vec2 w) {
          vec2 ink = clamp(1.25 - abs(fract(at - 0.5) - 0.5) / w, 0.0, 1.0);
          return max(ink.x, ink.y);
        }`)
      .replace('#include <color_fragment>', `#include <color_fragment>
        vec2 at = groundPlace / cell;
        vec2 w = max(fwidth(at), vec2(1e-4));
        float coarse = max(w.x, w.y);
        vec2 s = stripe(at, w);
        diffuseColor.rgb *= 1.0 + 0.055 * s.x * s.y * (1.0 - smoothstep(0.5, 2.0, coarse));
        diffuseColor.rgb *= 1.0 - 0.30 * lines(at * 0.1, w * 0.1) * (1.0 - smoothstep(0.5, 2.0, coarse));`);
  };
  return material;
}

// 1, 2 or 5 times a power of ten, not above the value.
export function roundDown(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const digits = value / power;
  return (digits >= 5 ? 5 : digits >= 2 ? 2 : 1) * power;
}

export class Stage {
  // `extent`: m, of what the model says should be seen; may be missing
  constructor(canvas, bounds, extent) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false; // only when something moved: see draw
    this.scene = new Scene();
    this.bounds = bounds;
    this.camera = new PerspectiveCamera(45, 1, bounds.radius / 100, bounds.radius * 100);
    this.camera.up.set(0, 0, 1);
    this.cell = roundDown((extent || bounds.startRadius) / 3);
    this.scene.fog = new FogExp2(0, 0);
    this.scene.fog.color.copy(linear(look.skyHorizon));
    this.scene.add(makeSky());
    this.addLights();
  }

  addLights() {
    const { center, radius } = this.bounds;
    const sky = new HemisphereLight(0, 0, look.intensity);
    sky.color.copy(linear(look.skyLight));
    sky.groundColor.copy(linear(look.bounceLight));
    sky.position.set(0, 0, 1);
    const sun = new DirectionalLight(linear(look.sunColor), look.intensity);
    const from = new Vector3(...look.sunDirection).normalize();
    sun.position.copy(center).addScaledVector(from, radius * 3);
    sun.target.position.copy(center);
    sun.castShadow = true;
    const eye = sun.shadow.camera;
    eye.left = eye.bottom = -radius * 1.1;
    eye.right = eye.top = radius * 1.1;
    eye.near = radius * 0.5;
    eye.far = radius * 8;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.radius = 1.5;
    sun.shadow.bias = -0.0002;
    sun.shadow.normalBias = ((radius * 2.2) / 2048) * 1.5;
    const fill = new DirectionalLight(0xffffff, look.fillLight * look.intensity);
    fill.position.set(...look.fillDirection);
    fill.target.position.set(0, 0, 0);
    this.camera.add(fill, fill.target);
    this.sun = sun;
    this.scene.add(sky, sun, sun.target, this.camera);
  }

  // A plane of a body: half lengths, 0 is endless.
  addPlane(rgb, alpha, halfX, halfY) {
    const endless = this.bounds.radius * 60;
    const color = new Color().setRGB(...rgb, SRGBColorSpace);
    const mesh = new Mesh(new PlaneGeometry(2 * (halfX || endless), 2 * (halfY || endless)),
      groundMaterial(color, this.cell));
    if (alpha < 1) Object.assign(mesh.material, { transparent: true, opacity: alpha, depthWrite: false });
    mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    return mesh;
  }

  // No graphics card: every pixel costs.
  drawsInSoftware() {
    const gl = this.renderer.getContext();
    const details = gl.getExtension('WEBGL_debug_renderer_info');
    const name = gl.getParameter(details ? details.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
  }

  setShadows(on) { this.sun.castShadow = on; }

  // `share` below 1 draws fewer pixels, for machines that are slow.
  resize(width, height, share) {
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2) * share);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  draw(moved) {
    if (moved) this.renderer.shadowMap.needsUpdate = true;
    const { position } = this.camera;
    const away = Math.max(position.distanceTo(this.bounds.center), 2 * this.bounds.radius, position.z);
    this.scene.fog.density = 1 / (10 * away);
    this.renderer.render(this.scene, this.camera);
  }
}
