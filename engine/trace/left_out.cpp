// SPDX-License-Identifier: MIT
#include "engine/trace/left_out.h"

#include <algorithm>

#include <arenascope/base/grouped.h>

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

void LeftOut::put(const std::string& file, OpenReport& report, ImportBuilder& builder) const {
  if (counts_.empty() && facts_.empty()) return;
  report.problem = file + ": " + sentence() + ".";
  report.severity = severity();
  builder.problem(report.problem, report.severity);
}

}  // namespace arenascope::trace
