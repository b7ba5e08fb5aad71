// SPDX-License-Identifier: MIT
#include <arenascope/generate/block_table.h>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace arenascope {

BlockTable::BlockTable(int64_t rows, int64_t block)
    : rows_(std::max<int64_t>(rows, 0)), block_(std::max<int64_t>(block, 1)) {
  owners_.resize(static_cast<size_t>((rows_ + block_ - 1) / block_), 0);
}

int64_t BlockTable::size_of(int32_t block) const { return std::min(block_, rows_ - block * block_); }

int64_t BlockTable::free_rows() const {
  int64_t sum = 0;
  for (size_t i = 0; i < owners_.size(); ++i)
    if (owners_[i] == 0) sum += size_of(static_cast<int32_t>(i));
  return sum;
}

int64_t BlockTable::filled_rows() const {
  std::vector<int64_t> filled(owners_.size(), 0);  // by block; texts that share one have it filled alike
  for (const auto& [id, text] : texts_) {
    int64_t left = text.tokens;
    for (const int32_t block : text.blocks) {
      const int64_t rows = std::clamp<int64_t>(left, 0, size_of(block));
      filled[static_cast<size_t>(block)] = std::max(filled[static_cast<size_t>(block)], rows);
      left -= rows;
    }
  }
  return std::accumulate(filled.begin(), filled.end(), int64_t{0});
}

TextId BlockTable::begin() {
  texts_[next_] = {};
  return next_++;
}

TextId BlockTable::fork(TextId text, int64_t tokens) {
  const Text& from = texts_.at(text);
  Text to;
  const auto whole = static_cast<size_t>(std::clamp<int64_t>(tokens, 0, from.tokens) / block_);
  to.blocks.assign(from.blocks.begin(), from.blocks.begin() + static_cast<ptrdiff_t>(whole));
  to.tokens = static_cast<int64_t>(whole) * block_;
  for (int32_t block : to.blocks) ++owners_[static_cast<size_t>(block)];
  texts_[next_] = std::move(to);
  return next_++;
}

void BlockTable::restart(TextId text) {
  for (int32_t block : texts_.at(text).blocks) --owners_[static_cast<size_t>(block)];
  texts_.at(text) = {};
}

void BlockTable::end(TextId text) {
  restart(text);
  texts_.erase(text);
}

// Only the last block of the cache is shorter, and it is used last, so that all blocks of a text except its last are full.
Status BlockTable::append(TextId text, int64_t count) {
  Text& to = texts_.at(text);
  int64_t room = -to.tokens;
  for (int32_t block : to.blocks) room += size_of(block);
  std::vector<int32_t> more;
  const bool cut = !to.blocks.empty() && size_of(to.blocks.back()) < block_;
  for (size_t i = 0; i < owners_.size() && room < count && !cut; ++i) {
    if (owners_[i] != 0) continue;
    more.push_back(static_cast<int32_t>(i));
    room += size_of(more.back());
  }
  if (room < count)
    return Error{fmt::format("{} tokens after {} do not fit into a cache of {} rows, of which {} are free", count,
                             to.tokens, rows_, free_rows())};
  for (int32_t block : more) owners_[static_cast<size_t>(block)] = 1;
  to.blocks.insert(to.blocks.end(), more.begin(), more.end());
  to.tokens += count;
  return {};
}

int64_t BlockTable::row(TextId text, int64_t token) const {
  return texts_.at(text).blocks[static_cast<size_t>(token / block_)] * block_ + token % block_;
}

int64_t BlockTable::next_row(TextId text) const {
  BlockTable after = *this;
  return after.append(text, 1) ? after.row(text, tokens(text)) : -1;
}

}  // namespace arenascope
