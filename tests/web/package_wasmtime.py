"""Takes steps with tenon.wasm in wasmtime, by its plain functions, and prints the hash of the state.

  package_wasmtime.py ENGINE FOLDER MODEL STEPS
"""
import sys

import wasmtime

program, folder, model, steps = sys.argv[1:]
engine = wasmtime.Engine()
linker = wasmtime.Linker(engine)
linker.define_wasi()
store = wasmtime.Store(engine)
wasi = wasmtime.WasiConfig()
wasi.preopen_dir(folder, "/")
store.set_wasi(wasi)
calls = linker.instantiate(store, wasmtime.Module.from_file(engine, program)).exports(store)
calls["_initialize"](store)
path = f"/{model}".encode() + b"\0"
at = calls["tenon_take"](store, len(path))
calls["memory"].write(store, path, at)
world = calls["tenon_open"](store, at, 0)
if not world or calls["tenon_step"](store, world, int(steps)) != int(steps):
    sys.exit("the model does not load, or a step was refused")
print(f"{calls['tenon_hash'](store, world) % 2**64:016x}")
