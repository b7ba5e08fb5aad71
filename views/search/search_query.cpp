// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_query.h"

#include <views/common/parse_bytes.h>
#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <optional>

namespace arenascope::views {
namespace {

using Field = SearchFilter::Field;
using Relation = SearchFilter::Relation;

struct SearchQueryTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Search)
};

constexpr std::array<const char*, 6> kFields{"bytes", "time", "op", "layer", "thread", "kind"};
constexpr std::array<const char*, kSearchKinds> kKinds{"node", "tensor", "span", "allocation", "frame", "message"};
// Longer ones first.
constexpr std::array<std::pair<const char*, Relation>, 6> kRelations{{{">=", Relation::AtLeast},
                                                                      {"<=", Relation::AtMost},
                                                                      {">", Relation::Greater},
                                                                      {"<", Relation::Less},
                                                                      {"=", Relation::Equal},
                                                                      {":", Relation::Equal}}};
constexpr std::array<std::pair<const char*, double>, 6> kTimeUnits{
    {{"", 1}, {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

// Backtracking of one match is limited, so that no pattern blocks the search.
constexpr const char* kLimit = "(*LIMIT_MATCH=50000)";

Error error(const QString& text) { return Error{text.toStdString()}; }

// Splits at spaces outside of quotes and slashes.
struct Part {
  QString text;
  enum class Kind : uint8_t { Plain, Quoted, Pattern } kind = Kind::Plain;
};

bool is_end(const QString& text, qsizetype at) { return at >= text.size() || text[at].isSpace(); }

// A quoted or slashed part ends at a delimiter before a space or the end.
std::vector<Part> parts_of(const QString& text) {
  std::vector<Part> parts;
  for (qsizetype at = 0; at < text.size();) {
    if (text[at].isSpace()) {
      ++at;
      continue;
    }
    const QChar first = text[at];
    if (first == u'"' || first == u'/') {
      qsizetype end = at + 1;
      while (end < text.size() && !(text[end] == first && is_end(text, end + 1))) ++end;
      if (end < text.size()) {
        parts.push_back({text.mid(at + 1, end - at - 1), first == u'"' ? Part::Kind::Quoted : Part::Kind::Pattern});
        at = end + 1;
        continue;
      }
    }
    qsizetype end = at;
    bool quoted = false;  // the value of a filter: layer:"block 3"
    for (; end < text.size() && (quoted || !text[end].isSpace()); ++end) quoted ^= end > at && text[end] == u'"';
    parts.push_back({text.mid(at, end - at)});
    at = end;
  }
  return parts;
}

std::optional<double> parse_duration(const QString& text) {
  qsizetype digits = 0;
  while (digits < text.size() && (text[digits].isDigit() || text[digits] == u'.')) ++digits;
  bool ok = false;
  const double value = text.left(digits).toDouble(&ok);
  const QString unit = text.mid(digits).toLower();
  for (const auto& [name, factor] : kTimeUnits)
    if (ok && unit == QString::fromUtf8(name)) return value * factor;
  return std::nullopt;
}

Result<SearchFilter> filter_of(SearchFilter filter, const QString& value) {
  filter.text = value;
  if (filter.text.size() > 1 && filter.text.startsWith(u'"') && filter.text.endsWith(u'"'))
    filter.text = filter.text.mid(1, filter.text.size() - 2);
  if (filter.field == Field::Bytes) {
    const auto bytes = parse_bytes(value);
    if (!bytes)
      return error(SearchQueryTexts::tr("“%1” is not a size: expected a number with B, KiB, MiB or GiB").arg(value));
    filter.number = static_cast<double>(*bytes);
    return filter;
  }
  if (filter.field == Field::Time) {
    const auto duration = parse_duration(value);
    if (!duration)
      return error(SearchQueryTexts::tr("“%1” is not a duration: expected a number with ns, µs, ms or s").arg(value));
    filter.number = *duration;
    return filter;
  }
  if (filter.relation != Relation::Equal)
    return error(SearchQueryTexts::tr("“%1” has no order: expected %2:TEXT")
                     .arg(QLatin1String(kFields[static_cast<size_t>(filter.field)]),
                          QLatin1String(kFields[static_cast<size_t>(filter.field)])));
  if (filter.field != Field::Kind) return filter;
  const auto* const kind =
      std::ranges::find(kKinds, filter.text.toLower(), [](const char* k) { return QString::fromLatin1(k); });
  if (kind == kKinds.end())
    return error(SearchQueryTexts::tr("“%1” is not a kind: expected node, tensor, span, allocation, frame or message")
                     .arg(filter.text));
  filter.kind = static_cast<SearchKind>(kind - kKinds.begin());
  return filter;
}

// None: the part is no filter.
std::optional<Result<SearchFilter>> as_filter(const QString& part) {
  for (size_t i = 0; i < kFields.size(); ++i) {
    const QString field = QString::fromLatin1(kFields[i]);
    if (!part.startsWith(field, Qt::CaseInsensitive)) continue;
    for (const auto& [sign, relation] : kRelations) {
      const QString mark = QString::fromLatin1(sign);
      if (part.mid(field.size()).startsWith(mark))
        return filter_of({static_cast<Field>(i), relation, 0, {}}, part.mid(field.size() + mark.size()));
    }
  }
  return std::nullopt;
}

}  // namespace

Result<SearchQuery> parse_search(const QString& text) {
  SearchQuery query;
  for (const Part& part : parts_of(text)) {
    if (part.kind == Part::Kind::Pattern) {
      QRegularExpression pattern(part.text, QRegularExpression::CaseInsensitiveOption);
      if (!pattern.isValid())
        return error(
            SearchQueryTexts::tr("/%1/ is not a regular expression: %2").arg(part.text, pattern.errorString()));
      pattern.setPattern(QLatin1String(kLimit) + part.text);
      query.patterns.push_back(pattern);
      continue;
    }
    const auto filter = part.kind == Part::Kind::Plain ? as_filter(part.text) : std::nullopt;
    if (!filter) {
      if (!part.text.isEmpty()) query.words << part.text;
    } else if (!*filter) {
      return filter->error();
    } else {
      query.filters.push_back(**filter);
    }
  }
  return query;
}

bool names_match(const SearchQuery& query, const QStringList& names) {
  const auto any = [&](auto has) { return std::ranges::any_of(names, has); };
  return std::ranges::all_of(
             query.words,
             [&](const QString& word) {
               return any([&](const QString& name) { return name.contains(word, Qt::CaseInsensitive); });
             }) &&
         std::ranges::all_of(query.patterns, [&](const QRegularExpression& pattern) {
           return any([&](const QString& name) { return pattern.match(name).hasMatch(); });
         });
}

bool holds(const SearchFilter& filter, double number) {
  switch (filter.relation) {
    case Relation::Equal: return number == filter.number;
    case Relation::Less: return number < filter.number;
    case Relation::AtMost: return number <= filter.number;
    case Relation::Greater: return number > filter.number;
    case Relation::AtLeast: return number >= filter.number;
  }
  return false;
}

bool holds(const SearchFilter& filter, const QStringList& texts) {
  return std::ranges::any_of(texts,
                             [&](const QString& text) { return text.contains(filter.text, Qt::CaseInsensitive); });
}

}  // namespace arenascope::views
