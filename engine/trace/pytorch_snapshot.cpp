// SPDX-License-Identifier: MIT
#include "engine/trace/pytorch_snapshot.h"

#include <map>
#include <new>
#include <optional>

#include "engine/trace/input_file.h"

namespace arenascope::trace {
namespace {

using Value = PickleValue;
using Action = PytorchSnapshot::Action;

constexpr size_t kMaxDevices = 4096;
constexpr int64_t kLargest = int64_t{1} << 50;  // bytes of a segment; addresses stay below 2^62

bool sensible(int64_t address, int64_t size) {
  return address >= 0 && address < (int64_t{1} << 62) && size >= 0 && size <= kLargest;
}

std::optional<Action> action_of(std::string_view name) {
  if (name == "segment_alloc") return Action::Reserve;
  if (name == "segment_map") return Action::Map;
  if (name == "segment_free") return Action::Release;
  if (name == "segment_unmap") return Action::Unmap;
  if (name == "alloc") return Action::Allocate;
  if (name == "free_completed" || name == "free") return Action::Free;
  return std::nullopt;
}

std::pair<int64_t, int64_t> pool_of(const Value& segment) {
  const Value* id = segment.get("segment_pool_id");
  if (id == nullptr || id->type != Value::List || id->items.size() != 2) return {0, 0};
  return {id->items[0]->integer, id->items[1]->integer};
}

class SnapshotReader {
 public:
  // `budget`: a shared list may be referenced many times, so at most as many entries are read as the file has bytes.
  SnapshotReader(size_t budget, const std::function<int32_t(const Value&)>& stack_of)
      : budget_(budget), stack_of_(stack_of) {}

  PytorchSnapshot read(const Value& root, const Value& segments, const Value& traces) {
    read_settings(root);
    out_.devices.resize(std::min(traces.items.size(), kMaxDevices));
    for (const Value* segment : segments.items) {
      if (!take_entry()) break;
      if (segment->type != Value::Dict) continue;
      const int64_t device = segment->integer_of("device");
      if (device < 0 || device >= static_cast<int64_t>(kMaxDevices)) {
        ++out_.skipped;
        continue;
      }
      // Without a history there may be no trace of the device.
      if (static_cast<size_t>(device) >= out_.devices.size()) out_.devices.resize(static_cast<size_t>(device) + 1);
      read_segment(*segment, out_.devices[static_cast<size_t>(device)]);
    }
    for (size_t d = 0; d < std::min(traces.items.size(), kMaxDevices); ++d)
      read_entries(*traces.items[d], out_.devices[d]);
    read_annotations(root);
    out_.endless = budget_ == 0;
    return std::move(out_);
  }

 private:
  bool take_entry() {
    if (budget_ == 0) return false;
    --budget_;
    return true;
  }

  void read_settings(const Value& root) {
    const Value* settings = root.get("allocator_settings");
    if (settings == nullptr || settings->type != Value::Dict) return;
    if (const int64_t most = settings->integer_of("max_split_size", -1); most > 0) out_.rule.max_split = most;
    out_.rule.expandable = settings->integer_of("expandable_segments", 0) != 0;
    if (const Value* share = settings->get("garbage_collection_threshold");
        share != nullptr && share->type == Value::Real)
      if (share->real > 0 && share->real < 1) out_.garbage_collection_threshold = share->real;
    const Value* divisions = settings->get("roundup_power2_divisions");
    if (divisions == nullptr || divisions->type != Value::Dict) return;
    auto& all = out_.roundup_power2_divisions;
    for (size_t i = 0; i < all.size(); ++i) {
      const int64_t n = divisions->integer_of(std::to_string(int64_t{1} << i), 0);
      if (n > 1 && n <= 64 && (n & (n - 1)) == 0) all[i] = static_cast<int32_t>(n);
    }
  }

