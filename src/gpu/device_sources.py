"""Copies C sources for the device: each function gets __device__ in front, and so do the constants of a file.

    device_sources.py SOURCE_FOLDER OUT_FOLDER

There the files are one translation unit, OUT_FOLDER/all_sources.h. What a file has for itself gets the file's name.
OUT_FOLDER/quick_sources.h has some of them once more, under other names: see quick.h."""
import os
import re
import sys

HEADERS = """base/base.h base/rounding.h base/arena.h base/pool.h math/vec3.h math/finite.h math/chain.h model/mesh/hull.h model/thresholds.h model/frame.h
model/model.h model/joint_motion.h model/joint_law.h collision/collision.h collision/narrow/narrow.h collision/collider.h collision/emit.h
collision/narrow/tri_mesh.h subsystem/dynamics.h subsystem/tree/tree.h subsystem/tree/joint_forces.h
subsystem/tree/mix.h constraint/unilateral.h""".split()
SOURCES = """model/mesh/hull.c collision/narrow/support.c collision/narrow/feature.c collision/narrow/manifold.c collision/narrow/patch.c collision/narrow/gjk.c
collision/narrow/epa.c collision/narrow/convex.c collision/narrow/sphere.c collision/narrow/capsule.c collision/narrow/capsule_box.c collision/narrow/capsule_cylinder.c
collision/narrow/box_box.c collision/narrow/plane.c collision/narrow/collide.c collision/sweep.c collision/filter_pair.c collision/emit_point.c
collision/emit_spheres.c collision/rates.c collision/emit_meeting.c collision/emit_turned.c collision/narrow/tri_query.c collision/narrow/tri_contact.c
collision/emit_triangles.c collision/emit_shapes.c collision/bounds.c
subsystem/free/rigid.c subsystem/kinematics.c subsystem/predict.c subsystem/affine.c subsystem/tree/forward.c
subsystem/tree/axes.c subsystem/tree/mass_matrix.c subsystem/tree/bias.c subsystem/tree/factor.c
subsystem/tree/mix.c subsystem/tree/joint_forces.c subsystem/tree/assemble.c subsystem/tree/fast.c
subsystem/tree/advance.c constraint/unilateral.c""".split()

# How pairs that move far are followed: once for all shapes, and once for those that quick.h has routines for.
QUICK = "collision/emit_meeting.c collision/emit_turned.c collision/emit_shapes.c".split()

# Structures that are read as a whole, in as few loads as can be. Their sizes are multiples of 16 already, but for
# TnLinkFrame's, which is not copied from the host or back; and none is part of another one that is shared with the host.
ALIGNED = "TnSlot TnSlotLocal TnContactPoint TnLink TnRigidSystem TnLinkFrame".split()

# Functions that a kernel for many spheres or bodies calls for each of them: their arguments stay in registers.
INLINE = re.compile(r"\b(tn_filter_pair|tn_filter_mix|tn_emit_point|tn_emit_spheres|"
                    r"tn_emit_sphere_plane|tn_unilateral_law|tn_way_out)\(")

NOT_FUNCTIONS = ("typedef", "struct", "enum", "extern", "return", "#")


def for_device(text, is_header):
    text = re.sub(rf"^typedef struct ({'|'.join(ALIGNED)}) {{", r"typedef struct alignas(16) \1 {", text, flags=re.M)
    text = re.sub(r"^( +)(\w+) \*(\w+) = context;", r"\1\2 *\3 = (\2 *)context;", text, flags=re.M)  # C++ needs the type
    lines = []
    for line in text.split("\n"):
        starts = re.match(r"[A-Za-z_]", line) and not line.startswith(NOT_FUNCTIONS)
        before = line.split("(")[0].split("=")[0]
        if starts and ("(" in line or line.startswith(("static const", "TnCollideFn"))) and "TN_API" not in before:
            # what other files call is compiled once (shared.h); inline: several files of the back end may have it
            apart = "TN_APART inline "
            if is_header or line.startswith("static") or line.endswith(";"):
                apart = ""
            elif INLINE.search(line):
                apart = "__forceinline__ "
            line = f"__device__ {apart}{line}"
        lines.append(line)
    return "\n".join(lines)


def own_names(text):
    """Static functions and constants, types and macros of one file."""
    names = set(re.findall(r"^static [^=;{(]*?\b(\w+)(?:\(|\[|\s=)", text, re.M))
    names |= set(re.findall(r"^}\s*(\w+);", text, re.M)) | set(re.findall(r"^typedef (?:struct|enum) (\w+)", text, re.M))
    return sorted(names), re.findall(r"^#define (\w+)", text, re.M)


def public_names(text):
    return re.findall(r"^[A-Za-z][\w *]*?\b(tn_\w+)\(", text, re.M)


def quick_lines(source):
    lines, public = [], []
    for name in QUICK:
        with open(os.path.join(source, name), encoding="utf-8") as file:
            text = file.read()
        names, macros = own_names(text)
        public += public_names(text)
        lines += [f"#define {n} {n}_quick" for n in names] + [f'#include "{name}"']
        lines += [f"#undef {n}" for n in names + macros]
    public = sorted(set(public))
    return [f"#define {n} {n}_quick" for n in public] + lines + [f"#undef {n}" for n in public]


def main():
    source, out = sys.argv[1:]
    lines = []
    for name in HEADERS + SOURCES:
        with open(os.path.join(source, name), encoding="utf-8") as file:
            text = file.read()
        path = os.path.join(out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(for_device(text, name in HEADERS))
        if name in HEADERS:
            lines.append(f'#include "{name}"')
            continue
        names, macros = own_names(text)
        stem = os.path.splitext(os.path.basename(name))[0]
        lines += [f"#define {n} {n}_of_{stem}" for n in names] + [f'#include "{name}"']
        lines += [f"#undef {n}" for n in names + macros]
    for name, text in (("all_sources.h", lines), ("quick_sources.h", quick_lines(source))):
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")


main()
