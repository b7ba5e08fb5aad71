// SPDX-License-Identifier: MIT
#include <arenascope/generate/block_table.h>
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

using namespace arenascope;

TEST_CASE("sequences with a common prefix share complete blocks and free their own") {
  BlockTable table(22, 4);  // five blocks of 4 and one of 2
  const TextId first = table.begin();
  REQUIRE(table.append(first, 10).ok());
  CHECK(table.blocks(first).size() == 3);
  CHECK(table.free_rows() == 10);
  const TextId other = table.fork(first, 10);
  CHECK(table.tokens(other) == 8);
  CHECK(table.free_rows() == 10);
  CHECK(table.row(other, 7) == table.row(first, 7));
  REQUIRE(table.append(other, 2).ok());
  CHECK(table.row(other, 8) != table.row(first, 8));
  CHECK(table.owners(table.blocks(first)[0]) == 2);
  table.end(first);
  CHECK(table.owners(table.blocks(other)[0]) == 1);
  CHECK(table.free_rows() == 10);
  CHECK(!table.append(other, 13).ok());
  CHECK(table.tokens(other) == 10);
  REQUIRE(table.append(other, 12).ok());
  CHECK(table.free_rows() == 0);
  CHECK(!table.append(other, 1).ok());
  table.restart(other);
  CHECK(table.tokens(other) == 0);
  CHECK(table.free_rows() == 22);
}

TEST_CASE("two sequences share rows of shared blocks only") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    BlockTable table(40 + static_cast<int64_t>(random() % 30), 1 + static_cast<int64_t>(random() % 6));
    std::vector<TextId> texts{table.begin()};
    // Which token of which text was written to a row last; a text's tokens must be found where it wrote them.
    std::map<TextId, std::vector<int>> content;
    std::map<int64_t, int> rows;
    int next = 0;
    content[texts[0]] = {};
    for (int i = 0; i < 200; ++i) {
      const size_t which = random() % texts.size();
      const TextId text = texts[which];
      if (const unsigned what = random() % 8; what == 0) {
        const TextId other = table.fork(text, static_cast<int64_t>(random() % 20));
        content[other].assign(content[text].begin(), content[text].begin() + table.tokens(other));
        texts.push_back(other);
      } else if (what == 1 && texts.size() > 1) {
        table.end(text);
        content.erase(text);
        texts.erase(texts.begin() + static_cast<ptrdiff_t>(which));
      } else {
        const auto count = static_cast<int64_t>(random() % 5);
        const int64_t before = table.tokens(text);
        if (table.append(text, count).ok())
          for (int64_t t = before; t < before + count; ++t) {
            content[text].push_back(next);
            REQUIRE(table.row(text, t) < table.rows());
            rows[table.row(text, t)] = next++;
          }
        else
          CHECK(table.tokens(text) == before);
      }
      std::set<int32_t> used;
      for (TextId t : texts) {
        REQUIRE(static_cast<int64_t>(content[t].size()) == table.tokens(t));
        for (int64_t p = 0; p < table.tokens(t); ++p)
          CHECK(rows[table.row(t, p)] == content[t][static_cast<size_t>(p)]);
        used.insert(table.blocks(t).begin(), table.blocks(t).end());
      }
      int64_t taken = 0;
      for (int32_t block : used) taken += std::min(table.block(), table.rows() - block * table.block());
      CHECK(table.free_rows() == table.rows() - taken);
    }
  }
}
