// SPDX-License-Identifier: MIT
// Numbers as a mapping: pages of it are drawn from a seed, or made by a function, when they are read, and again once they were given
// back, as those of a mapped file are read.
#pragma once
#include <memory>
#include <optional>

#include <arenascope/base/mapped_range.h>
#include "engine/models/made_bytes.h"
#include "engine/models/seeded.h"

namespace arenascope::models {

class DrawnPages {
 public:
  // Null: the program did not ask to survive lost pages, they are too few to be worth it, or the system refuses.
  static std::shared_ptr<const DrawnPages> make(std::shared_ptr<const SeededNumbers> numbers);
  static std::shared_ptr<const DrawnPages> make(std::shared_ptr<const MadeBytes> made, size_t bytes);
  ~DrawnPages();
  DrawnPages(const DrawnPages&) = delete;
  DrawnPages& operator=(const DrawnPages&) = delete;

  const std::byte* data() const { return data_; }

 private:
  DrawnPages(std::shared_ptr<const void> of, detail::Drawing drawing) : of_(std::move(of)), drawing_(drawing) {}
  static std::shared_ptr<const DrawnPages> reserve(std::shared_ptr<DrawnPages> pages, size_t bytes);

  std::shared_ptr<const void> of_;
  detail::Drawing drawing_;
  std::byte *reserved_ = nullptr, *data_ = nullptr;
  size_t reserved_bytes_ = 0;
  std::optional<MappedRange> range_;
};

}  // namespace arenascope::models
