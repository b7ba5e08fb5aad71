// SPDX-License-Identifier: MIT
// Pickles of plain values, and made-up PyTorch snapshots with the values that an import must show.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace arenascope::test {

inline void pickle(const nlohmann::json& value, std::string& out) {
  const auto number = [&](char opcode, uint64_t v, int bytes) {
    out += opcode;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(v >> (8 * i));
  };
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    number('X', text.size(), 4);
    out += text;
  } else if (value.is_boolean()) {
    out += value.get<bool>() ? '\x88' : '\x89';
  } else if (value.is_number()) {
    out += '\x8a', out += '\x08';
    const auto v = static_cast<uint64_t>(value.get<int64_t>());
    for (int i = 0; i < 8; ++i) out += static_cast<char>(v >> (8 * i));
  } else if (value.is_array()) {
    out += ']';
    for (const nlohmann::json& item : value) pickle(item, out), out += 'a';
  } else if (value.is_object()) {
    out += '}';
    for (const auto& [key, item] : value.items()) pickle(nlohmann::json(key), out), pickle(item, out), out += 's';
  } else {
    out += 'N';
  }
}

inline std::string pickle_of(const nlohmann::json& value) {
  std::string out("\x80\x02", 2);
  pickle(value, out);
  return out + '.';
}

// A snapshot of one device with expandable segments.
struct ExpandableSnapshot {
  std::string pickle;
  std::vector<std::pair<int64_t, int64_t>> reserved;  // after each entry: its time in ns, and bytes
  int64_t before = 0;                                 // reserved bytes before the first entry
  int64_t segments = 0;                               // sum of all total_size
  int64_t unmapped_inside = 0;                        // entries that unmapped the middle of a mapped range
};

// Maps and unmaps any pages of one address range. The snapshot has the newest `kept` entries, as PyTorch's ring does.
inline ExpandableSnapshot expandable_snapshot(uint32_t seed, size_t kept) {
  using nlohmann::json;
  constexpr int64_t kPage = 2 << 20, kFirst = int64_t{1} << 40;
  constexpr size_t kPages = 40, kEntries = 120;
  std::mt19937 random(seed);
  std::vector<bool> mapped(kPages, false);
  ExpandableSnapshot out;
  int64_t now = 0;
  std::vector<json> entries;
  const size_t left_out = kEntries - kept;
  for (size_t i = 0; i < kEntries; ++i) {
    if (i == left_out) out.before = now;
    size_t from = random() % kPages;
    const bool unmaps = mapped[from];
    size_t to = from + 1;
    for (const size_t most = from + 1 + random() % 12; to < std::min(kPages, most) && mapped[to] == unmaps;) ++to;
    if (unmaps && i >= left_out && from > 0 && to < kPages && mapped[from - 1] && mapped[to]) ++out.unmapped_inside;
    for (size_t page = from; page < to; ++page) mapped[page] = !unmaps;
    const auto bytes = static_cast<int64_t>(to - from) * kPage;
    now += unmaps ? -bytes : bytes;
    if (i < left_out) continue;
    const auto time = static_cast<int64_t>(1000 + i);
    entries.push_back({{"action", unmaps ? "segment_unmap" : "segment_map"},
                       {"addr", kFirst + static_cast<int64_t>(from) * kPage},
                       {"size", bytes},
                       {"time_us", time},
                       {"stream", 0}});
    out.reserved.emplace_back(time * 1000, now);
  }
  json segments = json::array();
  for (size_t from = 0; from < kPages; ++from) {
    if (!mapped[from] || (from > 0 && mapped[from - 1])) continue;
    size_t to = from;
    while (to < kPages && mapped[to]) ++to;
    const int64_t address = kFirst + static_cast<int64_t>(from) * kPage,
                  bytes = static_cast<int64_t>(to - from) * kPage;
    segments.push_back(
        {{"device", 0},
         {"address", address},
         {"total_size", bytes},
         {"stream", 0},
         {"segment_type", "large"},
         {"segment_pool_id", {0, seed % 3}},
         {"is_expandable", true},
         {"blocks",
          json::array({{{"address", address}, {"size", bytes}, {"requested_size", 0}, {"state", "inactive"}}})}});
    out.segments += bytes;
  }
  out.pickle = pickle_of({{"segments", segments},
                          {"device_traces", json::array({json(entries)})},
                          {"allocator_settings", {{"expandable_segments", true}}}});
  return out;
}

// Two devices, of which the second one has more: segments of 64 MiB and 1 GiB. There is no history.
// `traces`: whether there is an (empty) trace for each device.
inline std::string snapshot_without_history(bool traces) {
  using nlohmann::json;
  const auto segment = [](int device, int64_t address, int64_t total, int64_t used) {
    return json{
        {"device", device},
        {"address", address},
        {"total_size", total},
        {"stream", 0},
        {"segment_type", "large"},
        {"segment_pool_id", {0, 0}},
        {"blocks",
         json::array(
             {{{"address", address}, {"size", used}, {"requested_size", used - 100}, {"state", "active_allocated"}},
              {{"address", address + used}, {"size", total - used}, {"requested_size", 0}, {"state", "inactive"}}})}};
  };
  constexpr int64_t kMiB = 1 << 20;
  return pickle_of({{"segments", json::array({segment(0, 0x10000000, 64 * kMiB, 40 * kMiB),
                                              segment(1, 0x10000000, 1024 * kMiB, 700 * kMiB)})},
                    {"device_traces", traces ? json::array({json::array(), json::array()}) : json::array()}});
}
inline constexpr int64_t kHeldWithoutHistory = int64_t{740} << 20, kReservedWithoutHistory = int64_t{1088} << 20;

}  // namespace arenascope::test
