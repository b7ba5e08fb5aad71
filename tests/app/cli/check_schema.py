# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates JSON files by a schema; together they must have every property that it describes, except for rare ones.

check_schema.py [--rare=KEY.KEY…] SCHEMA FILE…
"""
import json
import pathlib
import sys

import jsonschema

arguments = sys.argv[1:]
rare = {argument.removeprefix("--rare=") for argument in arguments if argument.startswith("--rare=")}
schema_path, *files = [pathlib.Path(argument) for argument in arguments if not argument.startswith("--")]
schema = json.loads(schema_path.read_text())
store = {each["$id"]: each for each in (json.loads(p.read_text()) for p in schema_path.parent.glob("*.json"))}
validator_class = jsonschema.validators.validator_for(schema)
validator_class.check_schema(schema)
validator = validator_class(schema, resolver=jsonschema.RefResolver.from_schema(schema, store=store))
problems, seen = [], set()


def resolve(part):
    while "$ref" in part:
        name = part["$ref"]
        part = schema["$defs"][name.split("/")[-1]] if name.startswith("#") else store[name]
    return part


def note_seen(value, part, path):
    part = resolve(part)
    if isinstance(value, dict):
        for key, entry in value.items():
            if key in part.get("properties", {}):
                seen.add((id(part), key))
                note_seen(entry, part["properties"][key], path + [key])
    elif isinstance(value, list) and isinstance(part.get("items"), dict):
        for entry in value:
            note_seen(entry, part["items"], path)


def check_seen(part, path, visited):
    part = resolve(part)
    if id(part) in visited or part.get("$id") == "report-header.schema.json":
        return
    visited.add(id(part))
    for key, entry in part.get("properties", {}).items():
        if (id(part), key) not in seen and ".".join(path + [key]) not in rare:
            problems.append(f"{schema_path.name} describes '{'.'.join(path + [key])}', which is not printed")
        check_seen(entry, path + [key], visited)
    if isinstance(part.get("items"), dict):
        check_seen(part["items"], path, visited)


for name in files:
    printed = json.loads(name.read_text())
    for error in validator.iter_errors(printed):
        problems.append(f"{name}: {error.json_path}: {error.message[:300]}")
    note_seen(printed, schema, [])
check_seen(schema, [], set())
print("\n".join(problems))
sys.exit(bool(problems))
