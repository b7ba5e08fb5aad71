// SPDX-License-Identifier: MIT
#include <arenascope/base/csv.h>
#include <arenascope/base/trimmed.h>
#include <arenascope/planner/csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <new>

namespace arenascope::planner {
namespace {

enum Column { kId, kLower, kUpper, kSize, kAlignment, kOffset, kGaps, kHint, kColumns };

struct Header {
  std::array<int, kColumns> at;
  int fields = 0;
  bool inclusive = false;  // the column is called `end`
};

std::vector<std::string_view> split(std::string_view s, char at) {
  std::vector<std::string_view> out;
  for (;;) {
    const size_t p = s.find(at);
    out.push_back(trimmed(s.substr(0, p)));
    if (p == std::string_view::npos) return out;
    s.remove_prefix(p + 1);
  }
}

bool to_int(std::string_view s, int64_t& out) {
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out);
  return error == std::errc() && end == s.data() + s.size();
}

// Part of a file in a message: short and printable.
std::string shown(std::string_view s) {
  std::string out;
  for (char c : s.substr(0, 40)) out += c >= 32 && c < 127 ? c : '?';
  return s.size() > 40 ? out + "…" : out;
}

Result<Header> read_header(std::string_view line) {
  Header h;
  h.at.fill(-1);
  if (line.substr(0, 3) == "\xEF\xBB\xBF") line.remove_prefix(3);
  for (std::string_view name : split(line, ',')) {
    int column = -1;
    if (name == "id" || name == "buffer" || name == "buffer_id") column = kId;
    if (name == "lower" || name == "begin" || name == "start") column = kLower;
    if (name == "upper" || name == "end") column = kUpper;
    if (name == "size") column = kSize;
    if (name == "alignment") column = kAlignment;
    if (name == "offset") column = kOffset;
    if (name == "gaps") column = kGaps;
    if (name == "hint") column = kHint;
    if (column < 0) return Error{fmt::format("line 1: unknown column '{}'", shown(name))};
    if (h.at[column] >= 0) return Error{fmt::format("line 1: column '{}' appears twice", shown(name))};
    if (name == "end") h.inclusive = true;
    h.at[column] = h.fields++;
  }
  static constexpr const char* kNeeded[] = {"id", "lower", "upper", "size"};
  for (int c = kId; c <= kSize; ++c) {
    if (h.at[c] < 0) return Error{fmt::format("line 1: column '{}' is missing", kNeeded[c])};
  }
  return h;
}

bool read_gap(std::string_view text, bool inclusive, Gap& gap) {
  const size_t at = text.find('@');
  const std::string_view steps = text.substr(0, at);
  const size_t dash = steps.find('-', 1);  // a first step may be negative
  if (dash == std::string_view::npos || !to_int(steps.substr(0, dash), gap.lower) ||
      !to_int(steps.substr(dash + 1), gap.upper) || (inclusive && __builtin_add_overflow(gap.upper, 1, &gap.upper))) {
    return false;
  }
  if (at == std::string_view::npos) return true;
  const std::vector<std::string_view> window = split(text.substr(at + 1), ':');
  return window.size() == 2 && to_int(window[0], gap.window_lower) && to_int(window[1], gap.window_upper);
}

Status read_row(const Header& h, std::string_view line, size_t number, std::vector<std::string_view>& fields,
                Problem& p) {
  const auto bad = [&](std::string_view what, std::string_view value, std::string_view expected = "a 64-bit integer") {
    return Error{fmt::format("line {}: {}: expected {}, found '{}'", number, what, expected, shown(value))};
  };
  fields.clear();
  for (std::string_view rest = line;;) {
    const size_t end = csv_field_end(rest);
    fields.push_back(trimmed(rest.substr(0, end)));
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
    if (fields.size() > kColumns) break;
  }
  if (fields.size() != static_cast<size_t>(h.fields)) {
    return Error{fmt::format("line {}: expected {} fields as in the header, found {}{}", number, h.fields,
                             fields.size(), fields.size() > kColumns ? " or more" : "")};
  }
  Interval v;
  const std::optional<std::string> id = csv_text(fields[h.at[kId]]);
  if (!id) return Error{fmt::format("line {}: id: expected a closing quote, found the end of the line", number)};
  if (trimmed(*id).empty()) return Error{fmt::format("line {}: id: expected a name, found an empty field", number)};
  if (!to_int(fields[h.at[kLower]], v.lower)) return bad("lower", fields[h.at[kLower]]);
  if (!to_int(fields[h.at[kUpper]], v.upper) || (h.inclusive && __builtin_add_overflow(v.upper, 1, &v.upper))) {
    return bad(h.inclusive ? "end" : "upper", fields[h.at[kUpper]]);
  }
  if (!to_int(fields[h.at[kSize]], v.size)) return bad("size", fields[h.at[kSize]]);
  v.alignment = 1;
  if (h.at[kAlignment] >= 0 && !fields[h.at[kAlignment]].empty()) {
    const std::string_view text = fields[h.at[kAlignment]];
    if (!to_int(text, v.alignment) || v.alignment < 1) return bad("alignment", text, "a positive integer");
  }
  if (h.at[kOffset] >= 0 && !fields[h.at[kOffset]].empty()) {
    Bytes offset;
    if (!to_int(fields[h.at[kOffset]], offset)) return bad("offset", fields[h.at[kOffset]]);
    v.fixed_offset = offset;
  }
  if (h.at[kGaps] >= 0 && !fields[h.at[kGaps]].empty()) {
    for (std::string_view text : split(fields[h.at[kGaps]], ' ')) {
      if (text.empty()) continue;
      Gap gap;
      if (!read_gap(text, h.inclusive, gap)) {
        return Error{
            fmt::format("line {}: gaps: expected a form such as 8-10 or 8-10@0:64, found '{}'", number, shown(text))};
      }
      v.gaps.push_back(gap);
    }
  }
  p.ids.emplace_back(trimmed(*id));
  p.intervals.push_back(std::move(v));
  return {};
}

// The end of the first record, which spans several lines if a quoted field does.
size_t record_end(std::string_view text) {
  size_t end = std::min(text.find('\n'), text.size());
  if (text.substr(0, end).find('"') == std::string_view::npos) return end;
  for (end = csv_field_end(text); end < text.size() && text[end] == ',';)
    end += 1 + csv_field_end(text.substr(end + 1));
  return std::min(end, text.size());
}

}  // namespace

