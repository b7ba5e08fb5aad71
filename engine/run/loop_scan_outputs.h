// SPDX-License-Identifier: MIT
// Scan outputs of a loop on the host: the values of all iterations, concatenated along a new first axis.
#pragma once
#include <arenascope/models/model.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace arenascope {

class ScanOutputs {
 public:
  // Starts with the concatenated values of earlier iterations.
  void start_with(const Tensor& all, const models::StringTable& strings, bool complex);
  // Appends the value of one iteration. Errors: type or shape differ from earlier iterations.
  Status add(const models::ValueInfo& value, std::span<const std::byte> bytes);
  // Stores the concatenated value under that name. Errors: no iteration ran and the type is unknown, out of memory.
  Status store(const std::string& name, models::GivenInputs& values);
  Bytes allocated_bytes() const { return static_cast<Bytes>(bytes_.capacity()); }

 private:
  struct Kind {
    DType dtype = DType::F32;
    Dims sizes;
    bool strings = false, complex = false;
    bool operator==(const Kind&) const = default;
  };
  void add_bytes(std::span<const std::byte> bytes, const models::StringTable& strings);

  bool known_ = false;
  Kind kind_;
  int64_t count_ = 0;
  std::vector<std::byte> bytes_;
  models::StringInterner strings_;  // strings of all iterations
  models::StringTable last_;
  std::vector<int64_t> joint_index_;  // index in the joint string table of each string of the last iteration
};

}  // namespace arenascope
