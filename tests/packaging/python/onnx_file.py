# SPDX-License-Identifier: MIT
"""Writes small ONNX files without the package onnx: the messages of onnx.proto that the tests need."""
FLOAT, INT64, BOOL = 1, 7, 9
_GRAPH = 5  # type of an attribute


def _number(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def _field(number, value):
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    data = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(data)) + data


def value(name, dtype, shape):
    """An input or output. A dimension is an integer, or the name of a free one."""
    dimensions = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, dtype) + _field(2, dimensions)))


def scalar(name, number):
    """An int64 constant."""
    return _field(2, INT64) + _field(8, name) + _field(9, number.to_bytes(8, "little"))


def node(op, inputs, outputs, **graphs):
    """A node. graphs: attributes, such as the branches of an If."""
    attributes = b"".join(_field(5, _field(1, name) + _field(6, graph) + _field(20, _GRAPH)) for name, graph in graphs.items())
    names = b"".join(_field(1, name) for name in inputs) + b"".join(_field(2, name) for name in outputs)
    return names + _field(4, op) + attributes


def graph(nodes, inputs, outputs, constants=()):
    out = _field(2, "graph")
    for number, parts in ((1, nodes), (5, constants), (11, inputs), (12, outputs)):
        out += b"".join(_field(number, part) for part in parts)
    return out


def write(path, *arguments):
    with open(path, "wb") as file:
        file.write(_field(1, 8) + _field(7, graph(*arguments)) + _field(8, _field(2, 17)))
