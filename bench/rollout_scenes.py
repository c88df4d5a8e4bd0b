"""Models for mujoco_rollout.py, made for it: each is one MJCF text that both engines read, with a keyframe `start`.

`controls` is the standard deviation of the random controls about those of the keyframe, as a fraction of each range."""
import collections

Scene = collections.namedtuple("Scene", "name what text controls")

HEAD = """<mujoco model="{name}">
  <compiler angle="degree" autolimits="true"/>
  <option timestep="{timestep}"{option}/>
  <default><geom friction="{friction} 0.005 0.0001" density="{density}"/>{default}</default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
{bodies}
  </worldbody>
{rest}
</mujoco>
"""


def document(name, bodies, rest="", timestep=0.002, friction=0.8, density=1000, default="", option=""):
    return HEAD.format(name=name, bodies=bodies, rest=rest, timestep=timestep, friction=friction, density=density,
                       default=default, option=option)


def key(qpos, ctrl=()):
    def numbers(values):
        return " ".join(f"{x:g}" for x in values)
    return (f'  <keyframe><key name="start" qpos="{numbers(qpos)}"' +
            (f' ctrl="{numbers(ctrl)}"' if ctrl else "") + "/></keyframe>")


def arm():
    """Seven hinges in a chain on a pedestal, position servos, nothing in reach."""
    axes = ("0 0 1", "0 1 0", "0 0 1", "0 1 0", "0 0 1", "0 1 0", "0 0 1")
    lengths = (0.20, 0.20, 0.20, 0.20, 0.15, 0.10, 0.08)
    text, below = "", 0.15
    for k, (axis, length) in enumerate(zip(axes, lengths)):
        text += (f'<body name="link{k}" pos="0 0 {below}"><joint name="j{k}" axis="{axis}" range="-165 165" damping="0.5" '
                 f'armature="0.05"/><geom type="capsule" fromto="0 0 0.03 0 0 {length - 0.03}" size="{0.05 - 0.004 * k:g}"/>')
        below = length
    text += '<site name="hand" pos="0 0 0.08"/>' + "</body>" * len(axes)
    motors = "".join(f'<position joint="j{k}" kp="{400 / (1 + k):g}" kv="{40 / (1 + k):g}" ctrlrange="-2 2"/>'
                     for k in range(len(axes)))
    pose = (0, 0.5, 0, -1.0, 0, 0.8, 0)
    rest = f'<actuator>{motors}</actuator><sensor><framepos objtype="site" objname="hand"/></sensor>{key(pose, pose)}'
    return document("arm", text, rest)


def ant():
    """A ball with four legs of two hinges each, torque motors, as in the well-known task."""
    text = '<body name="torso" pos="0 0 0.75"><freejoint/><geom size="0.25"/>'
    motors = ""
    for k, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        text += (f'<body pos="0 0 0"><geom type="capsule" fromto="0 0 0 {0.2 * x} {0.2 * y} 0" size="0.08"/>'
                 f'<body pos="{0.2 * x} {0.2 * y} 0"><joint name="hip{k}" axis="0 0 1" range="-40 40" armature="0.01" '
                 f'damping="0.5"/><geom type="capsule" fromto="0 0 0 {0.2 * x} {0.2 * y} 0" size="0.08"/>'
                 f'<body pos="{0.2 * x} {0.2 * y} 0"><joint name="ankle{k}" axis="{-y} {x} 0" range="30 100" armature="0.01" '
                 f'damping="0.5"/><geom type="capsule" fromto="0 0 0 {0.4 * x} {0.4 * y} 0" size="0.08"/></body></body></body>')
        motors += "".join(f'<motor joint="{name}{k}" gear="15" ctrlrange="-1 1"/>' for name in ("hip", "ankle"))
    pose = [0, 0, 0.62, 1, 0, 0, 0] + [0, 1.0] * 4
    return document("ant", text + "</body>", f"<actuator>{motors}</actuator>{key(pose, [0] * 8)}", timestep=0.005, density=50)


