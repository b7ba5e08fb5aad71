// SPDX-License-Identifier: GPL-3.0-or-later
// Describes the bytes of an object in a context's pool: a tensor's fields as in ggml, a graph's arrays.
#pragma once
#include <arenascope/trace/info.h>

#include <QString>

namespace arenascope::views {

// The name of a tensor, or its number.
QString tensor_text(trace::TensorRef ref, const trace::GraphInfo* graph);

// "op_params"; ggml's names if it has the same field.
QString part_name(trace::ObjectPartKind kind);
// The content: "kernel 3×3 …, 0100 0000"; empty if unknown. `tensor` is null if the object is not a tensor of the
// graph.
QString part_value(const trace::ObjectPart& part, const trace::TensorInfo* tensor, const trace::GraphInfo* graph);
// One line per part: name, offset and bytes, value.
QString parts_text(const trace::ObjectInfo& object, const trace::TensorInfo* tensor, const trace::GraphInfo* graph);
// The total size of the parts of one kind.
Bytes bytes_of(const trace::ObjectInfo& object, trace::ObjectPartKind kind);

}  // namespace arenascope::views
