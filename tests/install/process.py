"""A command that must succeed, and what it printed."""
import os
import subprocess


def run(*command, **variables):
    done = subprocess.run(command, env={**os.environ, **variables}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout
