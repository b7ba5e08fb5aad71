# SPDX-License-Identifier: MIT
"""python -m arenascope SCRIPT ARGS…: runs a script and records all its PyTorch ops as one run."""
import runpy
import sys

import arenascope


def main():
    if len(sys.argv) < 2:
        print("usage: python -m arenascope SCRIPT ARGS…", file=sys.stderr)
        return 2
    sys.argv = sys.argv[1:]
    arenascope.connect(sys.argv[0])
    with arenascope.watch(name=sys.argv[0]):
        runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