def quadruped():
    """Twelve hinges under PD control that hold a stand: trunk 7 kg, legs of 0.2 m, ball feet."""
    text = ('<body name="trunk" pos="0 0 0.3"><freejoint/><geom type="box" size="0.19 0.05 0.055" mass="6.9"/>'
            '<site name="imu"/>')
    motors, stand = "", []
    for name, x, y in (("FL", 0.19, 0.05), ("FR", 0.19, -0.05), ("RL", -0.19, 0.05), ("RR", -0.19, -0.05)):
        side = 1 if y > 0 else -1
        text += (f'<body pos="{x} {y} 0"><joint name="{name}_hip" axis="1 0 0" range="-60 60" armature="0.01" damping="0.1"/>'
                 f'<geom type="cylinder" fromto="0 0 0 0 {0.05 * side} 0" size="0.045" mass="0.68" contype="0" conaffinity="0"/>'
                 f'<body pos="0 {0.09 * side} 0"><joint name="{name}_thigh" axis="0 1 0" range="-90 200" armature="0.01" '
                 f'damping="0.1"/><geom type="capsule" fromto="0 0 -0.02 0 0 -0.19" size="0.02" mass="1.1"/>'
                 f'<body pos="0 0 -0.213"><joint name="{name}_calf" axis="0 1 0" range="-155 -48" armature="0.01" damping="0.1"/>'
                 f'<geom type="capsule" fromto="0 0 0 0 0 -0.19" size="0.012" mass="0.2"/>'
                 f'<geom name="{name}" size="0.022" pos="0 0 -0.213" mass="0.04"/></body></body></body>')
        for joint, angle in (("hip", 0.0), ("thigh", 0.9), ("calf", -1.8)):
            motors += (f'<position joint="{name}_{joint}" kp="60" kv="2" ctrlrange="{angle - 0.5:g} {angle + 0.5:g}" '
                       'forcerange="-24 24"/>')
            stand.append(angle)
    sensors = '<sensor><gyro site="imu"/><accelerometer site="imu"/></sensor>'
    rest = f"<actuator>{motors}</actuator>{sensors}{key([0, 0, 0.287, 1, 0, 0, 0] + stand, stand)}"
    return document("quadruped", text + "</body>", rest)


def humanoid():
    """Seventeen hinges of a body of 1.5 m, weak torque motors: it sinks to the ground and moves there."""
    def hinge(name, axis, low, high):
        return f'<joint name="{name}" axis="{axis}" range="{low} {high}" armature="0.02" damping="5" stiffness="5"/>'
    text = ('<body name="torso" pos="0 0 1.3"><freejoint/><geom type="capsule" fromto="0 -0.07 0 0 0.07 0" size="0.07"/>'
            '<geom size="0.09" pos="0 0 0.19"/><geom type="capsule" fromto="-0.01 -0.06 -0.12 -0.01 0.06 -0.12" size="0.06"/>'
            '<body pos="-0.01 0 -0.26">' + hinge("belly_z", "0 0 1", -45, 45) + hinge("belly_y", "0 1 0", -75, 30) +
            '<geom type="capsule" fromto="0 -0.06 0 0 0.06 0" size="0.06"/><body pos="0 0 -0.165">' +
            hinge("belly_x", "1 0 0", -35, 35) + '<geom type="capsule" fromto="-0.02 -0.07 0 -0.02 0.07 0" size="0.09"/>')
    names = ["belly_z", "belly_y", "belly_x"]
    for side, y in (("right", -1), ("left", 1)):
        text += (f'<body pos="0 {0.1 * y} -0.04">' + hinge(f"{side}_hip_x", "1 0 0", -25, 25) +
                 hinge(f"{side}_hip_z", "0 0 1", -35, 35) + hinge(f"{side}_hip_y", "0 1 0", -110, 20) +
                 f'<geom type="capsule" fromto="0 0 -0.02 0 {-0.01 * y} -0.34" size="0.06"/>'
                 f'<body pos="0 {-0.01 * y} -0.403">' + hinge(f"{side}_knee", "0 -1 0", -160, -2) +
                 '<geom type="capsule" fromto="0 0 -0.02 0 0 -0.3" size="0.049"/><geom size="0.075" pos="0 0 -0.39"/></body></body>')
        names += [f"{side}_hip_x", f"{side}_hip_z", f"{side}_hip_y", f"{side}_knee"]
    text += "</body></body>"
    for side, y in (("right", -1), ("left", 1)):
        text += (f'<body pos="0 {0.17 * y} 0.06">' + hinge(f"{side}_shoulder1", f"2 {y} 1", -85, 60) +
                 hinge(f"{side}_shoulder2", f"0 {-y} 1", -85, 60) +
                 f'<geom type="capsule" fromto="0 0 0 0.16 {0.16 * y} -0.16" size="0.04"/>'
                 f'<body pos="0.18 {0.18 * y} -0.18">' + hinge(f"{side}_elbow", f"0 -1 {y}", -90, 50) +
                 f'<geom type="capsule" fromto="0.02 {-0.02 * y} 0.02 0.17 {-0.17 * y} 0.17" size="0.03"/></body></body>')
        names += [f"{side}_shoulder1", f"{side}_shoulder2", f"{side}_elbow"]
    motors = "".join(f'<motor joint="{name}" gear="40" ctrlrange="-0.4 0.4"/>' for name in names)
    pose = [0, 0, 1.29, 1, 0, 0, 0] + [0] * 6 + [-0.1] + [0] * 3 + [-0.1] + [0] * 6
    return document("humanoid", text + "</body>", f"<actuator>{motors}</actuator>{key(pose, [0] * 17)}", timestep=0.003)


