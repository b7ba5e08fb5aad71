# SPDX-License-Identifier: MIT
"""Plans the memory of ExecuTorch programs.

    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite
    from executorch.exir.passes import MemoryPlanningPass
    import arenascope.executorch

    suite = MemoryPlanningAlgorithmSuite([arenascope.executorch.planner()])
    program = edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(suite)))
"""
from __future__ import annotations

from typing import Any, Callable

from ._error import Error
from ._plan import plan


def _storage(spec):
    """The tensor that owns the storage of `spec`, and the offset in it in bytes."""
    offset, seen = 0, set()
    while getattr(spec, "storage_base", None) is not None:
        if id(spec) in seen:
            raise Error("cannot plan an ExecuTorch program: expected tensors without a circular storage_base, found one")
        seen.add(id(spec))
        offset += spec.storage_base_offset
        spec = spec.storage_base
    return spec, offset


def planner(name: str = "search", budget_seconds: float = 1.0) -> Callable[..., Any]:
    """A memory planning algorithm for MemoryPlanningAlgorithmSuite or MemoryPlanningPass of ExecuTorch.

    name: one of arenascope.planners(). budget_seconds: time limit of each memory, for planners that search. The algorithm
    returns a MemoryAlgoResult: a tensor's mem_id is kept (1 if it has none), its offset is a multiple of the alignment, and
    each size includes ExecuTorch's padding. A tensor in the storage of another one is placed with it. Needs NumPy. The algorithm
    raises Error for a tensor without a lifetime."""

    def algorithm(alignment, specs, graph_module, graph_signature=None, extra_padding=0):
        from executorch.exir.memory_planning import MemoryAlgoResult, SpecAllocResult

        owners: dict[int, list] = {}  # by mem_id
        for spec in specs:
            spec.realign(alignment)
            if _storage(spec)[0] is spec:
                owners.setdefault(1 if spec.mem_id is None else spec.mem_id, []).append(spec)
        reserved = getattr(graph_module, "input_mem_buffer_sizes", None) or []
        sizes = [0] * max(2, 1 + max(owners, default=0))
        placed = {}
        for mem_id, tensors in owners.items():
            base = reserved[mem_id] if mem_id < len(reserved) else 0
            base += -base % alignment
            offsets, size = _place(tensors, name, budget_seconds, alignment)
            sizes[mem_id] = base + size + extra_padding
            for number, (spec, offset) in enumerate(zip(tensors, offsets)):
                placed[id(spec)] = (mem_id, number, base + offset)
        result = MemoryAlgoResult({}, sizes)
        for spec in specs:
            owner, offset = _storage(spec)
            if id(owner) not in placed:
                raise Error("cannot plan an ExecuTorch program: expected the storage of every tensor among its tensors, "
                            "found a tensor whose storage_base is not")
            mem_id, number, start = placed[id(owner)]
            result.spec_dict[spec] = SpecAllocResult(mem_id, number, start + offset)
        return result

    algorithm.__name__ = f"arenascope_{name}"
    return algorithm


def _place(tensors, name, budget_seconds, alignment):
    """Offsets of tensors in one memory, and its size. ExecuTorch's lifetimes include the last use."""
    for spec in tensors:
        if None in spec.lifetime:
            raise Error(f"cannot plan an ExecuTorch program: expected a lifetime of each tensor, found {spec.lifetime}")
    found = plan([spec.allocated_memory for spec in tensors], [spec.lifetime[0] for spec in tensors],
                 [spec.lifetime[1] + 1 for spec in tensors], planner=name, budget_seconds=budget_seconds, alignment=alignment)
    return found.offsets.tolist(), found.arena_bytes
