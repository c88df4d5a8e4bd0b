/** A file's content. */
export type Data = string | Uint8Array | ArrayBuffer;
export type Vector = [number, number, number];

export interface Options {
  /** URDF: the root link moves freely; default: it is fixed to the world. */
  freeBase?: boolean;
  /** Asked for files that were not given; undefined: there is none. Paths have no leading slash. */
  read?: (path: string) => Uint8Array | undefined;
  /** Takes what the engine prints, line by line. */
  say?: (line: string) => void;
}

export interface Body { name: string; mass: number; moves: boolean }
export interface Joint {
  name: string;
  type: 'free' | 'ball' | 'hinge' | 'slide';
  body: number;
  /** Where its numbers begin in qpos and qvel. */
  qpos: number;
  dof: number;
  /** m or rad; missing where it is not limited. */
  range?: [number, number];
}
/** The range is missing where its control is not limited. */
export interface Actuator { name: string; range?: [number, number] }
/** A cable's segments are bodies that follow each other. */
export interface Cable { name: string; body: number; segments: number }

/** Numbers count from 0; body 0 is the world. */
export interface Model {
  name: string;
  /** s */
  timestep: number;
  /** m/s² */
  gravity: Vector;
  tolerance: number;
  /** kg, of all that moves */
  totalMass: number;
  bodies: Body[];
  geoms: string[];
  joints: Joint[];
  cables: Cable[];
  actuators: Actuator[];
  sensors: string[];
  keys: string[];
}

export interface Contact {
  geom1: number;
  geom2: number;
  /** m, world */
  pos: number[];
  /** From geom1 to geom2. */
  normal: number[];
  /** m, negative: penetration, at the start of the last step. */
  gap: number;
  /** N, on geom2, mean over the last step. */
  force: number[];
}

/** Of the last step: the fields of TnStepReport in tenon/world.h. Energies are those of the step alone, J. */
export interface Report {
  diverged: boolean;
  converged: boolean;
  rough: boolean;
  iterations: number;
  residual: number;
  error: number;
  contactCount: number;
  meanPenetration: number;
  maxPenetration: number;
  /** s, how long the step took. */
  time: number;
  kinetic: number;
  potential: number;
  elastic: number;
  actuators: number;
  applied: number;
  friction: number;
  damping: number;
  impacts: number;
  stepLoss: number;
  created: number;
  pushOut: number;
  unsolved: number;
  /** Since the start or a reset. */
  steps: number;
}

/** J, sums since the start. */
export type EnergyAccount = Record<
  'actuators' | 'applied' | 'friction' | 'damping' | 'impacts' | 'stepLoss' | 'created' | 'pushOut' | 'unsolved', number>;

/** What a task plans; goals are those that can be moved, in the directions of `axes` (1 or 0). */
export interface Plan {
  horizon: number;
  /** s between knots. */
  knot: number;
  /** Knots that are carried out per plan. */
  every: number;
  /** The keyframe that the task names. */
  key?: string;
  goals: { cost: number; name: string; place: number[]; axes: number[] }[];
}

/** A model and its state. Arrays are copies, except that ctrl can be assigned. */
export class World {
  private constructor();
  /** MJCF or URDF as text; files has what it names (meshes, included models) by path. */
  static fromText(text: string, options?: Options & { files?: Record<string, Data> }): Promise<World>;
  /** Files by path, of which `model` is the model. */
  static fromFiles(files: Record<string, Data>, model: string, options?: Options): Promise<World>;
  /** Node.js only: a model on the disk with what it names. */
  static fromFile(path: string, options?: Options): Promise<World>;

  readonly model: Model;
  /** s */
  readonly time: number;
  readonly qpos: Float64Array;
  readonly qvel: Float64Array;
  get ctrl(): Float64Array;
  set ctrl(numbers: ArrayLike<number>);
  readonly act: Float64Array;
  readonly sensors: Float64Array;
  /** Body by body 7 numbers: place, quaternion w x y z. */
  readonly poses: Float64Array;
  /** Of the last step. */
  readonly contacts: Contact[];
  readonly report: Report;
  readonly energyAccount: EnergyAccount;
  /** 16 hexadecimal digits of time, qpos, qvel and activations: the same on every machine. */
  readonly hash: string;
  /** Bytes that the engine has taken. */
  readonly memory: number;

  /** Returns how many steps were taken: fewer where one was refused, see report.diverged, or where no plan was found. */
  step(count?: number): number;
  /** To the reference pose, or to a keyframe by name or number from 0. */
  reset(key?: string | number): void;
  setState(qpos: ArrayLike<number>, qvel: ArrayLike<number>): void;
  /** The complete state: a restored world goes on with the same bits. */
  save(): Uint8Array;
  restore(saved: Uint8Array): void;

  /** For the next step: force at the centre of mass (N) and torque (N·m), world axes. */
  applyWrench(body: number, force: Vector, torque?: Vector): void;
  setGravity(gravity: Vector): void;
  setTimestep(seconds: number): void;
  setTolerance(tolerance: number): void;
  /** Friction of all geoms, times the model's. */
  setFriction(share: number): void;

  /** A spring holds a point of a body (m, its axes) until letGo; pullTo says where it pulls. stiffness: 1/s². */
  pull(body: number, point: Vector, stiffness: number): void;
  /** The same for a triangle of nodes of a soft body, at weights whose sum is 1. */
  pullSoft(soft: number, nodes: Vector, weights: Vector, stiffness: number): void;
  pullTo(place: Vector): void;
  letGo(): void;

  /** `task`: the text of a task for `tenon plan`, for the model that is open. From now on its plan has the controls. */
  plan(task: string): Plan;
  /** Where it has not, controls stay as they are. */
  planning: boolean;
  /** Of a cost by its number in the task, from 0. */
  setGoal(cost: number, place: Vector): void;

  /** Records at most `rate` frames per second (0: every step) until stopRecording gives the file (.tnr). */
  startRecording(rate?: number): void;
  stopRecording(): Uint8Array;

  close(): void;
}

/** A compiled module, or its bytes, in place of tenon.wasm beside index.js: for bundlers that move files. */
export function useEngine(source: WebAssembly.Module | Uint8Array | ArrayBuffer): Promise<void>;
