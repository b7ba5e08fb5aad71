# SPDX-License-Identifier: MIT
"""docs/reference/recording.proto describes every field of Arenascope's extension that a recording contains.

recording_proto_test.py ARENASCOPE-CLI PROTOC PROTO FOLDER ATTACH-TARGET
"""
import os
import re
import subprocess
import sys

cli, protoc, proto, folder, target = sys.argv[1:6]
os.makedirs(folder, exist_ok=True)
wanted = {"graph", "plan", "run", "run_end", "track", "device", "allocator", "events", "counter", "name"}
seen = set()
recording = os.path.join(folder, "run.pftrace")
commands = [[cli, "run", *options, "--record", recording]
            for options in (["zoo:squeezenet"], ["zoo:nano_gpt", "--training"], ["zoo:mul_mat_in_pool", "--memory", "none"])]
commands.append([cli, "attach", "--record", recording, "--", target, "all"])  # named spans and marks
for command in commands:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(recording, "rb") as data:
        text = subprocess.run([protoc, "--proto_path=" + os.path.dirname(proto), "--decode=arenascope.Trace", proto], stdin=data,
                              stdout=subprocess.PIPE, check=True).stdout.decode("ascii", "replace")
    depth, extension = 0, None  # depth at which the extension began
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            name = line[:-1].strip()
            if name == "arenascope":
                extension = depth
            elif extension is not None:
                if name.isdigit():
                    sys.exit(f"recording.proto lacks the message field {name}")
                if depth == extension + 1:
                    seen.add(name)
            depth += 1
        elif line == "}":
            depth -= 1
            if extension == depth:
                extension = None
        elif extension is not None and re.match(r"\d+:", line):
            sys.exit(f"recording.proto lacks the field: {line[:80]}")
if wanted - seen:
    sys.exit(f"the recordings have no {', '.join(sorted(wanted - seen))}; they have {', '.join(sorted(seen))}")
print("fields seen:", ", ".join(sorted(seen)))
