// stage.js: light, sky, ground and the drawing itself. Everything is in the recording's axes: z is up.
import {
  AmbientLight, BackSide, Color, DirectionalLight, DoubleSide, FogExp2, HemisphereLight, LinearSRGBColorSpace, Mesh,
  MeshLambertMaterial, PCFShadowMap, PerspectiveCamera, PlaneGeometry, PointLight, Quaternion, Scene, ShaderMaterial, SphereGeometry, SpotLight, SRGBColorSpace, Vector3, WebGLRenderer,
} from 'three';
import { look } from './look.js';
import { dress, textureMode } from './looks.js';

const linear = ([r, g, b]) => new Color().setRGB(r, g, b, LinearSRGBColorSpace);

// Lightest at the horizon. Drawn behind everything, and only where nothing else is.
function makeSky(box, horizon) {
  const material = new ShaderMaterial({
    side: BackSide,
    depthWrite: false,
    uniforms: {
      zenith: { value: linear(look.skyTop) },
      horizon: { value: horizon },
      box: { value: box },
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
      ${box ? 'uniform samplerCube box;' : ''}
      varying vec3 direction;
      void main() {
        float up = normalize(direction).z;
        float share = 1.0 - exp(-abs(up) * (up > 0.0 ? 2.6 : 5.0));
        gl_FragColor = vec4(mix(horizon, up > 0.0 ? zenith : below, share), 1.0);
        ${box ? 'gl_FragColor.rgb = texture(box, direction.xzy * vec3(1.0, 1.0, -1.0)).rgb;' : ''}
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

// The mean colour of the middle rows of a sky's four sides.
function meanOf(cube) {
  const sum = [0, 0, 0];
  for (const side of [0, 1, 4, 5]) {
    const { data, width, height } = cube.images[side].image;
    const row = Math.floor(height / 2) * width * 4;
    for (let i = 0; i < width; i++) for (let k = 0; k < 3; k++) sum[k] += data[row + i * 4 + k] / width / 4 / 255;
  }
  return new Color().setRGB(...sum, SRGBColorSpace);
}

export class Stage {
  constructor(canvas, bounds, recording) {
    const { extent } = recording.head.view; // m, of what the model says should be seen; may be missing
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false; // only when something moved: see draw
    this.scene = new Scene();
    this.recording = recording;
    this.bounds = bounds;
    this.camera = new PerspectiveCamera(45, 1, bounds.radius / 100, bounds.radius * 100);
    this.camera.up.set(0, 0, 1);
    this.cell = roundDown((extent || bounds.startRadius) / 3);
    this.scene.fog = new FogExp2(0, 0);
    const sky = (recording.head.textures || []).findIndex(({ type }) => type === 'skybox');
    const { haze } = recording.head;
    const horizon = haze ? new Color().setRGB(...haze, SRGBColorSpace)
      : sky >= 0 ? meanOf(recording.pictures[sky]) : linear(look.skyHorizon);
    this.scene.fog.color.copy(horizon);
    this.scene.add(makeSky(recording.pictures[sky], horizon));
    this.lights = [];
    if (recording.head.lights?.length) this.addModelLights();
    else this.addLights();
  }

  // The lights of the model, with the one at the camera. The brightest sun, else the first lamp, throws shadows.
  addModelLights() {
    const { lights, headlight } = this.recording.head;
    const ambient = [...lights, headlight].reduce(
      (sum, light) => sum.map((value, k) => value + (light ? light.ambient[k] : 0)), [0, 0, 0]);
    this.scene.add(new AmbientLight(linear(ambient), look.intensity), this.camera);
    if (headlight) {
      const front = new DirectionalLight(linear(headlight.diffuse), look.intensity);
      front.position.set(0, 0, 1);
      front.target.position.set(0, 0, 0);
      this.camera.add(front, front.target);
    }
    const rank = ({ type, shadow, diffuse }) => (shadow ? (type === 'sun' ? 10 : 0) + Math.max(...diffuse) : -1);
    const best = lights.reduce((a, b) => (rank(b) > rank(a) ? b : a));
    for (const light of lights.slice(0, 8)) {
      const color = linear(light.diffuse);
      const lamp = light.type === 'sun' ? new DirectionalLight(color, look.intensity)
        : light.type === 'point' ? new PointLight(color, look.intensity, 0, 0)
          : new SpotLight(color, look.intensity, 0, Math.min(light.cutoff, Math.PI / 2),
            Math.min(light.exponent / 10, 1), 0); // three.js fades cones at their rim, MJCF by a power
      this.scene.add(lamp);
      if (lamp.target) this.scene.add(lamp.target);
      if (light === best && light.shadow) this.castShadow(lamp);
      this.lights.push({ lamp, light });
    }
  }

  castShadow(lamp) {
    const { radius } = this.bounds;
    lamp.castShadow = true;
    lamp.shadow.mapSize.set(2048, 2048);
    lamp.shadow.bias = -0.0005;
    lamp.shadow.normalBias = ((radius * 2.2) / 2048) * 1.5;
    const eye = lamp.shadow.camera;
    if (lamp.isDirectionalLight) {
      eye.left = eye.bottom = -radius * 1.1;
      eye.right = eye.top = radius * 1.1;
    }
    eye.near = radius * 0.02;
    eye.far = radius * 8;
    this.sun = lamp;
  }

  // `poses`: 7 numbers of each body.
  placeLights(poses) {
    const placed = new Vector3();
    const aim = new Vector3();
    const turn = new Quaternion();
    for (const { lamp, light } of this.lights) {
      const at = light.body * 7;
      placed.fromArray(light.pos);
      aim.fromArray(light.dir);
      if (light.mode !== 'track') {
        turn.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]);
        placed.applyQuaternion(turn);
        aim.applyQuaternion(turn);
      }
      placed.add(new Vector3(poses[at], poses[at + 1], poses[at + 2]));
      if (light.mode === 'target') aim.fromArray(poses, light.target * 7).sub(placed).normalize();
      if (light.type === 'sun') placed.copy(this.bounds.center).addScaledVector(aim, -3 * this.bounds.radius);
      lamp.position.copy(placed);
      if (lamp.target) lamp.target.position.copy(placed).addScaledVector(aim, 3 * this.bounds.radius);
    }
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

  // A plane of a body: half lengths, 0 is endless; its material, which may be missing.
  addPlane(rgb, alpha, halfX, halfY, own) {
    const endless = this.bounds.radius * 60;
    const color = new Color().setRGB(...rgb, SRGBColorSpace);
    const mesh = new Mesh(new PlaneGeometry(2 * (halfX || endless), 2 * (halfY || endless)),
      this.planeMaterial(color, own, [halfX || endless, halfY || endless], !halfX || !halfY));
    if (alpha < 1) Object.assign(mesh.material, { transparent: true, opacity: alpha, depthWrite: false });
    mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    return mesh;
  }

  planeMaterial(color, own, half, endless) {
    const { recording } = this;
    const mode = textureMode(recording, own, false);
    const flat = mode === 2 || mode === 3;
    // an endless plane's texture begins half a picture beside the origin, any other's in its corner
    const unit = endless && flat ? [...own.repeat, 1] : [1 / half[0], 1 / half[1], 1];
    const material = flat ? new MeshLambertMaterial({ color, side: DoubleSide }) : groundMaterial(color, this.cell);
    return dress(material, {
      mode: flat ? (endless ? 3 : mode) : 0, texture: flat ? recording.pictures[own.texture] : null, repeat: own?.repeat, unit,
      emission: own?.emission, modelLights: this.lights.length > 0,
    });
  }

  // No graphics card: every pixel costs.
  drawsInSoftware() {
    const gl = this.renderer.getContext();
    const details = gl.getExtension('WEBGL_debug_renderer_info');
    const name = gl.getParameter(details ? details.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
  }

  setShadows(on) { if (this.sun) this.sun.castShadow = on; }

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
