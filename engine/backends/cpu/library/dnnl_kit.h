// SPDX-License-Identifier: MIT
// What all that is given to oneDNN does alike.
#pragma once
#include <oneapi/dnnl/dnnl.hpp>

#include <arenascope/backends/cpu/kernels/one_thread.h>

namespace arenascope::cpu {

// Of primitives that several threads execute, each with scratch of its own: the library's own belongs to who made them.
inline dnnl::primitive_attr own_scratch() {
  dnnl::primitive_attr a;
  a.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return a;
}

// Copies from one layout to the other, once. False: the library does not.
inline bool reorder(const dnnl::engine& engine, const dnnl::memory::desc& given, const void* data,
                    const dnnl::memory::desc& wanted, void* to) try {
  const OneThread one;
  dnnl::memory from(given, engine, const_cast<void*>(data)), packed(wanted, engine, to);
  dnnl::stream stream(engine);
  dnnl::reorder(from, packed).execute(stream, from, packed);
  stream.wait();
  return true;
} catch (const dnnl::error&) {
  return false;
}

}  // namespace arenascope::cpu
