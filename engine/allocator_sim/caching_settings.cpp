// SPDX-License-Identifier: MIT
#include <arenascope/allocator_sim/caching_settings.h>
#include <arenascope/base/checked.h>
#include <arenascope/base/trimmed.h>
#include <arenascope/trace/pytorch_snapshot.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <vector>

namespace arenascope::allocator_sim {
namespace {

constexpr Bytes kRound = trace::PytorchBlockRule::kRound;
constexpr Bytes kMinSplitMiB = 20;  // PyTorch requires more than this, the size of its large segments

// The size interval: 0 below 2 MiB, 1 below 4 MiB and so on.
size_t interval_of(Bytes bytes) {
  const int log = static_cast<int>(std::bit_width(static_cast<uint64_t>(bytes))) - 1;
  return static_cast<size_t>(std::clamp(log - 20, 0, static_cast<int>(CachingSettings::kIntervals) - 1));
}

// Rounds up to the next of `divisions` equal steps between two powers of two.
Bytes next_division(Bytes bytes, int32_t divisions) {
  const auto size = static_cast<uint64_t>(bytes);
  if (is_power_of_two(size)) return bytes;
  const uint64_t below = std::bit_floor(size);
  const uint64_t step = below / static_cast<uint64_t>(divisions);
  if (step == 0) return static_cast<Bytes>(below << 1);
  return static_cast<Bytes>(align_up(size, step));
}

// Splits at commas outside brackets.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> out;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    if (const auto part = trimmed(text.substr(begin, i - begin)); !part.empty()) out.push_back(part);
    begin = i + 1;
  }
  return out;
}

template <class T>
bool read_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Error wrong(std::string_view name, std::string_view value, std::string_view expected) {
  return Error{fmt::format("{} cannot be '{}': {}", name, value, expected)};
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ",") + part;
  return out;
}

// A power of two up to 64. One division is no rounding, which has one representation: 0.
bool read_division_count(std::string_view text, int32_t& divisions) {
  if (!read_number(text, divisions) || divisions < 1 || divisions > 64 ||
      !is_power_of_two(static_cast<uint64_t>(divisions)))
    return false;
  if (divisions == 1) divisions = 0;
  return true;
}

Status read_divisions(std::string_view value, CachingSettings& out) {
  constexpr std::string_view kName = "roundup_power2_divisions",
                             kExpected = "expected a power of two up to 64, or a list such as [256:1,512:2,>:4]";
  auto& all = out.roundup_power2_divisions;
  int32_t divisions = 0;
  if (!value.starts_with('[')) {
    if (!read_division_count(value, divisions)) return wrong(kName, value, kExpected);
    all.fill(divisions);
    return {};
  }
  if (!value.ends_with(']')) return wrong(kName, value, kExpected);
  size_t from = 0;  // the first interval not yet set
  for (const std::string_view part : parts_of(value.substr(1, value.size() - 2))) {
    const size_t colon = part.find(':');
    if (colon == std::string_view::npos) return wrong(kName, value, kExpected);
    const std::string_view upto = trimmed(part.substr(0, colon));
    int64_t mebibytes = 0;
    if (!read_division_count(trimmed(part.substr(colon + 1)), divisions)) return wrong(kName, value, kExpected);
    size_t end = all.size();
    if (upto != ">") {
      if (!read_number(upto, mebibytes) || mebibytes < 1 || mebibytes > (int64_t{1} << 20))
        return wrong(kName, value, kExpected);
      end = interval_of(mebibytes * CachingSettings::kMiB);
    }
    for (; from < end; ++from) all[from] = divisions;
  }
  return {};
}

Status read_setting(std::string_view name, std::string_view value, CachingSettings& out) {
  if (name == "max_split_size_mb") {
    int64_t mebibytes = 0;
    if (!read_number(value, mebibytes) || mebibytes <= kMinSplitMiB || mebibytes > (int64_t{1} << 30))
      return wrong(name, value, "expected a number of MiB above 20");
    out.max_split_size = mebibytes * CachingSettings::kMiB;
    return {};
  }
  if (name == "garbage_collection_threshold") {
    double share = 0;
    if (!read_number(value, share) || !(share > 0 && share < 1))
      return wrong(name, value, "expected a number between 0 and 1");
    out.garbage_collection_threshold = share;
    return {};
  }
  if (name == "expandable_segments") {
    if (value != "True" && value != "False") return wrong(name, value, "expected True or False");
    out.expandable_segments = value == "True";
    return {};
  }
  if (name == "roundup_power2_divisions") return read_divisions(value, out);
  return Error{
      fmt::format("unsupported setting '{}'; supported are max_split_size_mb, garbage_collection_threshold, "
                  "expandable_segments and "
                  "roundup_power2_divisions",
                  name)};
}

}  // namespace

Bytes CachingSettings::rounded(Bytes asked) const {
  if (asked < kRound) return kRound;
  const int32_t divisions = roundup_power2_divisions[interval_of(asked)];
  if (divisions > 1 && asked > kRound * divisions) return next_division(asked, divisions);
  return static_cast<Bytes>(align_up(static_cast<uint64_t>(asked), kRound));
}

Result<CachingSettings> parse_caching_settings(std::string_view text, const CachingSettings& base) {
  CachingSettings out = base;
  for (const std::string_view part : parts_of(text)) {
    const size_t colon = part.find(':');
    if (colon == std::string_view::npos)
      return Error{fmt::format("expected a setting NAME:VALUE, such as max_split_size_mb:128, found '{}'", part)};
    if (auto ok = read_setting(trimmed(part.substr(0, colon)), trimmed(part.substr(colon + 1)), out); !ok)
      return ok.error();
  }
  return out;
}

std::string to_string(const CachingSettings& settings) {
  std::vector<std::string> parts;
  if (settings.max_split_size != CachingSettings::kNoLimit)
    parts.push_back(fmt::format("max_split_size_mb:{}", settings.max_split_size / CachingSettings::kMiB));
  if (settings.garbage_collection_threshold > 0)
    parts.push_back(fmt::format("garbage_collection_threshold:{}", settings.garbage_collection_threshold));
  if (settings.expandable_segments) parts.emplace_back("expandable_segments:True");
  const auto& divisions = settings.roundup_power2_divisions;
  if (std::any_of(divisions.begin(), divisions.end(), [](int32_t n) { return n > 1; })) {
    std::vector<std::string> steps;
    for (size_t i = 0; i < divisions.size(); ++i) {
      const bool last = i + 1 == divisions.size();
      if (!last && divisions[i + 1] == divisions[i]) continue;
      steps.push_back(fmt::format("{}:{}", last ? ">" : std::to_string(Bytes{2} << i), std::max(divisions[i], 1)));
    }
    parts.push_back(steps.size() == 1 ? fmt::format("roundup_power2_divisions:{}", divisions[0])
                                      : "roundup_power2_divisions:[" + joined(steps) + "]");
  }
  return parts.empty() ? "defaults" : joined(parts);
}

}  // namespace arenascope::allocator_sim
