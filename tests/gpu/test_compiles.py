"""The back end for devices compiled by nvcc, with the flags of cmake/nvcc_flags.txt, and linked with the library: without a
driver it says so in words. Only the code for later devices (PTX) is made: that of sm_90 takes minutes more. Skipped where
nvcc is not to be had (install_cuda of cmake/setup.sh).

    test_compiles.py LIBTENON.A"""
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import pycheck  # noqa: E402

LIBRARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
GPU = os.path.join(ROOT, "src", "gpu")

PROGRAM = r"""
#include <stdio.h>
#include <tenon/tenon.h>
int main(void)
{
    TnError err = {0};
    TnDeviceInfo info;
    bool there = tn_device_info(TN_DEVICE_CUDA, &info, &err);
    TnModelBuilder *builder = tn_builder_create();
    TnModel *model = tn_builder_compile(builder, &err);
    TnWorldDef def = tn_world_def();
    def.device = TN_DEVICE_CUDA;
    TnError why = {0};
    TnWorld *world = tn_world_create(&def, model, &why);
    printf("%d %d %s|%s\n", there, world != NULL, err.message, why.message);
    tn_world_destroy(world);
    tn_model_destroy(model);
    tn_builder_destroy(builder);
    return 0;
}
"""


def find_nvcc():
    own = glob.glob(os.path.join(ROOT, ".venv", "cuda", "lib", "python3*", "site-packages", "nvidia", "cu13", "bin", "nvcc"))
    return own[0] if own else shutil.which("nvcc")


class Compiles(unittest.TestCase):
    def test_nvcc_compiles_it_and_without_a_driver_it_says_so(self):
        nvcc = find_nvcc()
        if not nvcc:
            self.skipTest("there is no nvcc")
        with open(os.path.join(ROOT, "cmake", "nvcc_flags.txt"), encoding="utf-8") as file:
            flags = file.read().replace("code=[sm_90,compute_90]", "code=compute_90").split()
        with tempfile.TemporaryDirectory() as folder:
            copies = os.path.join(folder, "sources")
            run([sys.executable, os.path.join(GPU, "device_sources.py"), os.path.join(ROOT, "src"), copies])
            include = [f"-I{path}" for path in (os.path.join(GPU, "shim"), copies, GPU, os.path.join(ROOT, "include"))]
            sources = sorted(glob.glob(os.path.join(GPU, "*.cu")), key=os.path.getsize, reverse=True)
            objects = [os.path.join(folder, os.path.basename(source) + ".o") for source in sources]
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for _ in pool.map(lambda s, o: run([nvcc, *flags, *include, "-c", s, "-o", o]), sources, objects):
                    pass
            main = os.path.join(folder, "main.c")
            with open(main, "w", encoding="utf-8") as file:
                file.write(PROGRAM)
            home = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
            runtime = [path for name in ("lib", "lib64") for path in glob.glob(os.path.join(home, name, "libcudart_static.a"))]
            program = os.path.join(folder, "main")
            run(["cc", "-std=c17", include[3], main, *objects, LIBRARY, runtime[0], "-lstdc++", "-lexpat", "-lz", "-lpthread",
                 "-lm", "-ldl", "-lrt", "-o", program])
            told = run([program])
        there, world, *messages = told.replace("|", " ").split(" ", 2)
        if there == "1":  # a machine with a device: an empty model steps there, too
            self.assertEqual(world, "1", told)
        else:
            self.assertEqual(world, "0", told)
            self.assertEqual(told.count("device: no CUDA device can be used:"), 2, told)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(" ".join(command) + "\n" + done.stdout + done.stderr)
    return done.stdout


if __name__ == "__main__":
    pycheck.main()
