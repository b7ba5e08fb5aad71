// SPDX-License-Identifier: MIT
// The layout of an object in a context's pool: the fields of a tensor and the data stored after it, or a graph's
// arrays.
#pragma once
#include <vector>

#include <arenascope/graph/context.h>
#include <arenascope/trace/info.h>

namespace arenascope {

// By offset, without gaps, from the object's first byte to its last.
std::vector<trace::ObjectPart> parts_of_object(const Context& context, const ObjectHeader& object);

}  // namespace arenascope