  void read_segment(const Value& value, PytorchSnapshot::Device& device) {
    const int64_t address = value.integer_of("address", -1), size = value.integer_of("total_size", -1);
    if (!sensible(address, size)) {
      ++out_.skipped;
      return;
    }
    device.segments.push_back({static_cast<uint64_t>(address),
                               size,
                               value.integer_of("stream", 0),
                               pool_of(value),
                               value.text_of("segment_type") == "small",
                               value.integer_of("is_expandable", 0) != 0,
                               {}});
    const Value* held = value.get("blocks");
    if (held == nullptr || held->type != Value::List) return;
    int64_t at = address;  // older snapshots have no block addresses
    for (const Value* b : held->items) {
      if (!take_entry()) return;
      const int64_t block_size = b->integer_of("size", -1), block_at = b->integer_of("address", at);
      if (!sensible(block_at, block_size)) {
        ++out_.skipped;
        return;
      }
      const bool used = b->text_of("state").starts_with("active");  // also "active_pending_free"
      device.segments.back().blocks.push_back({static_cast<uint64_t>(block_at), block_size,
                                               b->integer_of("requested_size", -1), used,
                                               used ? stack_of_(*b) : PytorchSnapshot::kNoStack});
      at = block_at + block_size;
    }
  }

  void read_entries(const Value& list, PytorchSnapshot::Device& device) {
    if (list.type != Value::List) return;
    int64_t index = 0;
    for (const Value* e : list.items) {
      if (!take_entry()) break;
      ++out_.entries;
      if (e->text_of("action") == "oom") ++device.out_of_memory;
      const auto action = action_of(e->text_of("action"));
      if (!action) continue;
      const int64_t address = e->integer_of("addr", -1), size = e->integer_of("size", -1);
      const int64_t micros = e->integer_of("time_us", index++);
      if (!sensible(address, size) || micros < 0 || micros > (int64_t{1} << 51)) {
        ++out_.skipped;
        continue;
      }
      device.entries.push_back({*action, static_cast<uint64_t>(address), size, e->integer_of("stream", 0),
                                micros * 1000,
                                *action == Action::Allocate ? stack_of_(*e) : PytorchSnapshot::kNoStack});
    }
    std::stable_sort(device.entries.begin(), device.entries.end(),
                     [](const auto& x, const auto& y) { return x.time < y.time; });
  }

  // An annotation lasts from each START to the next END of the same name and device.
  void read_annotations(const Value& root) {
    const Value* list = root.get("external_annotations");
    if (list == nullptr || list->type != Value::List) return;
    std::map<std::pair<int64_t, std::string_view>, std::vector<Nanoseconds>> open;  // by device and name
    for (const Value* a : list->items) {
      if (!take_entry()) return;
      const int64_t device = a->integer_of("device", -1), micros = a->integer_of("time_us", -1);
      if (device < 0 || device >= static_cast<int64_t>(out_.devices.size()) || micros < 0 ||
          micros > (int64_t{1} << 51)) {
        ++out_.skipped;
        continue;
      }
      const std::string_view name = a->text_of("name");
      auto& begun = open[{device, name}];
      if (a->text_of("stage") == "START") {
        begun.push_back(micros * 1000);
      } else if (!begun.empty()) {
        out_.annotations.push_back({static_cast<size_t>(device), std::string(name), begun.back(),
                                    std::max<Nanoseconds>(micros * 1000, begun.back())});
        begun.pop_back();
      }
    }
  }

  PytorchSnapshot out_;
  size_t budget_;
  const std::function<int32_t(const Value&)>& stack_of_;
};

}  // namespace

Result<PytorchSnapshot> read_pytorch_snapshot(ByteSpan bytes, const std::string& name,
                                              const std::function<int32_t(const PickleValue&)>& stack_of) {
  try {
    const auto pickle = read_pickle(bytes, name);
    if (!pickle.ok()) return pickle.error();
    const Value* segments = pickle->root->get("segments");
    const Value* traces = pickle->root->get("device_traces");
    if (segments == nullptr || segments->type != Value::List || traces == nullptr || traces->type != Value::List)
      return Error{name +
                   ": the pickle is not a memory snapshot: the lists \"segments\" and \"device_traces\" are missing."};
    return SnapshotReader(bytes.size(), stack_of).read(*pickle->root, *segments, *traces);
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file."};
  }
}

Result<PytorchSnapshot> read_pytorch_snapshot(const std::filesystem::path& path) {
  const auto bytes = read_all(path);
  if (!bytes) return bytes.error();
  return read_pytorch_snapshot(as_bytes(*bytes), path.string(), [](const Value&) { return PytorchSnapshot::kNoStack; });
}

}  // namespace arenascope::trace
