# SPDX-License-Identifier: MIT
"""Builds and records the example program of docs/how-to/attach-own.md, unmodified, in an empty folder. Arguments: arenascope-cli,
the source tree, a C compiler and a folder."""
import json
import os
import re
import subprocess
import sys

cli, tree, compiler, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3], sys.argv[4]
os.makedirs(folder, exist_ok=True)
with open(f"{tree}/docs/how-to/attach-own.md") as text:
    page = text.read()
with open(f"{folder}/mine.c", "w") as out:
    out.write(re.search(r"```c\n(.*?)```", page, re.S).group(1))
build = re.search(r"^    cc (.*)$", page, re.M).group(1)
path = f"{os.path.dirname(cli)}:{os.environ['PATH']}"  # the command line calls arenascope-cli
subprocess.run(["sh", "-c", f"'{compiler}' -Wall -Wextra -Werror {build}"], cwd=folder, check=True,
               env={**os.environ, "PATH": path})
watch = re.search(r"^    arenascope-cli (attach -- \./mine)$", page, re.M).group(1).split()
done = subprocess.run([cli, "attach", "--json", *watch[1:]], cwd=folder, capture_output=True, text=True)
assert done.returncode == 0, done.stderr
seen = json.loads(done.stdout)
assert seen["spaces"] == [{"name": "my pool", "allocations": 1, "peak_bytes": 1 << 20, "end_bytes": 0,
                           "reserved_peak_bytes": None}], seen
assert seen["events"] == 3 and seen["lost_events"] == 0, seen
