"""Threads, forks, interrupts, memory."""
import gc
import os
import pathlib
import pickle
import runpy
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import tenon

HERE = pathlib.Path(__file__).resolve().parent
LEAKS = runpy.run_path(str(HERE / "leaks.py"))


def test_the_instruction_set_of_a_process_can_be_chosen():
    code = ("import tenon; tenon.use_instruction_set('portable'); print(tenon.instruction_set())\n"
            "try: tenon.use_instruction_set('sse9')\n"
            "except tenon.UsageError as error: print(error)")
    out = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, text=True).stdout
    assert out.splitlines() == ["portable", "no instruction set 'sse9'; expected best, portable, avx2 or avx512"]


def test_other_threads_run_while_a_world_steps(scenes):
    world = tenon.World(tenon.Model.from_file(scenes / "stir.xml"))
    started = threading.Event()

    def work():
        started.set()
        world.step(200)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    refused = 0
    while thread.is_alive():
        try:
            world.energy
        except tenon.UsageError as error:
            assert "in use by another thread" in str(error)
            refused += 1
    assert refused > 0  # never, if stepping kept the interpreter's lock
    world.step()


def test_arrays_taken_while_a_world_steps_show_its_end(arm):
    one, two = tenon.World(arm), tenon.World(arm)
    for _ in range(20):
        thread = threading.Thread(target=one.step, args=(300,))
        thread.start()
        taken = [one.qpos, one.qvel[:2]]  # mostly in the middle of it
        thread.join()
        two.step(300)
        assert np.array_equal(taken[0], two.qpos) and np.array_equal(taken[1], two.qvel[:2])
        del taken


def test_worlds_in_several_threads_have_the_bits_of_one(arm):
    worlds = [tenon.World(arm) for _ in range(4)]
    threads = [threading.Thread(target=world.step, args=(100,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({world.hash() for world in worlds}) == 1


def interrupted(code, argument):
    child = subprocess.Popen([sys.executable, "-c", code, argument], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)  # so that the call has begun; it would also pass before
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    return child.returncode, errors


def test_an_interrupt_ends_a_long_call(scenes):
    code = "import sys, tenon; w = tenon.World(tenon.Model.from_file(sys.argv[1])); print('ready', flush=True); " \
           "w.step(10**9)"
    status, errors = interrupted(code, str(scenes / "tower.xml"))
    assert "KeyboardInterrupt" in errors and status != 0
    code = "import sys, numpy, tenon; m = tenon.Model.from_file(sys.argv[1]); b = tenon.Batch(m, 2); " \
           "print('ready', flush=True); b.rollout(numpy.zeros((2, 10**7, m.nu)), want=())"
    status, errors = interrupted(code, str(scenes / "tower.xml"))
    assert "KeyboardInterrupt" in errors and status != 0


def test_forks(arm):
    alone, shared = tenon.World(arm), tenon.World(arm, threads=2)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            alone.step(10)
            try:
                shared.step()
            except tenon.UsageError as error:
                status = 0 if "after a fork" in str(error) and alone.time > 0.049 else 2
            del shared
            gc.collect()
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    alone.step(10)
    shared.step(10)
    assert alone.hash() == shared.hash()


def test_worlds_travel_to_other_processes(arm):
    world = tenon.World(arm)
    world.step(10)
    code = "import pickle, sys; w = pickle.load(sys.stdin.buffer); w.step(10); print(w.hash())"
    there = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(world), stdout=subprocess.PIPE, timeout=60,
                           check=True)
    world.step(10)
    assert int(there.stdout) == world.hash()


def test_nothing_is_left_of_worlds_that_have_gone():
    model = tenon.Model.from_string("<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>")
    resident = LEAKS["resident"]

    def lives(count):
        for _ in range(count):
            world = tenon.World(model)
            world.qpos[2] = 1.0
            world.step()
            world.contacts, world.report, world.energy, world.save()

    lives(1000)
    before = resident()
    lives(20_000)
    # a world has some 80 kB: 200 bytes left of each would be 4 MB
    assert resident() - before < 4e6


def test_nothing_is_left_of_anything_else():
    assert LEAKS["grown"](600, 200) < 4e6  # a model with its batch has some 300 kB


def test_no_reference_is_lost():
    code = "import runpy, sys; from tenon import _core; _core._warn_of_leaks(); leaks = runpy.run_path(sys.argv[1]); " \
           "m = leaks['tenon'].Model.from_string(leaks['MODEL']); [leaks['life'](m, k) for k in range(6)]; del m"
    done = subprocess.run([sys.executable, "-c", code, str(HERE / "leaks.py")], stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 0 and "leaked" not in done.stderr, done.stderr  # nanobind counts them at the end