def boxes(width=4, height=5):
    """A wall of boxes that stands, with a ball that comes down on it."""
    text, pose = "", []
    for row in range(height):
        for column in range(width):
            place = ((column + 0.5 * (row % 2)) * 0.205, 0, 0.05 + 0.1 * row)
            text += ('<body pos="%g %g %g"><freejoint/><geom type="box" size="0.1 0.05 0.05"/></body>' % place)
            pose += [*place, 1, 0, 0, 0]
    text += '<body pos="0.4 0 0.7"><freejoint/><geom size="0.06"/></body>'
    pose += [0.4, 0, 0.7, 1, 0, 0, 0]
    return document("boxes", text, key(pose), timestep=0.004, friction=0.6)


def gripper():
    """Two fingers lift a box of 0.2 kg by friction; the hand moves along three slides."""
    slides = "".join(f'<joint name="{name}" type="slide" axis="{axis}" damping="20"/>'
                     for name, axis in (("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1")))
    fingers = "".join(
        f'<body pos="0 {0.05 * side} -0.06"><joint name="{name}" type="slide" axis="0 {-side} 0" range="-0.005 0.04" damping="10"/>'
        '<geom type="box" size="0.012 0.006 0.03" friction="1 0.005 0.0001"/></body>' for name, side in (("left", 1), ("right", -1)))
    text = (f'<body name="hand" pos="0 0 0.16">{slides}<geom type="box" size="0.03 0.07 0.02" mass="0.5"/>{fingers}</body>'
            '<body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.02 0.036 0.025" mass="0.2"/></body>')
    motors = "".join(f'<position joint="{name}" kp="2000" kv="100" ctrlrange="-0.1 0.1"/>' for name in "xyz")
    motors += "".join(f'<motor joint="{name}" ctrlrange="0 20"/>' for name in ("left", "right"))
    pose = [0, 0, 0, 0.0079, 0.0079, 0, 0, 0.1, 1, 0, 0, 0]
    return document("gripper", text, f"<actuator>{motors}</actuator>{key(pose, [0, 0, 0, 12, 12])}")


def grains(count=4):
    """Spheres in a box that a paddle on two slides stirs."""
    text, pose = "", [0, 0]
    side, radius = 0.12, 0.02
    for x, y, w, d in ((side, 0, 0.01, side), (-side, 0, 0.01, side), (0, side, side, 0.01), (0, -side, side, 0.01)):
        text += f'<geom type="box" pos="{x} {y} 0.1" size="{w} {d} 0.1"/>'
    text += ('<body pos="0 0 0.12"><joint name="px" type="slide" axis="1 0 0" range="-0.09 0.09" damping="5"/><joint name="py" '
             'type="slide" axis="0 1 0" range="-0.09 0.09" damping="5"/><geom type="capsule" fromto="0 0 -0.1 0 0 0.1" '
             'size="0.012"/></body>')
    for k in range(count ** 3):
        x, y, z = k % count, k // count % count, k // count ** 2
        place = ((x - 1.5) * 0.045 + 0.002 * (z % 2), (y - 1.5) * 0.045 + 0.002 * (k % 2), radius + 0.042 * z)
        text += '<body pos="%g %g %g"><freejoint/><geom size="%g"/></body>' % (*place, radius)
        pose += [*place, 1, 0, 0, 0]
    motors = '<position joint="px" kp="300" kv="20" ctrlrange="-0.08 0.08"/><position joint="py" kp="300" kv="20" ctrlrange="-0.08 0.08"/>'
    return document("grains", text, f"<actuator>{motors}</actuator>{key(pose, [0, 0])}", timestep=0.004, friction=0.5)


SCENES = (
    Scene("arm", "7 hinges, position servos, no contacts", arm(), 0.1),
    Scene("ant", "free body with 8 hinges, torques", ant(), 0.3),
    Scene("quadruped", "12 hinges under PD control stand on a plane", quadruped(), 0.1),
    Scene("humanoid", "17 hinges, torques, falls and lies", humanoid(), 0.3),
    Scene("boxes", "a wall of 20 boxes and a ball", boxes(), 0.0),
    Scene("gripper", "two fingers hold a box by friction", gripper(), 0.02),
    Scene("grains", "64 spheres in a box, stirred", grains(), 0.2),
)
