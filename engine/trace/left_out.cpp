// SPDX-License-Identifier: MIT
#include "engine/trace/left_out.h"

#include <algorithm>

namespace arenascope::trace {

void LeftOut::add(const Category& category, int64_t count) {
  if (count == 0) return;
  const auto known =
      std::find_if(counts_.begin(), counts_.end(), [&](const Count& c) { return c.category == &category; });
  if (known == counts_.end())
    counts_.push_back({&category, count});
  else
    known->count += count;
}

void LeftOut::add(std::string fact, Severity severity) {
  facts_.push_back(std::move(fact));
  worst_fact_ = std::max(worst_fact_, severity);
}

Severity LeftOut::severity() const {
  Severity worst = worst_fact_;
  for (const Count& c : counts_) worst = std::max(worst, c.category->severity);
  return worst;
}

std::string LeftOut::sentence() const {
  std::string out;
  const auto append = [&](const std::string& part) { out += (out.empty() ? "" : "; ") + part; };
  for (const std::string& fact : facts_) append(fact);
  for (const Count& c : counts_)
    append(grouped(c.count) + " " + (c.count == 1 ? c.category->singular : c.category->plural) + ": " +
           c.category->consequence);
  return out;
}

std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace arenascope::trace
