# SPDX-License-Identifier: MIT
"""The command line arenascope-cli: of the wheel, or the one on PATH."""
import os
import shutil
import subprocess
import sys

_OF_WHEEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "arenascope-cli")


def find():
    """The path of the program; None, after an error message, if there is none."""
    program = _OF_WHEEL if os.path.exists(_OF_WHEEL) else shutil.which("arenascope-cli")
    # The console script of the same name, if it is the one on PATH, would start itself again.
    if program is not None and os.path.realpath(program) != os.path.realpath(sys.argv[0]):
        return program
    print("arenascope: arenascope-cli is not installed: this package was built without the programs and only records",
          file=sys.stderr)
    return None


def call(arguments):
    """Runs a command; the result is its exit status."""
    program = find()
    return 2 if program is None else subprocess.call([program, *arguments])


def run(arguments):
    """Replaces this process by a command. Returns exit status 2 if the program is not installed."""
    program = find()
    if program is None:
        return 2
    os.execv(program, ["arenascope-cli", *arguments])


def main():
    """The console script arenascope-cli."""
    return run(sys.argv[1:])
