# SPDX-License-Identifier: MIT
"""PyTorch: each `with watch(model):` is one run of a graph of the ops that PyTorch dispatched in it, forward and backward.

A storage is recorded with its address, from the op that allocated it until it is freed; freed storages are detected after
each op. With `temporaries=True` PyTorch's profiler also records memory that kernels allocate and free internally. The layer
of a node is the module whose forward() ran. Tensors that autograd saves for the backward pass, and optimizer state, are
flagged.
"""
import array
import bisect
import ctypes
import gc
from itertools import compress
from time import monotonic_ns as _now  # the client's clock

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from . import _client as c
from . import _temporaries

try:
    from torch.optim.optimizer import register_optimizer_step_post_hook as _after_step
except ImportError:  # before PyTorch 2.0
    _after_step = None

SMALLEST = 4096  # bytes of a storage that is recorded
_INPUT, _PARAMETER, _WEIGHT, _OPTIMIZER_STATE, _WRITES_SOURCE, _SAVED = 1, 4, 8, 128, 256, 1024
_LEAF = 0x80000000


def _untyped_before(tensor):  # PyTorch 2.0
    storage = tensor.storage()
    return storage.untyped() if hasattr(storage, "untyped") else storage._untyped()


_untyped = getattr(torch.Tensor, "untyped_storage", _untyped_before)
_expired = getattr(torch, "UntypedStorage", torch.Storage)._expired


class _Storage:
    __slots__ = ("key", "weak", "ref", "address", "bytes", "owner", "begin", "first", "end", "last", "kind", "space", "number",
                 "told")


class _Spaces:
    """One space per device, shared by all steps because storages outlive them."""

    def __init__(self):
        self.of = {}
        self.track = c.library.track(b"PyTorch storages", c.OTHER, c.NONE)
        self.live = {}  # by the storage's identity
        self.old = {}  # live storages allocated before the current step: identity → weak reference
        self.number = 0
        self.places = {}  # by space, recorded live storages: (address, storage number, storage), ascending

    def inside(self, device):
        """The space of memory that kernels allocate and free internally."""
        key = f"inside ops on {device}"
        if key not in self.of:
            self.of[key] = c.library.space(f"PyTorch, {key}".encode(), c.WORKSPACE, c.NONE)
        return self.of[key]

    def space(self, device):
        key = str(device)
        if key not in self.of:
            host = device.type == "cpu"
            number = c.library.device(key.encode(), b"pytorch", 0, 1 if host else 0)
            self.of[key] = c.library.space(f"PyTorch storages on {key}".encode(), c.DEFAULT, number)
        return self.of[key]


_spaces = None


class _Node:
    __slots__ = ("name", "op", "layer", "dtype", "shape", "bytes", "sources", "view_of", "flags", "begin", "end")


