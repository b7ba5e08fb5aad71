// SPDX-License-Identifier: MIT
// What the bytes of an object in a context's pool are: a tensor's fields and what it keeps behind itself, a graph's arrays.
#pragma once
#include <vector>

#include <arenascope/graph/context.h>
#include <arenascope/trace/info.h>

namespace arenascope {

// By offset, without gaps, from the object's first byte to its last.
std::vector<trace::ObjectPart> parts_of_object(const Context& context, const ObjectHeader& object);

}  // namespace arenascope
