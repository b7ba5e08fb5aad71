// SPDX-License-Identifier: MIT
// A mapping whose pages are generated from a random seed or by a function when they are first read, and again after
// they were released to the OS, like pages of a mapped file.
#pragma once
#include <memory>
#include <optional>

#include <arenascope/base/mapped_range.h>
#include "engine/models/generated_bytes.h"
#include "engine/models/seeded.h"

namespace arenascope::models {

class LazyPages {
 public:
  // Null: the program did not opt in, the mapping would be too small to be worthwhile, or the system refuses.
  static std::shared_ptr<const LazyPages> make(std::shared_ptr<const SharedNumbers> shared);
  static std::shared_ptr<const LazyPages> make(std::shared_ptr<const GeneratedBytes> made, size_t bytes);
  ~LazyPages();
  LazyPages(const LazyPages&) = delete;
  LazyPages& operator=(const LazyPages&) = delete;

  const std::byte* data() const { return data_; }

 private:
  LazyPages(std::shared_ptr<const void> of, detail::Drawing drawing) : of_(std::move(of)), drawing_(drawing) {}
  static std::shared_ptr<const LazyPages> reserve(std::shared_ptr<LazyPages> pages, size_t bytes);

  std::shared_ptr<const void> of_;
  detail::Drawing drawing_;
  std::byte *reserved_ = nullptr, *data_ = nullptr;
  size_t reserved_bytes_ = 0;
  std::optional<MappedRange> range_;
};

}  // namespace arenascope::models
