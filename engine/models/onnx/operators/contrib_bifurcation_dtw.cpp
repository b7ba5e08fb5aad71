// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/contrib_bifurcation_dtw.h"
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace arenascope::models {

// Dynamic time warping (Sakoe and Chiba 1978) with steps down, across or both; ties go across.
void dynamic_time_warping(OpCall& c) {
  const Dims& sizes = c.sizes(0);
  if (!c.ok()) return;
  const int rank = sizes.rank();
  if (rank < 2 || rank > 3 || (rank == 3 && sizes[0] != 1))
    return c.fail(fmt::format("its costs have the shape {}: expected [M, N] or [1, M, N]", to_string(sizes)));
  const auto costs = c.known(0);
  if (!costs) return c.wait_for(0, "its costs must be known at compile time", true);
  const int64_t rows = sizes[rank - 2], columns = sizes[rank - 1], width = columns + 1;
  if (rows < 1 || columns < 1) return c.out(0, HostArray::make(DType::I32, {2, 0}));
  enum class From : uint8_t { Both, Row, Column };
  std::vector<float> least(static_cast<size_t>((rows + 1) * width), std::numeric_limits<float>::infinity());
  std::vector<From> from(least.size(), From::Both);
  least[0] = 0;
  for (int64_t i = 1; i <= rows; ++i)
    for (int64_t k = 1; k <= columns; ++k) {
      const auto at = static_cast<size_t>(i * width + k), above = at - static_cast<size_t>(width);
      const float both = least[above - 1], row = least[above], column = least[at - 1];
      from[at] = both < row && both < column ? From::Both : row < both && row < column ? From::Row : From::Column;
      const float before = from[at] == From::Both ? both : from[at] == From::Row ? row : column;
      least[at] = before + static_cast<float>(costs->number((i - 1) * columns + k - 1));
    }
  std::vector<int64_t> down, across;  // from the end
  for (int64_t i = rows, k = columns; i > 0 && k > 0;) {
    down.push_back(i - 1), across.push_back(k - 1);
    const From step = from[static_cast<size_t>(i * width + k)];
    if (step != From::Column) --i;
    if (step != From::Row) --k;
  }
  const auto count = static_cast<int64_t>(down.size());
  HostArray out = HostArray::make(DType::I32, {2, count});
  for (int64_t i = 0; i < count; ++i) {
    out.set_integer(i, down[static_cast<size_t>(count - 1 - i)]);
    out.set_integer(count + i, across[static_cast<size_t>(count - 1 - i)]);
  }
  c.out(0, std::move(out));
}

namespace {

// For each index of `text`, the number of tokens before it that equal the last tokens of `written`, up to `most` (Gusfield's Z algorithm, reversed).
std::vector<int64_t> runs_before(const std::vector<int64_t>& text, const std::vector<int64_t>& written, int64_t most) {
  const auto last = static_cast<size_t>(std::min<int64_t>(most, static_cast<int64_t>(written.size())));
  std::vector<int64_t> line(written.rbegin(), written.rbegin() + static_cast<std::ptrdiff_t>(last));
  line.insert(line.end(), text.rbegin(), text.rend());
  std::vector<size_t> same(line.size(), 0);
  for (size_t i = 1, from = 0, to = 0; i < line.size(); ++i) {
    size_t n = i < to ? std::min(to - i, same[i - from]) : 0;
    while (n < last && i + n < line.size() && line[n] == line[i + n]) ++n;
    same[i] = std::min(n, last);
    if (i + same[i] > to) from = i, to = i + same[i];
  }
  return {same.rbegin(), same.rbegin() + static_cast<std::ptrdiff_t>(text.size())};
}

// The index in the text after the longest suffix of `written` that occurs in it exactly once. -1: none.
int64_t next_index(const std::vector<int64_t>& text, const std::vector<int64_t>& written, int64_t least, int64_t most) {
  most = std::min(most, static_cast<int64_t>(written.size()));
  const std::vector<int64_t> runs = runs_before(text, written, most);
  std::vector<int64_t> first(static_cast<size_t>(most) + 1, -1), count(first.size(), 0);  // per length
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto length = static_cast<size_t>(runs[i]);
    ++count[length];
    if (first[length] < 0) first[length] = static_cast<int64_t>(i) + 1;
  }
  for (size_t n = first.size() - 1; n-- > 0;) {
    count[n] += count[n + 1];
    if (first[n] < 0 || (first[n + 1] >= 0 && first[n + 1] < first[n])) first[n] = first[n + 1];
  }
  int64_t place = -1;
  for (int64_t n = least; n <= most; ++n) {
    const auto at = static_cast<size_t>(n);
    if (count[at] == 0) break;
    place = first[at];
    if (place >= static_cast<int64_t>(text.size())) break;
    if (count[at] > 1) place = -1;
  }
  return place;
}

}  // namespace

void bifurcation_detector(OpCall& c) {
  const int64_t least = c.attr_int("min_ngram_size", 1), most = c.attr_int("max_ngram_size", 3);
  if (least < 1 || most < least) return c.fail(fmt::format("n-gram sizes from {} to {} are invalid", least, most));
  for (size_t i = 0; i < 4; ++i) {
    if (i == 3 && !c.has(3)) break;
    const Dims& sizes = c.sizes(i);
    if (!c.ok()) return;
    if (i == 2 ? element_count(sizes) != 1 : sizes.rank() != 1)
      return c.fail(fmt::format("input {} is {}", i, to_string(sizes)));
    if (!c.known(i)) return c.wait_for(i, "its tokens must be known at compile time", true);
  }
  const std::vector<int64_t> text = *c.ints(0);
  std::vector<int64_t> written = *c.ints(1);
  const int64_t from = c.ints(2)->front(), length = static_cast<int64_t>(text.size());
  if (c.has(3)) {
    const std::vector<int64_t> guessed = *c.ints(3);
    if (from < 0 || from > length || static_cast<int64_t>(guessed.size()) != length + 1 - from)
      return c.fail(fmt::format("{} predicted tokens from index {} on do not match a text of {} tokens", guessed.size(),
                                from, length));
    // Those that the text has too, and the first one that it has not.
    size_t same = 0;
    while (same + 1 < guessed.size() && guessed[same] == text[static_cast<size_t>(from) + same]) ++same;
    written.insert(written.end(), guessed.begin(), guessed.begin() + static_cast<std::ptrdiff_t>(same + 1));
  }
  HostArray place = HostArray::make(DType::I64, c.sizes(2));
  place.set_integer(0, next_index(text, written, least, most));
  c.out(0, HostArray::of(std::move(written)));
  if (c.has_output(1)) c.out(1, std::move(place));
}

}  // namespace arenascope::models
