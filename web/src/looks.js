// looks.js: textures and materials of the model, and what its lights need in the shaders. Numbers are those of the
// native renderer (apps/render: looks.c, light.glsl, shape_vertex.glsl), less reflections.
import {
  ClampToEdgeWrapping, CubeTexture, DataTexture, LinearFilter, LinearMipmapLinearFilter, MeshPhongMaterial,
  RepeatWrapping, RGBAFormat, SRGBColorSpace, UnsignedByteType,
} from 'three';
import { look } from './look.js';

function readPixels(deltas, start, count) {
  const pixels = new Uint8Array((count / 3) * 4);
  const last = [0, 0, 0];
  for (let i = 0, to = 0; i < count; i += 3, to += 4) {
    for (let k = 0; k < 3; k++) pixels[to + k] = last[k] = (last[k] + deltas[start + i + k]) & 255;
    pixels[to + 3] = 255;
  }
  return pixels;
}

function makeImage(pixels, width, height) {
  const image = new DataTexture(pixels, width, height, RGBAFormat, UnsignedByteType);
  image.colorSpace = SRGBColorSpace;
  return image;
}

function finish(texture, wrapping) {
  Object.assign(texture, {
    colorSpace: SRGBColorSpace, generateMipmaps: true, minFilter: LinearMipmapLinearFilter, magFilter: LinearFilter,
    wrapS: wrapping, wrapT: wrapping, flipY: false, anisotropy: 4, needsUpdate: true,
  });
  return texture;
}

// All textures of the recording: three's own objects. Recordings before format 1.5 have none.
export function readTextures(recording) {
  let start = 0;
  return (recording.head.textures || []).map(({ type, width, height }) => {
    const flat = type === '2d';
    const count = 3 * width * height * (flat ? 1 : 6);
    const pixels = readPixels(recording.textures, start, count);
    start += count;
    if (flat) return finish(makeImage(pixels, width, height), RepeatWrapping);
    const face = 4 * width * height;
    const faces = [0, 1, 2, 3, 4, 5].map((i) => makeImage(pixels.slice(i * face, (i + 1) * face), width, height));
    return finish(Object.assign(new CubeTexture(faces), { format: RGBAFormat }), ClampToEdgeWrapping);
  });
}

// How a texture is laid on a shape: 0 none, 1 by the mesh's coordinates, 2 and 3 flat over the shape and per 2 m, 4 and
// 5 cubes around them.
export function textureMode(recording, material, textured) {
  if (!material || material.texture < 0) return 0;
  if (recording.head.textures[material.texture].type !== '2d') return material.uniform ? 5 : 4;
  return textured ? 1 : material.uniform ? 3 : 2;
}

const placeOf = `
  varying vec3 picturePlace;
  uniform vec2 pictureRepeat;
  uniform vec3 pictureUnit;`;
const placeCode = {
  1: 'picturePlace = vec3(pictureUv * pictureRepeat, 0.0);',
  2: 'picturePlace = vec3(0.5 * pictureRepeat * (1.0 + pictureUnit.xy * position.xy * vec2(1, -1)), 0.0);',
  3: 'picturePlace = vec3(0.5 * pictureRepeat * pictureScale.xy * (1.0 / pictureUnit.xy + position.xy * vec2(1, -1)), 0.0);',
  4: 'picturePlace = position * pictureUnit;',
  5: 'picturePlace = position * pictureScale;',
};

// Adds a texture, emission and the sum of the model's lights to one of three's materials.
export function dress(material, { mode = 0, texture, repeat = [1, 1], unit = [1, 1, 1], emission = 0, modelLights }) {
  const shown = { value: 1 };
  if (mode) material.defines = { ...material.defines, PICTURE: mode };
  const before = material.onBeforeCompile;
  material.customProgramCacheKey = () => `${mode} ${emission > 0} ${modelLights} ${before}`;
  material.onBeforeCompile = (shader, renderer) => {
    before.call(material, shader, renderer);
    Object.assign(shader.uniforms, {
      picture: { value: texture }, pictureRepeat: { value: repeat }, pictureUnit: { value: unit },
      pictureShown: shown, ownEmission: { value: emission },
    });
    const kind = mode > 3 ? 'samplerCube' : 'sampler2D';
    if (mode) {
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', `#include <common>${placeOf}\n${mode === 1 ? 'attribute vec2 pictureUv;' : ''}`)
        .replace('#include <begin_vertex>', `#include <begin_vertex>
          vec3 pictureScale = vec3(1.0);
          #ifdef USE_INSTANCING
            for (int k = 0; k < 3; k++) pictureScale[k] = length(instanceMatrix[k].xyz);
          #endif
          ${placeCode[mode]}`);
    }
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>
        uniform float ownEmission;
        ${mode ? `varying vec3 picturePlace; uniform ${kind} picture; uniform float pictureShown;` : ''}
        // Lights of models may add up to more than white: bright parts approach it slowly.
        vec3 belowWhite(vec3 c) { return mix(c, 1.0 - 0.25 * exp(-(c - 0.75) / 0.25), step(0.75, c)); }`)
      .replace('#include <emissivemap_fragment>', `#include <emissivemap_fragment>
        vec3 image = vec3(1.0);
        ${mode ? `image = mix(image, texture(picture, picturePlace${mode > 3 ? '' : '.xy'}).rgb, pictureShown);` : ''}
        diffuseColor.rgb *= image;
        totalEmissiveRadiance += ownEmission * diffuseColor.rgb;`);
    if (!modelLights) return;
    // MJCF's numbers add up as values of the screen: their sum becomes linear here.
    shader.fragmentShader = shader.fragmentShader
      .replace(/#include <lights_(phong|lambert)_fragment>/, '$&\nmaterial.diffuseColor = vec3(1.0);')
      .replace('#include <lights_fragment_end>', `#include <lights_fragment_end>
        reflectedLight.directDiffuse =
          pow(reflectedLight.directDiffuse + reflectedLight.indirectDiffuse, vec3(2.2)) * diffuseColor.rgb;
        reflectedLight.indirectDiffuse = vec3(0.0);`)
      .replace('#include <opaque_fragment>', 'outgoingLight = belowWhite(outgoingLight);\n#include <opaque_fragment>');
  };
  material.showTexture = (on) => { shown.value = on ? 1 : 0; };
  return material;
}

// The material of a shape; `own` is one of the recording's or undefined.
export function makeMaterial(recording, own, alpha, { textured = false, unit } = {}) {
  const clear = alpha < 1;
  const shininess = own ? 1 + 127 * own.shininess : look.shininess;
  const material = new MeshPhongMaterial({ shininess, transparent: clear, opacity: alpha, depthWrite: !clear });
  // three.js scales a highlight by (shininess / 2 + 1) / 4
  material.specular.setScalar(own ? (0.32 * own.specular) / ((shininess / 2 + 1) / 4) : look.gloss);
  if (own) material.color.setScalar(1 - 0.4 * own.metallic);
  return dress(material, {
    mode: textureMode(recording, own, textured), texture: recording.pictures[own ? own.texture : -1], repeat: own?.repeat,
    unit, emission: own?.emission, modelLights: recording.head.lights?.length > 0,
  });
}
