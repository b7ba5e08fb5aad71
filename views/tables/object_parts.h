// SPDX-License-Identifier: GPL-3.0-or-later
// What the bytes of an object in a context's pool are, in words: a tensor's fields as ggml has them, a graph's arrays.
#pragma once
#include <arenascope/trace/info.h>

#include <QString>

namespace arenascope::views {

// A tensor's name, or its number.
QString tensor_text(trace::TensorRef ref, const trace::GraphInfo* graph);

// "op_params"; ggml's names where it has the same.
QString part_name(trace::ObjectPartKind kind);
// What stands there: "kernel 3×3 …, 0100 0000"; empty where nobody told it. `tensor` null: the object is none of the graph.
QString part_value(const trace::ObjectPart& part, const trace::TensorInfo* tensor, const trace::GraphInfo* graph);
// A line a part: name, offset and bytes, value.
QString parts_text(const trace::ObjectInfo& object, const trace::TensorInfo* tensor, const trace::GraphInfo* graph);
// Of one kind, all together.
Bytes bytes_of(const trace::ObjectInfo& object, trace::ObjectPartKind kind);

}  // namespace arenascope::views
