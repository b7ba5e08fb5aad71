// SPDX-License-Identifier: MIT
// A column that grows at its end while readers access earlier rows, without copying and without locks.
// The writer owns the Column; a ColumnView shares its chunks and remains valid and unchanged.
// Views are taken under the lock that also guards the writer; reading needs no lock.
#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <vector>

namespace arenascope::trace {

inline constexpr size_t kColumnShift = 9;  // 512 rows a chunk
inline constexpr size_t kColumnRows = size_t{1} << kColumnShift;

namespace detail {
template <class T>
struct ColumnChunks {
  explicit ColumnChunks(size_t n) : capacity(n), chunks(std::make_unique<std::shared_ptr<T[]>[]>(n)) {}
  size_t capacity;
  std::unique_ptr<std::shared_ptr<T[]>[]> chunks;
};
}  // namespace detail

template <class T>
class ColumnView {
 public:
  ColumnView() = default;
  ColumnView(std::shared_ptr<const detail::ColumnChunks<T>> chunks, size_t size)
      : chunks_(std::move(chunks)), size_(size) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const {
    assert(i < size_);
    return chunks_->chunks[i >> kColumnShift][i & (kColumnRows - 1)];
  }
  const T& back() const { return (*this)[size_ - 1]; }

  // The first row in [from, size) for which before(row) is false; the rows are partitioned by `before`.
  template <class Before>
  size_t partition_point(Before before, size_t from = 0) const {
    size_t lo = from, hi = size_;
    while (lo < hi) {
      const size_t mid = lo + (hi - lo) / 2;
      if (before((*this)[mid])) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    return lo;
  }

 private:
  std::shared_ptr<const detail::ColumnChunks<T>> chunks_;
  size_t size_ = 0;
};

template <class T>
class Column {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const { return chunks_->chunks[i >> kColumnShift][i & (kColumnRows - 1)]; }

  // Allocates what the next push_back() needs, which then cannot fail.
  void reserve_row() {
    if (const size_t chunk = size_ >> kColumnShift; chunk == owned_.size())
      add_chunk(chunk, std::make_shared<T[]>(kColumnRows));
  }
  // If memory runs out the column is unchanged.
  void push_back(T value) {
    reserve_row();
    chunks_->chunks[size_ >> kColumnShift][size_ & (kColumnRows - 1)] = std::move(value);
    ++size_;
  }

  // A row to modify. Views taken earlier keep the old value: the chunk is copied if a view may share it.
  T& mutate(size_t i) {
    assert(i < size_);
    if (published_) {
      auto fresh = std::make_shared<detail::ColumnChunks<T>>(chunks_->capacity);
      for (size_t c = 0; c < owned_.size(); ++c) fresh->chunks[c] = chunks_->chunks[c];
      chunks_ = std::move(fresh);
      owned_.assign(owned_.size(), false);
      published_ = false;
    }
    const size_t chunk = i >> kColumnShift;
    if (!owned_[chunk]) {
      auto fresh = std::make_shared<T[]>(kColumnRows);
      const size_t rows = std::min(kColumnRows, size_ - (chunk << kColumnShift));
      for (size_t r = 0; r < rows; ++r) fresh[r] = chunks_->chunks[chunk][r];
      if (chunks_->chunks[chunk] == blank_) --blanks_;
      chunks_->chunks[chunk] = std::move(fresh);
      owned_[chunk] = true;
    }
    return chunks_->chunks[chunk][i & (kColumnRows - 1)];
  }

  // Drops rows from the front, whole chunks only: possibly fewer than `rows`. Returns the number dropped; the others move up.
  size_t drop_front(size_t rows) {
    const size_t gone = std::min(rows, size_) >> kColumnShift;
    if (gone == 0) return 0;
    auto fresh = std::make_shared<detail::ColumnChunks<T>>(chunks_->capacity);
    for (size_t c = gone; c < owned_.size(); ++c) fresh->chunks[c - gone] = chunks_->chunks[c];
    for (size_t c = 0; c < gone; ++c) blanks_ -= chunks_->chunks[c] == blank_ ? 1 : 0;
    chunks_ = std::move(fresh);
    const auto count = static_cast<ptrdiff_t>(gone);
    owned_.erase(owned_.begin(), owned_.begin() + count);
    if (published_) owned_.assign(owned_.size(), false);
    published_ = false;
    size_ -= gone << kColumnShift;
    return gone << kColumnShift;
  }

  // Replaces the first rows by `row`, which all of them share: whole chunks only, so fewer than `rows` may be replaced.
  // Row numbers stay. Returns how many rows were replaced in this call.
  size_t blank_front(size_t rows, const T& row) {
    const size_t end = std::min(rows, size_) >> kColumnShift;
    size_t first = 0;
    while (first < end && chunks_->chunks[first] == blank_) ++first;
    if (first == end) return 0;
    make_blank(row);
    auto fresh = std::make_shared<detail::ColumnChunks<T>>(chunks_->capacity);
    for (size_t c = 0; c < owned_.size(); ++c) fresh->chunks[c] = c < end ? blank_ : chunks_->chunks[c];
    for (size_t c = first; c < end; ++c) blanks_ += chunks_->chunks[c] == blank_ ? 0 : 1;
    chunks_ = std::move(fresh);
    for (size_t c = 0; c < owned_.size(); ++c) owned_[c] = c >= end && owned_[c] && !published_;
    published_ = false;
    return (end - first) << kColumnShift;
  }
  // Appends rows equal to `row`, which all whole chunks of them share.
  void append_blank(size_t rows, const T& row) {
    make_blank(row);
    for (const size_t end = size_ + rows; size_ < end;) {
      if ((size_ & (kColumnRows - 1)) != 0 || end - size_ < kColumnRows) {
        push_back(row);
        continue;
      }
      add_chunk(size_ >> kColumnShift, blank_);
      size_ += kColumnRows;
      ++blanks_;
    }
  }

  ColumnView<T> view() const {
    published_ = true;
    return {chunks_, size_};
  }
  size_t bytes() const { return (owned_.size() - blanks_ + (blank_ ? 1 : 0)) * kColumnRows * sizeof(T); }

 private:
  void make_blank(const T& row) {
    if (blank_) return;
    auto blank = std::make_shared<T[]>(kColumnRows);
    std::fill_n(blank.get(), kColumnRows, row);
    blank_ = std::move(blank);
  }
  void add_chunk(size_t chunk, std::shared_ptr<T[]> rows) {
    if (!chunks_ || chunk == chunks_->capacity) {
      auto fresh = std::make_shared<detail::ColumnChunks<T>>(chunks_ ? chunks_->capacity * 2 : 4);
      for (size_t c = 0; c < chunk; ++c) fresh->chunks[c] = chunks_->chunks[c];
      chunks_ = std::move(fresh);
    }
    owned_.push_back(rows != blank_);
    chunks_->chunks[chunk] = std::move(rows);
  }

  std::shared_ptr<detail::ColumnChunks<T>> chunks_;
  std::vector<bool> owned_;     // chunks no view can see; meaningful while not published
  std::shared_ptr<T[]> blank_;  // the chunk that all blank chunks are
  size_t blanks_ = 0;           // number of blank chunks
  size_t size_ = 0;
  mutable bool published_ = false;
};

}  // namespace arenascope::trace
