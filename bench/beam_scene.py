"""The soft beam of mujoco_beam.py: one mesh and one scene for both engines, and what beam theory says of it.

The beam is 0.5 x 0.05 x 0.05 m, 10 MPa, Poisson's ratio 0.45, 1000 kg/m³. Its mesh is that of scenes/beam.xml: 43 x 5 x 5
cells of six tetrahedra, each cell mirrored against its neighbours. It is written into the file node by node (a
`<flexcomp type="direct">`), so that neither engine chooses elements. A carriage on a stiff servo holds one end, along x.
"""

import itertools
import math

CELLS = (43, 5, 5)
SIZE = (0.5, 0.05, 0.05)              # m
DENSITY, YOUNG, POISSON = 1000.0, 1e7, 0.45
GRAVITY = 9.81
DAMPING = 0.01                        # s, of the beam: Rayleigh's, of stiffness
HEIGHT = 0.4                          # m, of the beam's axis
GAP, FRICTION = 0.049, 0.2            # m between the blocks
RADIUS = 0.0002                       # m, of the beam's surface around its mesh
ROUND, HALF = 0.04, 0.12              # m: radius and half height of the round blocks
GAP_AT = 0.56                         # m, the blocks' middle; the beam's far end starts at 0.5
SAG, PUSH, WAY = 0.5, 2.0, 0.3        # s, s, m: hanging still; pushing, the steps that count
TIMESTEP = 0.01
SERVO = (50000.0, 2000.0)             # kp, kv of the carriage


# ---- the mesh ------------------------------------------------------------------------------------

def number(at):
    return at[0] + (CELLS[0] + 1) * (at[1] + (CELLS[1] + 1) * at[2])


def volume(a, b, c, d):
    """Of a tetrahedron, with its sign."""
    u, v, w = ([q - p for p, q in zip(a, other)] for other in (b, c, d))
    return sum(u[i] * (v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3]) for i in range(3)) / 6


def make_mesh():
    """Nodes in the carriage's frame, and tetrahedra of positive volume: Kuhn's six in each cell, odd cells mirrored."""
    grid = itertools.product(*(range(n + 1) for n in reversed(CELLS)))
    nodes = [[SIZE[0] * x / CELLS[0], SIZE[1] * (y / CELLS[1] - 0.5), SIZE[2] * (z / CELLS[2] - 0.5)]
             for z, y, x in grid]
    tets = []
    for cell in itertools.product(*(range(n) for n in CELLS)):
        first = [at + at % 2 for at in cell]
        for order in itertools.permutations(range(3)):
            corner, tet = list(first), [number(first)]
            for axis in order:
                corner[axis] += -1 if cell[axis] % 2 else 1
                tet.append(number(corner))
            if volume(*(nodes[i] for i in tet)) < 0:
                tet[2], tet[3] = tet[3], tet[2]
            tets.append(tet)
    return nodes, tets


NODES, TETS = make_mesh()
HELD = [i for i, at in enumerate(NODES) if at[0] < 1e-9]
FAR = [i for i, at in enumerate(NODES) if at[0] > SIZE[0] - 1e-9]


def node_masses():
    """kg: each element's by quarters. MuJoCo alone would give all nodes the same."""
    masses = [0.0] * len(NODES)
    for tet in TETS:
        for i in tet:
            masses[i] += DENSITY * volume(*(NODES[j] for j in tet)) / 4
    return masses


# ---- theory --------------------------------------------------------------------------------------

def timoshenko():
    """m under its own weight, m/N under a force at its end; Cowper's shear factor of a rectangle."""
    length, area, inertia = SIZE[0], SIZE[1] * SIZE[2], SIZE[1] * SIZE[2] ** 3 / 12
    shear = 10 * (1 + POISSON) / (12 + 11 * POISSON) * area * YOUNG / (2 * (1 + POISSON))
    weight = DENSITY * area * GRAVITY
    return (weight * length ** 4 / (8 * YOUNG * inertia) + weight * length ** 2 / (2 * shear),
            length ** 3 / (3 * YOUNG * inertia) + length / shear)


