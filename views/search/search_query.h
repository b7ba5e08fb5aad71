// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a search as typed by the user: words, /regular expressions/ and filters, all of which must match. No widgets.
//
//   conv "layer 3" /blk\.\d+/ bytes>1MiB time>=2ms op:Conv layer:encoder thread:1 kind:span
#pragma once
#include <arenascope/base/result.h>

#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <vector>

namespace arenascope::views {

enum class SearchKind : uint8_t { Node, Tensor, Span, Allocation, Frame, Message };
inline constexpr size_t kSearchKinds = 6;

struct SearchFilter {
  enum class Field : uint8_t { Bytes, Time, Op, Layer, Thread, Kind };
  enum class Relation : uint8_t { Equal, Less, AtMost, Greater, AtLeast };
  Field field;
  Relation relation = Relation::Equal;
  double number = 0;  // bytes or nanoseconds
  QString text;       // text contained in an Op, Layer or Thread, without regard to case
  SearchKind kind = SearchKind::Node;
};

struct SearchQuery {
  QStringList words;  // contained in a name, without regard to case
  std::vector<QRegularExpression> patterns;
  std::vector<SearchFilter> filters;
  bool empty() const { return words.isEmpty() && patterns.empty() && filters.empty(); }
};

// A word before a colon that is no filter is part of a name: "aten::mm". Fails with a translated message for an invalid
// regular expression, number, unit or kind.
Result<SearchQuery> parse_search(const QString& text);

// True if all words and patterns are in one of the names or another of them.
bool names_match(const SearchQuery& query, const QStringList& names);
bool holds(const SearchFilter& filter, double number);
bool holds(const SearchFilter& filter, const QStringList& texts);

}  // namespace arenascope::views
