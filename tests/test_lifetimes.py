"""No pointer is kept to an array inside a struct that a function returned by value: the struct ends with the statement. Compilers
do not warn. Knows the structs and functions of include/tenon/."""
import glob
import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import pycheck  # noqa: E402

FOLDERS = ("apps", "bench", "examples", "src", "tests")
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)^\} \1;", re.S | re.M)
FUNCTION = re.compile(r"^(?:TN_API )?(Tn\w+) (tn_\w+)\(", re.M)
# *name = function(
KEPT = re.compile(r"\*\s*(?:const\s+)?(\w+)\s*=\s*&?(tn_\w+)\(")


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def members_of(body):
    """name -> (type, is an array)"""
    members = {}
    for line in body.split(";"):
        found = re.match(r"\s*(?:const\s+)?(\w+(?: \w+)*?)\s+(\*?\w+.*)", " ".join(line.split()))
        for part in re.sub(r"\[[^]]*\]", "[]", found.group(2)).split(",") if found else ():
            name = re.match(r"\s*(\**)(\w+)\s*((?:\[\])*)", part)
            if name and not name.group(1):
                members[name.group(2)] = (found.group(1), bool(name.group(3)))
    return members


def api(folder):
    structs, functions = {}, {}
    for path in glob.glob(os.path.join(folder, "*.h")):
        with open(path, encoding="utf-8") as file:
            text = without_comments(file.read())
        structs.update((name, members_of(body)) for name, body in STRUCT.findall(text))
        functions.update((name, kind) for kind, name in FUNCTION.findall(text))
    return structs, functions


def end_of_call(text, at):
    """Behind the bracket that closes the one before `at`."""
    depth = 1
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def faults_in(text, structs, functions):
    """Lines and names of pointers that outlive what they point to."""
    text = without_comments(text)
    for found in KEPT.finditer(text):
        kind = functions.get(found.group(2))
        chain = re.match(r"(?:\s*\.\s*\w+)+(?![\w(])", text[end_of_call(text, found.end()):])
        array = False
        for name in re.findall(r"\w+", chain.group()) if chain and kind in structs else ():
            kind, array = structs.get(kind, {}).get(name, (None, False))
        if array and not text[end_of_call(text, found.end()) + chain.end():].lstrip().startswith("["):
            yield text.count("\n", 0, found.start()) + 1, found.group(1)


def faults(root, structs, functions):
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(n for n in names if n.endswith((".c", ".h"))):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    for line, pointer in faults_in(file.read(), structs, functions):
                        yield f"{os.path.relpath(os.path.join(path, name), root)}:{line}: '{pointer}' outlives what it points to"


class Lifetimes(unittest.TestCase):
    def setUp(self):
        self.structs, self.functions = api(os.path.join(ROOT, "include", "tenon"))

    def test_no_pointer_outlives_a_returned_struct(self):
        self.assertGreater(len(self.functions), 50)
        self.assertEqual(list(faults(ROOT, self.structs, self.functions)), [])

    def test_pointer_into_a_returned_struct_is_found(self):
        for text in ("const double *f = tn_world_contact(w, (1)).force;", "const double *g = tn_model_info(s->m).option.gravity;",
                     "double *x;\n*x = 0, *g = tn_model_info(m)\n.option.gravity + 1;"):
            self.assertEqual(len(list(faults_in(text, self.structs, self.functions))), 1, text)

    def test_copies_and_pointers_that_a_struct_has_are_fine(self):
        for text in ("const double *q = tn_world_state(w).qpos;", "double g = tn_model_info(m).option.gravity[2];",
                     "double *a = tn_x(), b = 1 * tn_model_info(m).option.gravity[2];",
                     "/* *f = tn_world_contact(w, 1).force; */",
                     "TnModelInfo info = tn_model_info(m); const double *g = info.option.gravity;"):
            self.assertEqual(list(faults_in(text, self.structs, self.functions)), [], text)

    def test_files_are_named_with_their_line(self):
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "tests"))
            with open(os.path.join(root, "tests", "a.c"), "w", encoding="utf-8") as file:
                file.write("\nconst double *f = tn_world_contact(w, 1).force;\n")
            found = list(faults(root, self.structs, self.functions))
        self.assertEqual(found, ["tests/a.c:2: 'f' outlives what it points to"])


if __name__ == "__main__":
    pycheck.main()