# ---- the scene -----------------------------------------------------------------------------------

def smooth(x):
    """From 0 to 1 with no velocity at both ends."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


def step_count():
    return round((SAG + PUSH) / TIMESTEP)


def first_step():
    return round(SAG / TIMESTEP)


def control(t):
    """Where the carriage is sent: the way it shall go, and ahead of that by the servo's lag."""
    def way(at):
        return WAY * smooth((at - SAG) / PUSH)
    rate = (way(t + TIMESTEP) - way(t - TIMESTEP)) / (2 * TIMESTEP)
    return way(t) + SERVO[1] / SERVO[0] * rate


def blocks_xml(contact):
    return "\n      ".join(f'<geom type="cylinder" pos="{GAP_AT} {side * (GAP / 2 + ROUND):.6g} {HEIGHT}" '
                         f'size="{ROUND} {HALF}" {contact}/>' for side in (-1, 1))


def scene(option="", contact="", shape="", rest="", world="", gravity=GRAVITY, timestep=TIMESTEP, damping=DAMPING,
          blocks_move=False):
    """`contact`: more attributes of contacts; `shape`: of the flexcomp; `rest` and `world`: more elements.
    With `blocks_move` the beam's end stays in the world, and the carriage brings the blocks to it."""
    points = " ".join(f"{x:.12g}" for at in NODES for x in at)
    elements = " ".join(str(i) for tet in TETS for i in tet)
    flexcomp = f"""<flexcomp name="beam" type="direct" dim="3" mass="{DENSITY * math.prod(SIZE):.9g}" radius="{RADIUS}" {shape}
          point="{points}"
          element="{elements}">
        <elasticity young="{YOUNG}" poisson="{POISSON}" damping="{damping}"/>
        <contact condim="3" friction="{FRICTION} 0 0" selfcollide="none" {contact}/>
        <pin id="{' '.join(map(str, HELD))}"/>
      </flexcomp>"""
    carriage = f"""<joint name="push" type="slide" axis="{-1 if blocks_move else 1} 0 0" frictionloss="0.001"/>
      <geom type="box" pos="-0.02 0 0" size="0.02 0.04 0.04" mass="5" contype="0" conaffinity="0"/>"""
    blocks = blocks_xml(contact)
    bodies = (f"""<body name="blocks">
      {carriage}
      {blocks}
    </body>
    <body name="clamp" pos="0 0 {HEIGHT}">
      {flexcomp}
    </body>""" if blocks_move else f"""{blocks}
    <body name="carriage" pos="0 0 {HEIGHT}">
      {carriage}
      {flexcomp}
    </body>""")
    return f"""<mujoco model="pushed beam">
  <option timestep="{timestep}" gravity="0 0 {-gravity}" {option}/>
  <size memory="1G"/>
  <default><geom friction="{FRICTION} 0 0" condim="3"/></default>
  <worldbody>
    {world}
    {bodies}
  </worldbody>
  <actuator><position name="push" joint="push" kp="{SERVO[0]}" kv="{SERVO[1]}"/></actuator>
  {rest}
</mujoco>
"""


# ---- statics: the held beam, under its weight or under a force at its end ------------------------

STILL = {"timestep": 0.05, "damping": 0.2}   # s: it comes to rest without swinging
STILL_STEPS = 80
LOAD, SLIGHT = 1.0, 0.01                     # N on the far end, as weights under so much of gravity


def weights_mass():
    """kg of each of the weights, one at each node of the far end."""
    return LOAD / (SLIGHT * GRAVITY) / len(FAR)


def weights_xml():
    """For tenon: free bodies that a node of the far end carries; with the elements that say so."""
    bodies = "\n    ".join(
        f'<body name="weight{i}" pos="{NODES[i][0]:.9g} {NODES[i][1]:.9g} {HEIGHT + NODES[i][2]:.9g}"><freejoint/>'
        f'<geom type="sphere" size="0.002" mass="{weights_mass():.12g}" contype="0" conaffinity="0"/></body>' for i in FAR)
    return bodies, "".join(f'<hold body="weight{i}" nodes="{i}"/>' for i in FAR)
