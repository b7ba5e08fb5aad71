// SPDX-License-Identifier: MIT
// Storages that share a block of memory, and the block's references: it is freed with the last storage.
#include <arenascope/tensor/storage.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/lens.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr Bytes kMaxStorage = 4096;

class StorageLens {
 public:
  StorageLens() { push(LensEvent::Start, {}, {}); }

  Status perform(LensRun& run, const std::vector<std::string>& tokens) {
    std::vector<int64_t> numbers;
    for (const std::string& token : tokens)
      if (const auto n = parse_integer(token); n && *n >= 0 && *n <= kMaxStorage) numbers.push_back(*n);
    const std::string verb = tokens.empty() ? "" : tokens[0], name = tokens.size() > 1 ? tokens[1] : "";
    const bool known = storages_.contains(name);
    if (verb == "allocate" && tokens.size() == 3 && numbers.size() == 1 && !known)
      return keep(name, Storage::allocate(*context_, {}, MemoryKind::Default, numbers[0]), LensEvent::Allocated);
    if (verb == "borrow" && tokens.size() == 3 && numbers.size() == 1 && !known) return borrow(name, numbers[0]);
    if (verb == "slice" && tokens.size() == 5 && numbers.size() == 2 && !known && storages_.contains(tokens[2]))
      return slice(name, tokens[2], numbers[0], numbers[1]);
    if (verb == "drop" && tokens.size() == 2 && known) return drop(name);
    return lens_expected(
        run, "operations",
        fmt::format("allocate NAME BYTES; slice NAME OF OFFSET BYTES; borrow NAME BYTES; drop NAME (BYTES ≤ {})",
                    kMaxStorage),
        join(tokens, " "));
  }

  std::vector<LensFrame> frames;

 private:
  Status keep(const std::string& name, Result<Storage> storage, LensEvent event) {
    if (!storage) return storage.error();
    const bool empty = !storage->allocated();
    if (!empty && std::ranges::find(blocks_, storage->block().get()) == blocks_.end())
      blocks_.push_back(storage->block().get());
    const Bytes bytes = storage->bytes();
    const std::string block = empty ? "" : std::to_string(number_of(storage->block().get()));
    storages_[name] = std::move(*storage);
    order_.push_back(name);
    push(empty ? LensEvent::NoBytes : event, {name, std::to_string(bytes), block}, name);
    return {};
  }

  Status borrow(const std::string& name, Bytes bytes) {
    auto memory = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(bytes));
    return keep(name, Storage::borrow(memory->data(), bytes, {}, MemoryKind::Default, memory), LensEvent::Borrowed);
  }

  Status slice(const std::string& name, const std::string& of, Bytes offset, Bytes bytes) {
    auto part = storages_[of].sub_storage(offset, bytes);
    if (!part) {
      push(LensEvent::Full, {part.error().message}, of);
      return {};
    }
    storages_[name] = std::move(*part);
    order_.push_back(name);
    push(LensEvent::Sliced, {name, of, std::to_string(offset), std::to_string(bytes)}, name);
    return {};
  }

  Status drop(const std::string& name) {
    const MemoryBlock* block = storages_[name].block().get();
    const bool last = block != nullptr && block->use_count() == 1;
    storages_.erase(name);
    std::erase(order_, name);
    if (last) *std::ranges::find(blocks_, block) = nullptr;
    push(last ? LensEvent::BlockFreed : LensEvent::Dropped, {name}, {});
    return {};
  }

  int64_t number_of(const MemoryBlock* block) const { return std::ranges::find(blocks_, block) - blocks_.begin() + 1; }

  void push(LensEvent event, std::vector<std::string> arguments, const std::string& current) {
    LensFrame frame{event, std::move(arguments), {}, {}};
    LensStrip counts{"references of each block", LensUnit::Slots, static_cast<int64_t>(blocks_.size()), {}};
    double held = 0, references = 0;
    const MemoryBlock* own = current.empty() ? nullptr : storages_[current].block().get();
    for (const MemoryBlock* block : blocks_) {
      const int64_t count = block == nullptr ? 0 : block->use_count();
      held += count > 0 ? 1 : 0;
      if (block != nullptr && block == own) references = static_cast<double>(count);
      const auto at = static_cast<int64_t>(counts.cells.size());
      counts.cells.push_back({at, 1, count > 0 ? CellKind::Data : CellKind::Free, fmt::format("{}: {}", at + 1, count),
                              block != nullptr && block == own, -1});
    }
    frame.strips.push_back(std::move(counts));
    for (const std::string& name : order_) {
      const Storage& storage = storages_[name];
      LensStrip strip{name, LensUnit::Bytes, storage.allocated() ? storage.block()->bytes() : 0, {}};
      if (storage.bytes() > 0)
        strip.cells.push_back({storage.offset(), storage.bytes(), CellKind::Data,
                               std::to_string(number_of(storage.block().get())), name == current, -1});
      frame.strips.push_back(std::move(strip));
    }
    frame.values = {{"blocks", held}, {"references", references}};
    frames.push_back(std::move(frame));
  }

  std::shared_ptr<ExecutionContext> context_ = make_cpu_context();
  std::map<std::string, Storage> storages_;
  std::vector<std::string> order_;
  std::vector<const MemoryBlock*> blocks_;  // null: freed
};

LensFrames storages(LensRun& run) {
  const std::vector<std::string> steps = split(lens_value(run, "operations"), ";");
  if (steps.size() > 64) return lens_count(run, "operations", 0, 64, steps.size());
  StorageLens lens;
  for (const std::string& step : steps)
    if (auto done = lens.perform(run, split(step, " ")); !done) return done.error();
  return std::move(lens.frames);
}

constexpr LensParameter kStorageSteps[] = {
    {"operations",
     "allocate a 64; slice b a 16 32; slice c b 8 8; slice d b 8 32; drop a; borrow e 48; allocate f 0; drop b; "
     "drop c"}};
constexpr LensExperiment kStorageLenses[] = {
    {"storage", "storages that share a block, and the block's references", kStorageSteps, storages},
};

}  // namespace

std::span<const LensExperiment> storage_lenses() { return kStorageLenses; }

}  // namespace arenascope::lesson
