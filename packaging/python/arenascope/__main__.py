# SPDX-License-Identifier: MIT
"""python -m arenascope, and the console script arenascope: records a script, opens a file in the window or writes its report, or
runs a command of arenascope-cli."""
import importlib.util
import os
import runpy
import sys

import arenascope
from arenascope import _program

USAGE = """\
usage: python -m arenascope SCRIPT.py ARGS…      run a script and record all its PyTorch ops as one run
       python -m arenascope [FILE]               open a model, recording or trace in the window; without a display, or
                                                 without arenascope-window, write its report as an HTML page
       python -m arenascope FILE -o PAGE         write the report as an HTML page
       python -m arenascope convert FILE… FOLDER/
                                                 write the tables of recordings as Parquet files
       python -m arenascope COMMAND ARGS…        run a command of arenascope-cli, such as info or plan"""


def record(arguments):
    """Runs a script and records its PyTorch ops."""
    if importlib.util.find_spec("torch") is None:
        print("arenascope: PyTorch, whose ops would be recorded, is not installed", file=sys.stderr)
        return 1
    sys.argv = arguments
    arenascope.connect(sys.argv[0])
    with arenascope.watch(name=sys.argv[0]):
        runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


def has_display():
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def is_file(argument):
    return argument.startswith("zoo:") or os.path.exists(argument)


def report(arguments):
    """Opens files in the window, or writes the report of one as a page into the current folder, unless another form or output
    is given."""
    if any(a.split("=")[0] in ("-o", "--output", "--json", "--markdown", "-h", "--help") for a in arguments):
        return _program.run(["report", *arguments])
    if _program.window() and has_display() and all(map(is_file, arguments)):
        return _program.show_window(arguments)
    page = os.path.basename(os.path.normpath(arguments[0])).replace(":", "_") + ".html"
    status = _program.call(["report", *arguments, "-o", page])
    if status == 0:
        print(page)
    return status


def convert(arguments):
    """Writes the tables of recordings as Parquet files."""
    try:
        names = arenascope.to_parquet(arguments[:-1], arguments[-1])
    except arenascope.Error as error:
        print(f"arenascope: {error}", file=sys.stderr)
        return 2
    print(f"{len(names)} recordings in {arguments[-1]}")
    return 0


def main():
    arguments = sys.argv[1:]
    if not arguments and _program.window() and has_display():
        return _program.show_window([])
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    if arguments[0].endswith(".py"):
        return record(arguments)
    # The converter of arenascope-cli writes one file.
    if arguments[0] == "convert" and len(arguments) > 2 and arguments[-1].endswith(os.sep):
        return convert(arguments[1:])
    # A lower-case word is a command, also if a file has its name: "./run" is the file.
    is_command = arguments[0].isalpha() and arguments[0].islower()
    if not is_command and is_file(arguments[0]):
        return report(arguments)
    return _program.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