class Watch(TorchDispatchMode):
    def __init__(self, model=None, name=None, temporaries=False):
        super().__init__()
        self.temporaries = _temporaries.Temporaries() if temporaries else None
        self.held = []  # memory events that are written when the block ends
        self.model, self.title = model, name or (type(model).__name__ if model is not None else "PyTorch")
        self.nodes, self.leafs, self.layers, self.hooks = [], [], [], []
        self.tensors = {}  # storage identity → number of its node or leaf tensor
        self.storages, self.young = [], {}  # young: storages of this step, identity → weak reference
        self.optimizers, self.unpacking = [], None
        self.saving = torch.autograd.graph.saved_tensors_hooks(self._saved, self._unpacked)
        self.active = False

    # ---- The context

    def __enter__(self):
        global _spaces
        self.active = c.connected() or c.connect()
        if not self.active:
            return self
        if _spaces is None:
            _spaces = _Spaces()
        self.begin = _now()
        if self.model is not None:
            self._know_model()
        if _after_step is not None:
            self.hooks.append(_after_step(self._stepped))
        if self.temporaries is not None:
            self.temporaries.begin()
        self.saving.__enter__()
        super().__enter__()
        return self

    def __exit__(self, *what):
        if not self.active:
            return None
        result = super().__exit__(*what)
        self.saving.__exit__(*what)
        if self.temporaries is not None:
            self.temporaries.end()
        self._know_state()
        for hook in self.hooks:
            hook.remove()
        self._look_for_gone(len(self.nodes))
        _spaces.old.update(self.young)
        self._tell(failed=what[0] is not None)
        return result

    def _know_model(self):
        for name, parameter in self.model.named_parameters():
            self._leaf(parameter, name, _PARAMETER if parameter.requires_grad else _WEIGHT, c.PERSISTENT)
        for name, buffer in self.model.named_buffers():
            self._leaf(buffer, name, _WEIGHT, c.PERSISTENT)
        for name, module in self.model.named_modules():
            if name:
                self.hooks.append(module.register_forward_pre_hook(lambda *_, n=name: self.layers.append(n)))
                self.hooks.append(module.register_forward_hook(lambda *_: self.layers.pop() and None))

    def _stepped(self, optimizer, args, kwargs):
        if not any(optimizer is known for known in self.optimizers):
            self.optimizers.append(optimizer)

    def _know_state(self):
        """Flags the state of optimizers that made a step and names it after its parameters."""
        names = {id(p): n for n, p in self.model.named_parameters()} if self.model is not None else {}
        if _after_step is None:  # no hook reports steps: all optimizers, of which those with state have made a step
            self.optimizers = [o for o in gc.get_objects() if isinstance(o, torch.optim.Optimizer)]
        for optimizer in self.optimizers:
            for parameter, state in optimizer.state.items():
                for what, tensor in state.items():
                    if not isinstance(tensor, torch.Tensor) or not _is_dense(tensor):
                        continue
                    owner = self._node_of(tensor)
                    if owner is not None:
                        owner.flags = owner.flags & ~_INPUT | _OPTIMIZER_STATE
                        owner.name = owner.name or f"{what} of {names.get(id(parameter), 'a parameter')}"

    def _saved(self, tensor):
        """Flags a tensor that autograd saves for the backward pass."""
        owner = self._node_of(tensor) if _is_dense(tensor) else None
        if owner is not None:
            owner.flags |= _SAVED
        return tensor

    def _unpacked(self, tensor):
        self.unpacking = _untyped(tensor)._cdata
        return tensor

    def _node_of(self, tensor):
        number = self.tensors.get(_untyped(tensor)._cdata)
        if number is None:
            return None
        return self.leafs[number & ~_LEAF] if number & _LEAF else self.nodes[number]

    # ---- Ops

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        begin = _now()
        out = func(*args, **(kwargs or {}))
        end = _now()
        unpacking, self.unpacking = self.unpacking, None
        if unpacking is not None and _op_of(func) == "detach" and _untyped(args[0])._cdata == unpacking:
            return out  # a saved tensor with a hook is detached when it is unpacked
        results = [t for t in ((out,) if isinstance(out, torch.Tensor) else _flat(out)) if _is_dense(t)]
        node = _Node()
        node.name, node.op, node.begin, node.end = "", _op_of(func), begin, end
        node.layer = self.layers[-1] if self.layers else ("" if torch.is_grad_enabled() else "backward")
        node.sources = [self._owner(t) for t in _flat((args, kwargs)) if _is_dense(t)]
        node.view_of, node.flags, node.dtype, node.shape, node.bytes = None, 0, "", (), 0
        if results:
            first = results[0]
            node.dtype, node.shape = str(first.dtype).replace("torch.", ""), tuple(first.shape)
            node.bytes = first.numel() * first.element_size()
        number = len(self.nodes)
        self.nodes.append(node)
        self._look_for_gone(number, at_all=False)
        for tensor in results:
            storage = _untyped(tensor)
            key = storage._cdata
            if key in self.tensors and key in _spaces.live:
                if tensor is results[0]:
                    node.view_of = self.tensors[key]
                    if func._schema.is_mutable:
                        node.flags |= _WRITES_SOURCE
                continue
            self.tensors[key] = number
            self._live(storage, key, tensor.device, number, number, c.WORKSPACE)
        return out

    def _owner(self, tensor):
        owner = self.tensors.get(_untyped(tensor)._cdata)
        return owner if owner is not None else self._leaf(tensor, "", _INPUT)

    def _leaf(self, tensor, name, flags, kind=c.DEFAULT):
        storage = _untyped(tensor)
        node = _Node()
        node.name, node.op, node.layer, node.sources, node.view_of = name, "", "", [], None
        node.dtype, node.shape = str(tensor.dtype).replace("torch.", ""), tuple(tensor.shape)
        node.bytes, node.flags = tensor.numel() * tensor.element_size(), flags
        number = _LEAF | len(self.leafs)
        self.leafs.append(node)
        self.tensors[storage._cdata] = number
        self._live(storage, storage._cdata, tensor.device, number, 0, kind)
        return number

    # ---- Storages

    def _live(self, storage, key, device, owner, step, kind):
        s = _spaces.live.get(key)
        if s is not None:  # allocated before this step
            s.owner, s.first, s.begin = owner, 0, self.begin
        else:
            s = _spaces.live[key] = _Storage()
            s.key, s.weak, s.address, s.bytes, s.owner = key, StorageWeakRef(storage), storage.data_ptr(), storage.nbytes(), owner
            s.ref = s.weak.cdata
            (self.young if kind == c.WORKSPACE else _spaces.old)[key] = s.ref
            s.begin, s.first, s.end, s.kind, s.space = _now(), step, None, kind, _spaces.space(device)
            s.number = _spaces.number = _spaces.number + 1
            s.told = s.bytes >= SMALLEST and self._make_room(s, step)
            if s.told:
                self._write_memory(s.begin, s.address, s.bytes, s.number, c.ALLOC, s.kind | s.space << 8)
        if s.told:
            self.storages.append(s)

    def _make_room(self, s, step):
        """Records the frees of storages that overlap `s`; they may not have been detected yet. Returns False if one of them
        is still alive: memory shared by two storages is recorded once."""
        places = _spaces.places.setdefault(s.space, [])
        at = bisect.bisect_left(places, (s.address,))
        if at and places[at - 1][0] + places[at - 1][2].bytes > s.address:
            at -= 1
        below = []
        while at + len(below) < len(places) and places[at + len(below)][0] < s.address + s.bytes:
            below.append(places[at + len(below)][2])
        if not all(_expired(other.ref) for other in below):
            return False
        if below:
            self._tell_gone([other.key for other in below], step)
            s.begin = _now()
        bisect.insort(places, (s.address, s.number, s))
        return True

    def _look_for_gone(self, step, at_all=True):
        """Detects freed storages: those of this step after each op, older ones every 16 ops, as few of many are freed."""
        gone = list(compress(self.young, map(_expired, self.young.values())))
        if at_all or step % 16 == 0:
            old = _spaces.old
            gone += compress(old, map(_expired, old.values()))
        if gone:
            self._tell_gone(gone, step)

    def _tell_gone(self, gone, step):
        now = _now()
        for key in gone:
            s = _spaces.live.pop(key)
            self.young.pop(key, None)
            _spaces.old.pop(key, None)
            self.tensors.pop(key, None)
            s.end, s.last = now, step
            if not s.told:
                continue
            places = _spaces.places[s.space]
            del places[bisect.bisect_left(places, (s.address, s.number))]
            self._write_memory(now, s.address, s.bytes, s.number, c.FREE, s.kind | s.space << 8)

    def _write_memory(self, *event):
        if self.temporaries is not None and self.active:
            self.held.append(event)
        else:
            c.library.write(_spaces.track, *event)

    def _tell_temporaries(self, graph):
        """Writes the memory events of storages and of kernel-internal allocations in time order."""
        found, exact = self.temporaries.found(self.storages)
        for s in self.storages:
            begin, end = exact.get(s.number, (None, None))
            s.begin = begin or s.begin
            s.end = end or s.end
        for i, (when, address, size, number, kind, extra) in enumerate(self.held):
            seen = exact.get(number, (None, None))[kind == c.FREE]
            self.held[i] = seen or when, address, size, number, kind, extra
        begins = [node.begin for node in self.nodes]
        for address, size, begin, end, device in found:
            at = bisect.bisect_right(begins, begin) - 1
            if at < 0 or size < SMALLEST or begin > self.nodes[at].end:
                continue  # not within an op
            space = _spaces.inside(device)
            _spaces.number += 1
            self.held += [(begin, address, size, _spaces.number, c.ALLOC, c.WORKSPACE | space << 8),
                          (begin, address, size | space << 47, at, c.OWNER, graph & 0xFFFFFF),
                          (end, address, size, _spaces.number, c.FREE, c.WORKSPACE | space << 8)]
        for event in sorted(self.held, key=lambda e: (e[0], e[4] != c.FREE)):
            c.library.write(_spaces.track, *event)
        self.held = []

    # ---- Writing the graph and its run

    def _tell(self, failed):
        keep = []
        nodes, leafs = (_tensors(list_, keep) for list_ in (self.nodes, self.leafs))
        graph = c.library.graph(self.title.encode(), nodes, len(self.nodes), leafs, len(self.leafs))
        if self.temporaries is not None:
            self._tell_temporaries(graph)
        run = c.library.run_begin(graph, 1, b"pytorch", self.begin)
        end = _now()
        if run == c.NONE:
            return
        events = array.array("q")
        step, work = (c.STEP | run << 8) << 32, (c.WORK | run << 8) << 32
        for i, node in enumerate(self.nodes):
            events.extend((node.begin, i, 0, i | step, node.begin, node.end, 0, i | work))
        self._tell_slices(run, end, events)
        c.write_all(events)
        c.library.run_end(run, 2 if failed else 0, end)

    def _tell_slices(self, run, end, out):
        """Offsets in the arena map are addresses with the gaps between storages removed."""
        starts, offsets, at, behind = [], [], 0, 0
        for s in sorted(self.storages, key=lambda s: s.address):
            if s.address >= behind:
                starts.append(s.address)
                offsets.append(at)
                at, behind = at + s.bytes, s.address + s.bytes
            elif s.address + s.bytes > behind:
                at, behind = at + s.address + s.bytes - behind, s.address + s.bytes
        events = []
        for s in self.storages:
            i = bisect.bisect_right(starts, s.address) - 1
            offset = offsets[i] + s.address - starts[i]
            events.append((s.begin, offset, s, s.first, c.SLICE_LIVE))
            events.append((end, offset, s, len(self.nodes), c.SLICE_DEAD) if s.end is None
                          else (s.end, offset, s, s.last, c.SLICE_DEAD))
        for time, offset, s, step, kind in sorted(events, key=lambda e: (e[0], e[4] == c.SLICE_LIVE)):
            what = s.owner | (kind | run << 8) << 32
            out.extend((min(time, end), offset | (step >> 12 & 0xFFF) << 51, s.bytes | (step & 0xFFF) << 51,
                        what - (1 << 64) if what >> 63 else what))


