// SPDX-License-Identifier: MIT
// What the turns of a loop leave, each behind the one before it, on the host.
#pragma once
#include <arenascope/models/model.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace arenascope {

class Leavings {
 public:
  // What the turns before left, behind each other.
  void begin_with(const Tensor& all, const models::Words& words, bool complex);
  // Error: another turn left something else.
  Status add(const models::ValueInfo& value, std::span<const std::byte> bytes);
  // All of it under that name. Errors: no turn left anything, no memory.
  Status give(const std::string& name, models::GivenInputs& values);
  Bytes held_bytes() const { return static_cast<Bytes>(bytes_.capacity()); }

 private:
  struct Kind {
    DType dtype = DType::F32;
    Dims sizes;
    bool words = false, complex = false;
    bool operator==(const Kind&) const = default;
  };
  void add_bytes(std::span<const std::byte> bytes, const models::Words& words);

  bool known_ = false;
  Kind kind_;
  int64_t count_ = 0;
  std::vector<std::byte> bytes_;
  models::WordList words_;  // of all turns
  models::Words last_;
  std::vector<int64_t> places_;  // of the last turn's words, among all
};

}  // namespace arenascope
