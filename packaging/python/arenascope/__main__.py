# SPDX-License-Identifier: MIT
"""python -m arenascope SCRIPT ARGS…: runs a script and records all its PyTorch ops as one run."""
import importlib.util
import runpy
import sys

import arenascope


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        helps = sys.argv[1:2] in (["-h"], ["--help"])
        print("usage: python -m arenascope SCRIPT ARGS…", file=sys.stdout if helps else sys.stderr)
        return 0 if helps else 2
    if importlib.util.find_spec("torch") is None:
        print("arenascope: PyTorch, whose ops would be recorded, is not installed", file=sys.stderr)
        return 1
    sys.argv = sys.argv[1:]
    arenascope.connect(sys.argv[0])
    with arenascope.watch(name=sys.argv[0]):
        runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
