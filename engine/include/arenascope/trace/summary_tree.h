// SPDX-License-Identifier: MIT
// A tree of summaries over the rows of a column: each level summarises 16 entries of the level below, and the tree grows
// with the column. Range and density queries do not visit every row; rows need not be sorted.
#pragma once
#include <arenascope/trace/column.h>

#include <vector>

namespace arenascope::trace {

inline constexpr unsigned kFanShift = 4;
inline constexpr size_t kFan = size_t{1} << kFanShift;

// S has add(const S&), which takes another summary in.
template <class S>
class SummaryView {
 public:
  SummaryView() = default;
  SummaryView(std::vector<ColumnView<S>> levels, size_t rows) : levels_(std::move(levels)), rows_(rows) {}
  size_t rows() const { return rows_; }

  // enter(summary, first row, rows): whether to descend. leaf(row) for each row that is reached.
  template <class Enter, class Leaf>
  void visit(Enter&& enter, Leaf&& leaf) const {
    size_t at = 0;  // rows before it are done
    for (size_t level = levels_.size(); level-- > 0;) {
      const unsigned shift = kFanShift * static_cast<unsigned>(level + 1);
      for (size_t i = at >> shift; i < levels_[level].size(); ++i) descend(level, i, enter, leaf);
      at = levels_[level].size() << shift;
    }
    for (; at < rows_; ++at) leaf(at);
  }

 private:
  template <class Enter, class Leaf>
  void descend(size_t level, size_t i, Enter& enter, Leaf& leaf) const {
    const unsigned shift = kFanShift * static_cast<unsigned>(level + 1);
    if (!enter(levels_[level][i], i << shift, size_t{1} << shift)) return;
    for (size_t child = i * kFan; child < (i + 1) * kFan; ++child) {
      if (level == 0) {
        leaf(child);
      } else {
        descend(level - 1, child, enter, leaf);
      }
    }
  }

  std::vector<ColumnView<S>> levels_;  // levels_[k][i] sums up 16^(k+1) rows
  size_t rows_ = 0;
};

template <class S>
class SummaryTree {
 public:
  // Allocates what the next add() needs, which then cannot fail.
  void reserve_row() {
    for (size_t level = 0;; ++level) {
      if (level == levels_.size()) levels_.emplace_back();
      Level& l = levels_[level];
      if (l.count + 1 < kFan) return;
      l.done.reserve_row();
    }
  }
  // If memory runs out the tree is unchanged.
  void add(const S& row) {
    reserve_row();
    ++rows_;
    const S* carry = &row;
    S full;
    for (size_t level = 0;; ++level) {
      Level& l = levels_[level];
      l.pending.add(*carry);
      if (++l.count < kFan) return;
      full = l.pending;
      l.done.push_back(full);
      l.pending = S{};
      l.count = 0;
      carry = &full;
    }
  }
  SummaryView<S> view() const {
    std::vector<ColumnView<S>> views;
    for (const Level& l : levels_) {
      if (!l.done.empty()) views.push_back(l.done.view());
    }
    return {std::move(views), rows_};
  }
  size_t bytes() const {
    size_t sum = 0;
    for (const Level& l : levels_) sum += l.done.bytes();
    return sum;
  }

 private:
  struct Level {
    Column<S> done;
    S pending;
    size_t count = 0;
  };
  std::vector<Level> levels_;
  size_t rows_ = 0;
};

// Appends a row and its summary: both, or neither if memory runs out.
template <class T, class S>
void append(Column<T>& rows, SummaryTree<S>& tree, T row, const S& summary) {
  tree.reserve_row();
  rows.push_back(std::move(row));
  tree.add(summary);
}

}  // namespace arenascope::trace
