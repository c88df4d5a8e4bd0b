"""Copies C sources for the device: each function gets __device__ in front, and so do the constants of a file.

    device_sources.py SOURCE_FOLDER OUT_FOLDER

There the files are one translation unit, OUT_FOLDER/all_sources.h. What a file has for itself gets the file's name.
OUT_FOLDER/quick_sources.h has some of them once more, under other names: see quick.h."""
import os
import re
import sys

HEADERS = """base/base.h base/arena.h base/pool.h math/vec3.h math/finite.h math/chain.h model/hull.h model/frame.h
model/model.h model/joint_motion.h model/joint_law.h collision/collision.h collision/narrow.h collision/collider.h collision/emit.h
collision/tri_mesh.h dynamics/dynamics.h dynamics/articulated/tree.h dynamics/articulated/joint_forces.h
dynamics/articulated/mix.h constraint/unilateral.h""".split()
SOURCES = """model/hull.c collision/support.c collision/feature.c collision/manifold.c collision/patch.c collision/gjk.c
collision/epa.c collision/convex.c collision/sphere.c collision/capsule.c collision/capsule_box.c collision/capsule_cylinder.c
collision/box_box.c collision/plane.c collision/collide.c collision/sweep.c collision/filter_pair.c collision/emit_point.c
collision/emit_spheres.c collision/rates.c collision/emit_meeting.c collision/emit_turned.c collision/tri_query.c collision/tri_contact.c
collision/emit_triangles.c collision/emit_shapes.c collision/bounds.c
dynamics/rigid/rigid.c dynamics/kinematics.c dynamics/predict.c dynamics/affine.c dynamics/articulated/forward.c
dynamics/articulated/axes.c dynamics/articulated/mass_matrix.c dynamics/articulated/bias.c dynamics/articulated/factor.c
dynamics/articulated/mix.c dynamics/articulated/joint_forces.c dynamics/articulated/assemble.c dynamics/articulated/fast.c
dynamics/articulated/advance.c constraint/unilateral.c""".split()

# How pairs that move far are followed: once for all shapes, and once for those that quick.h has routines for.
QUICK = "collision/emit_meeting.c collision/emit_turned.c collision/emit_shapes.c".split()

# Structures that are read as a whole, in as few loads as can be. Their sizes are multiples of 16 already, but for
# TnLinkFrame's, which nobody copies from the host or back; and none is part of another one that is shared with the host.
ALIGNED = "TnSlot TnSlotLocal TnContactPoint TnLink TnRigidSystem TnLinkFrame".split()

# Functions that a kernel for many spheres or bodies calls for each of them: their arguments stay in registers.
INLINE = re.compile(r"\b(tn_filter_pair|tn_filter_mix|tn_emit_point|tn_emit_spheres|"
                    r"tn_emit_sphere_plane|tn_unilateral_law|tn_way_out)\(")

NOT_FUNCTIONS = ("typedef", "struct", "enum", "extern", "return", "#")


def for_device(text, is_header):
    text = re.sub(rf"^typedef struct ({'|'.join(ALIGNED)}) {{", r"typedef struct alignas(16) \1 {", text, flags=re.M)
    text = re.sub(r"^( +)(\w+) \*(\w+) = context;", r"\1\2 *\3 = (\2 *)context;", text, flags=re.M)  # C++ wants the type
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
