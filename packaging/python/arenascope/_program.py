# SPDX-License-Identifier: MIT
"""The programs: arenascope-cli, of the wheel or the one on PATH, and the window, if its wheel is installed."""
import json
import os
import shutil
import subprocess
import sys

from ._error import Error

_MISSING = "arenascope-cli is not installed: this package was built without the programs and only records"
_OF_WHEEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "arenascope-cli")


def find():
    """The path of the program; None if there is none."""
    program = _OF_WHEEL if os.path.exists(_OF_WHEEL) else shutil.which("arenascope-cli")
    # The console script of the same name, if it is the one on PATH, would start itself again.
    if program is not None and os.path.realpath(program) != os.path.realpath(sys.argv[0]):
        return program
    return None


def _find_or_report():
    program = find()
    if program is None:
        print(f"arenascope: {_MISSING}", file=sys.stderr)
    return program


def call(arguments):
    """Runs a command; the result is its exit status."""
    program = _find_or_report()
    return 2 if program is None else subprocess.call([program, *arguments])


def run(arguments):
    """Replaces this process by a command. Returns exit status 2 if the program is not installed."""
    program = _find_or_report()
    if program is None:
        return 2
    os.execv(program, ["arenascope-cli", *arguments])


def output_of(arguments):
    """Runs a command and returns its standard output. Raises Error with the message of a command that failed. Status 1 with
    output, as for an exceeded limit, is not a failure."""
    program = find()
    if program is None:
        raise Error(_MISSING)
    ended = subprocess.run([program, *arguments], capture_output=True, text=True, encoding="utf-8", errors="replace")
    if ended.returncode > 1 or (ended.returncode == 1 and not ended.stdout):
        raise Error(ended.stderr.strip() or f"arenascope-cli ended with status {ended.returncode}")
    return ended.stdout


def json_of(arguments):
    """The JSON object that a command prints."""
    return json.loads(output_of([*arguments, "--json"]))


def window():
    """The path of the window; None if the extra `window` is not installed."""
    try:
        from arenascope_window import program
    except ImportError:
        return None
    return program


def show_window(arguments):
    """Replaces this process by the window."""
    program = window()
    os.execv(program, ["arenascope", *arguments])


def main():
    """The console script arenascope-cli."""
    return run(sys.argv[1:])
