# SPDX-License-Identifier: MIT
"""docs/attach.md's own program, as it stands there, in an empty folder: arguments are arenascope-cli, the source tree, a C
compiler and a folder."""
import json
import os
import re
import subprocess
import sys

cli, tree, compiler, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3], sys.argv[4]
os.makedirs(f"{folder}/include/arenascope", exist_ok=True)
header = f"{folder}/include/arenascope/arenascope_client.h"  # where an installation has it
if not os.path.lexists(header):
    os.symlink(f"{tree}/engine/attach/arenascope_client.h", header)
with open(f"{tree}/docs/attach.md") as text:
    page = text.read()
with open(f"{folder}/mine.c", "w") as out:
    out.write(re.search(r"```c\n(.*?)```", page, re.S).group(1))
build = re.search(r"^    cc (.*)$", page, re.M).group(1).split()
subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", f"-I{folder}/include", *build], cwd=folder, check=True)
watch = re.search(r"^    arenascope-cli (attach -- \./mine)$", page, re.M).group(1).split()
done = subprocess.run([cli, "attach", "--json", *watch[1:]], cwd=folder, capture_output=True, text=True)
assert done.returncode == 0, done.stderr
seen = json.loads(done.stdout)
assert seen["spaces"] == [{"name": "my pool", "allocations": 1, "peak_bytes": 1 << 20, "end_bytes": 0,
                           "reserved_peak_bytes": 0}], seen
assert seen["events"] == 3 and seen["lost_events"] == 0, seen