Result<Problem> read_csv(std::string_view text) {
  Problem p;
  p.alignment = 1;
  std::optional<Header> header;
  std::vector<std::string_view> fields;
  size_t number = 0;
  try {
    while (!text.empty()) {
      const size_t end = record_end(text);
      const std::string_view record = text.substr(0, end), line = trimmed(record);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      if (line.empty()) continue;
      if (!header) {
        Result<Header> h = read_header(line);
        if (!h) return h.error();
        header = *h;
      } else if (Status s = read_row(*header, line, number, fields, p); !s) {
        return s.error();
      }
      number += static_cast<size_t>(std::ranges::count(record, '\n'));
    }
  } catch (const std::bad_alloc&) {
    return Error{fmt::format("line {}: out of memory: no more buffers can be read", number)};
  }
  if (!header) return Error{"the file is empty"};
  if (Status s = validate(p); !s) return s.error();
  return p;
}

Result<Problem> read_csv_file(const std::filesystem::path& path) {
  std::error_code ec;
  const auto bytes = std::filesystem::file_size(path, ec);
  if (ec) return Error{fmt::format("{}: {}", path.string(), ec.message())};
  constexpr uintmax_t kMaxBytes = uintmax_t{1} << 32;
  if (bytes > kMaxBytes)
    return Error{
        fmt::format("{}: expected the CSV of a plan, found {} bytes, which are too many", path.string(), bytes)};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{fmt::format("{}: cannot be opened", path.string())};
  try {
    std::string text(bytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(bytes));
    text.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    Result<Problem> p = read_csv(text);
    if (!p) return Error{fmt::format("{}: {}", path.string(), p.error().message)};
    return p;
  } catch (const std::bad_alloc&) {
    return Error{fmt::format("{}: out of memory while reading", path.string())};
  }
}

size_t pinned(const Problem& problem) {
  return static_cast<size_t>(std::count_if(problem.intervals.begin(), problem.intervals.end(),
                                           [](const Interval& v) { return v.fixed_offset.has_value(); }));
}

Problem unpinned(Problem problem) {
  for (Interval& v : problem.intervals) v.fixed_offset = std::nullopt;
  return problem;
}

std::string write_csv(const Problem& p, const Plan* plan) {
  bool alignment = false, gaps = false;
  for (size_t i = 0; i < p.size(); ++i) {
    alignment |= p.alignment_of(i) != 1;
    gaps |= !p.intervals[i].gaps.empty();
  }
  const bool offset = plan != nullptr || pinned(p) > 0;
  fmt::memory_buffer out;
  const auto add = [&]<class... T>(fmt::format_string<T...> format, T&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<T>(args)...);
  };
  add("id,lower,upper,size{}{}{}\n", alignment ? ",alignment" : "", gaps ? ",gaps" : "", offset ? ",offset" : "");
  for (size_t i = 0; i < p.size(); ++i) {
    const Interval& v = p.intervals[i];
    if (p.ids.empty()) {
      add("{}", i);
    } else {
      add("{}", csv_field(p.ids[i]));
    }
    add(",{},{},{}", v.lower, v.upper, v.size);
    if (alignment) add(",{}", p.alignment_of(i));
    if (gaps) add(",");
    for (size_t k = 0; k < v.gaps.size(); ++k) {
      const Gap& g = v.gaps[k];
      add("{}{}-{}", k > 0 ? " " : "", g.lower, g.upper);
      if (g.window_lower < g.window_upper) add("@{}:{}", g.window_lower, g.window_upper);
    }
    if (plan != nullptr) {
      add(",{}", plan->offsets[i]);
    } else if (offset) {
      add(",");
      if (v.fixed_offset) add("{}", *v.fixed_offset);
    }
    add("\n");
  }
  return fmt::to_string(out);
}

}  // namespace arenascope::planner
