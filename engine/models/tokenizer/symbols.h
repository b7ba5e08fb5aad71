// SPDX-License-Identifier: MIT
// Byte pair encoding's inner loop: consecutive symbols, of which the pair that comes first by a rule is joined, again and
// again (Sennrich, Haddow and Birch 2016), with a queue of candidates so that long words take n·log n.
#pragma once
#include <cstdint>
#include <queue>
#include <string_view>
#include <vector>

namespace arenascope::models {

// `Rank` is a comparable type: the pair with the greatest rank is merged first, the leftmost of equal ones.
// `rank(left, right, rank&)` returns whether two adjacent symbols can be merged; both are parts of one text.
template <class Rank>
class Symbols {
 public:
  void add(std::string_view text) {
    const auto i = static_cast<int>(symbols_.size());
    symbols_.push_back({text, i - 1, -1});
    if (i > 0) symbols_[static_cast<size_t>(i - 1)].next = i;
  }

  template <class Find>
  void join(Find&& rank) {
    for (int i = 0; i + 1 < static_cast<int>(symbols_.size()); ++i) propose(i, i + 1, rank);
    while (!queue_.empty()) {
      const Candidate pair = queue_.top();
      queue_.pop();
      Symbol &left = at(pair.left), &right = at(pair.right);
      // Either has been joined with another one since.
      if (left.text.empty() || right.text.empty() || left.text.size() + right.text.size() != pair.bytes) continue;
      left.text = {left.text.data(), pair.bytes};
      right.text = {};
      left.next = right.next;
      if (right.next >= 0) at(right.next).previous = pair.left;
      if (left.previous >= 0) propose(left.previous, pair.left, rank);
      if (left.next >= 0) propose(pair.left, left.next, rank);
    }
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Symbol& symbol : symbols_)
      if (!symbol.text.empty()) visit(symbol.text);
  }

 private:
  struct Symbol {
    std::string_view text;  // empty: joined with the one in front of it
    int previous, next;
  };
  struct Candidate {
    Rank rank;
    int left, right;
    size_t bytes;
    bool operator<(const Candidate& other) const {
      return rank < other.rank || (!(other.rank < rank) && left > other.left);
    }
  };

  Symbol& at(int i) { return symbols_[static_cast<size_t>(i)]; }
  template <class Find>
  void propose(int left, int right, Find&& rank) {
    Candidate pair{{}, left, right, at(left).text.size() + at(right).text.size()};
    if (rank(at(left).text, at(right).text, pair.rank)) queue_.push(pair);
  }

  std::vector<Symbol> symbols_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace arenascope::models
