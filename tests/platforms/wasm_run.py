#!/usr/bin/env python3
"""Runs a program of WebAssembly (WASI) with wasmtime: wasm_run.py PROGRAM [ARGUMENTS...]. It sees the sources, the folder for
temporary files, and the caller's folder as its root and present folder. Compiled code is kept in wasmtime's cache."""
import os
import sys
import tempfile

import wasmtime

config = wasmtime.Config()
config.cache = True
engine = wasmtime.Engine(config)
linker = wasmtime.Linker(engine)
linker.define_wasi()
store = wasmtime.Store(engine)
wasi = wasmtime.WasiConfig()
wasi.argv = sys.argv[1:]
wasi.env = [*os.environ.items()]
wasi.inherit_stdin()
wasi.inherit_stdout()
wasi.inherit_stderr()
sources = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
for here, there in ((".", "/"), (tempfile.gettempdir(), tempfile.gettempdir()), (sources, sources)):
    wasi.preopen_dir(here, there)
store.set_wasi(wasi)
module = wasmtime.Module.from_file(engine, sys.argv[1])
try:
    linker.instantiate(store, module).exports(store)["_start"](store)
except wasmtime.ExitTrap as end:
    sys.exit(end.code)
except wasmtime.Trap as trap:
    sys.stdout.flush()
    print(f"trap: {trap}", file=sys.stderr)
    sys.exit(134)
