"""Compares models at random states with MuJoCo: body poses, mass matrix, bias, passive and actuator forces,
sensors, accelerations.

    test_oracle.py ANSWER [FOLDER OR FILE...]

ANSWER is the program of answer.c. Without folders: models/ beside this file, the models inside dm_control, gymnasium and
gymnasium-robotics where these packages are installed, and the folder that the environment variable TENON_MODELS names.
Everything is skipped where the package `mujoco` is missing (requirements.txt; ./test installs it).
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import pycheck  # noqa: E402

try:
    import mujoco
    import numpy as np
except ImportError:
    mujoco = None

PACKAGES = ("dm_control", "gymnasium", "gymnasium_robotics")
STATES = 5
REFUSED = 3  # exit status of answer.c
# Both compute the same closed forms in double precision; 1e-9 leaves room for ill-conditioned chains of a hundred joints.
EXACT = 1e-9
# Volumes of meshes are sums over thousands of triangles whose corners have seven digits in most files.
FROM_MESHES = 1e-6
# Accelerations come from steps of 10 and 20 ns, extrapolated: a velocity of 1 has lost 8 of its 16 digits, and (omega t)^2 is
# 1e-6 for a servo of 1e5 rad/s (stiff gains on a light link).
FROM_STEPS = 1e-5
# So many models of the packages have to load, so that a model that is refused does not just go missing.
LEAST_FROM_PACKAGES = 102  # all that MuJoCo loads


class Refused(Exception):
    """The model does not load in tenon."""


def package_files(package):
    spec = importlib.util.find_spec(package)
    return sorted(pathlib.Path(spec.origin).parent.rglob("*.xml")) if spec and spec.origin else []


def load(path):
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return None  # a part of another file, or older than this MuJoCo


def random_quat(random, size=1.0):
    q = random.normal(size=4) * size + (0.0 if size == 1.0 else np.array([1.0, 0, 0, 0]))
    return q / np.linalg.norm(q)


def random_state(m, random):
    """qpos within its ranges, so that no limit acts; qvel, ctrl, act."""
    qpos = m.qpos0.copy()
    for j in range(m.njnt):
        a, kind = m.jnt_qposadr[j], m.jnt_type[j]
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            qpos[a:a + 3] += random.normal(size=3)
            qpos[a + 3:a + 7] = random_quat(random)
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            size = 0.1 if m.jnt_limited[j] else 1.0
            qpos[a:a + 4] = random_quat(random, size)
        elif m.jnt_limited[j]:
            low, high = m.jnt_range[j]
            qpos[a] = low + (high - low) * random.uniform(0.1, 0.9)
        else:
            qpos[a] += random.uniform(-1.0, 1.0)
    ctrl = random.normal(size=m.nu)
    for i in range(m.nu):
        if m.actuator_ctrllimited[i]:
            ctrl[i] = random.uniform(*m.actuator_ctrlrange[i])
    return qpos, random.normal(size=m.nv), ctrl, random.uniform(0.0, 1.0, size=m.na)


def ask(answer, path, states):
    """(sensors, results): what tenon says; each sensor is (start, count, name)."""
    data = b"".join(np.concatenate(s).astype("<f8").tobytes() for s in states)
    run = subprocess.run([answer, str(path)], input=data, capture_output=True, timeout=300)
    if run.returncode == REFUSED:
        raise Refused(run.stderr.decode(errors="replace").split("\n")[0])
    if run.returncode:
        raise AssertionError(run.stderr.decode(errors="replace")[:2000])
    head, rest = run.stdout.split(b"\n", 1)
    nbody, nq, nv, nu, na, nsensordata, nsensor = map(int, head.split())
    sensors = []
    for _ in range(nsensor):
        line, rest = rest.split(b"\n", 1)
        start, count, name = line.split(b" ", 2)
        sensors.append((int(start), int(count), name.decode()))
    numbers = np.frombuffer(rest, "<f8")
    sizes = [7 * nbody, nv * nv, nv, nv, nu, nsensordata, nv]
    rows = numbers.reshape(len(states), sum(sizes)) if numbers.size else []
    parts = [np.split(row, np.cumsum(sizes)[:-1]) for row in rows]
    return (nbody, nq, nv, nu, na), sensors, parts


def difference(got, expected):
    """Largest difference as a fraction of the largest number, or of 1."""
    if expected.size == 0:
        return 0.0
    return float(np.max(np.abs(got - expected)) / max(1.0, np.max(np.abs(expected))))


def align(got, expected):
    """Poses with the signs of quaternions as in the other list."""
    got = got.reshape(-1, 7).copy()
    flip = np.sum(got[:, 3:] * expected[:, 3:], axis=1) < 0
    got[flip, 3:] *= -1
    return got


def compare_sensors(m, d, sensors, got, worst):
    by_name = {name: (start, count) for start, count, name in sensors if name}
    same_order = len(sensors) == m.nsensor
    for i in range(m.nsensor):
        name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_SENSOR, i)
        place = sensors[i][:2] if same_order else by_name.get(name)
        if place is None:
            continue
        start, count = place
        value = got[start:start + count]
        if np.any(np.isnan(value)):
            continue  # needs a step
        expected = d.sensordata[m.sensor_adr[i]:m.sensor_adr[i] + m.sensor_dim[i]]
        if count != len(expected):
            raise AssertionError(f"sensor {i} has {count} numbers instead of {len(expected)}")
        kind = mujoco.mjtSensor(m.sensor_type[i]).name
        if count == 4 and np.dot(value, expected) < 0:
            value = -value
        key = "sensor " + kind[7:].lower()
        worst[key] = max(worst.get(key, 0.0), difference(value, expected))


def compare(answer, path, m):
    """{what: largest difference} over random states."""
    random = np.random.default_rng(1)
    states = [random_state(m, random) for _ in range(STATES)]
    if any(m.geom_type == mujoco.mjtGeom.mjGEOM_FLEX) or m.nflex:
        raise unittest.SkipTest("flexes are other bodies in tenon")
    sizes, sensors, results = ask(answer, path, states)
    expected = (m.nbody, m.nq, m.nv, m.nu, m.na)
    if sizes != expected:
        raise AssertionError(f"bodies, qpos, qvel, ctrl, act: {sizes} instead of {expected}")
    worst = {}

    def note(key, got, expected):
        worst[key] = max(worst.get(key, 0.0), difference(got, expected))

    d = mujoco.MjData(m)
    M = np.zeros((m.nv, m.nv))
    timestep = m.opt.timestep
    for (qpos, qvel, ctrl, act), result in zip(states, results):
        poses, mass, bias, passive, force, sensed, acceleration = result
        m.opt.timestep = timestep
        d.qpos[:], d.qvel[:], d.ctrl[:], d.act[:] = qpos, qvel, ctrl, act
        mujoco.mj_forward(m, d)
        expected = np.hstack([d.xpos, d.xquat])
        note("poses", align(poses, expected), expected)
        mujoco.mj_fullM(m, d, M)
        note("mass matrix", mass.reshape(m.nv, m.nv), M)
        note("bias", bias, d.qfrc_bias)
        note("passive forces", passive, d.qfrc_passive)
        note("actuator forces", force, d.actuator_force)
        compare_sensors(m, d, sensors, sensed, worst)
        m.opt.timestep = 1e-8  # actuators with actearly act by the activation at the end of the step
        mujoco.mj_forward(m, d)
        if d.nefc == 0 and np.all(np.isfinite(d.qacc)):
            note("accelerations", acceleration, d.qacc)
    return worst


def tolerance(what, m):
    if what == "accelerations":
        return FROM_STEPS
    return FROM_MESHES if m.nmesh else EXACT


class Oracle(unittest.TestCase):
    answer = ""
    from_packages = 0

    def check_model(self, path, of_package):
        m = load(path)
        if m is None:
            self.skipTest("MuJoCo does not load it")
        try:
            worst = compare(self.answer, path, m)
        except Refused as refused:
            if path.parent == HERE / "models":
                raise
            self.skipTest(f"tenon does not load it: {refused}")
        Oracle.from_packages += of_package
        bad = [f"{what} {by:.1e}" for what, by in worst.items() if not by <= tolerance(what, m)]
        self.assertFalse(bad, "; ".join(bad))


def add_cases(paths, of_package=False):
    for path in paths:
        if b"<mujoco" not in path.read_bytes():
            continue

        def case(self, path=path):
            self.check_model(path, of_package)
        setattr(Oracle, "test_" + "_".join(path.with_suffix("").parts[-6:]).replace("-", "_"), case)


def add_message(name, message):
    def skipped(self):
        self.skipTest(message)
    setattr(Oracle, "test_" + name, skipped)


def add_count():
    def case(self):
        self.assertGreaterEqual(Oracle.from_packages, LEAST_FROM_PACKAGES)
    setattr(Oracle, "test_zz_enough_models_of_packages_load", case)  # comes last


def add_all():
    add_cases(sorted((HERE / "models").glob("*.xml")))
    for package in PACKAGES:
        files = package_files(package)
        add_cases(files, of_package=True)
        if not files:
            add_message(package, f"the package {package} is not installed (tests/oracle/packages.txt)")
    if all(package_files(package) for package in PACKAGES):
        add_count()
    robots = os.environ.get("TENON_MODELS")
    if robots:
        add_cases(sorted(pathlib.Path(robots).rglob("*.xml")))
    else:
        add_message("robots", "the environment variable TENON_MODELS names no folder of robots")


def use_venv():
    """Starts again with the Python that ./test installed MuJoCo for."""
    python = HERE.parent.parent / ".venv" / "bin" / "python"
    if not mujoco and python.exists() and pathlib.Path(sys.prefix).resolve() != python.parent.parent.resolve():
        os.execv(python, [str(python), *sys.argv])


def main():
    use_venv()
    Oracle.answer = sys.argv[1]
    folders = [pathlib.Path(p) for p in sys.argv[2:]]
    if not mujoco:
        add_message("nothing", "the package mujoco is not installed (tests/oracle/requirements.txt)")
    elif folders:
        for folder in folders:
            add_cases([folder] if folder.is_file() else sorted(folder.rglob("*.xml")))
    else:
        add_all()
    pycheck.main()


if __name__ == "__main__":
    main()