def _is_dense(t):
    return isinstance(t, torch.Tensor) and t.layout is torch.strided and not t.is_meta


def _flat(thing):
    if isinstance(thing, torch.Tensor):
        yield thing
    elif isinstance(thing, (list, tuple)):
        for part in thing:
            yield from _flat(part)
    elif isinstance(thing, dict):
        for part in thing.values():
            yield from _flat(part)


def _op_of(func):
    name = getattr(func, "_overloadpacket", func)
    return getattr(name, "__name__", str(func))


def _tensors(nodes, keep):
    """Converts nodes to an array of client tensors; `keep` keeps the referenced memory alive."""
    array = (c.Tensor * max(len(nodes), 1))()
    for t, node in zip(array, nodes):
        shape = (ctypes.c_int64 * len(node.shape))(*node.shape)
        source = (ctypes.c_uint32 * len(node.sources))(*node.sources)
        keep += [shape, source]
        t.name, t.op, t.layer, t.dtype = node.name.encode(), node.op.encode(), node.layer.encode(), node.dtype.encode()
        t.backend, t.shape, t.dimensions, t.source, t.sources = b"pytorch", shape, len(shape), source, len(source)
        t.bytes, t.flags = node.bytes, node.flags
        if node.view_of is not None:
            t.is_view, t.view_source = 1, node.view_of
    return array
