// SPDX-License-Identifier: GPL-3.0-or-later
// The tables about allocators' memory piece by piece, and about what tuning found for a device's kernels.

#include <views/common/format.h>
#include <QCoreApplication>

#include <map>

#include <views/tables/table.h>

namespace arenascope::views {
namespace {

struct DeviceTablesTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

// One piece of memory that an allocator took from the system or a device.
struct Piece {
  uint64_t address = 0;
  Bytes bytes = 0, used = 0;
  int64_t uses = 0;  // how often memory in it was handed out
  trace::MemoryKind kind = trace::MemoryKind::Default;
};

// Those that are held at the end, by address.
std::vector<Piece> pieces_of(const trace::Snapshot& snapshot) {
  std::map<uint64_t, Piece> held;
  const auto piece_of = [&held](uint64_t address) -> Piece* {
    auto at = held.upper_bound(address);
    if (at == held.begin()) return nullptr;
    --at;
    return address - at->first < static_cast<uint64_t>(at->second.bytes) ? &at->second : nullptr;
  };
  for (size_t i = 0; i < snapshot.memory_events.size(); ++i) {
    const trace::Event& event = snapshot.event(snapshot.memory_events[i]);
    const auto address = static_cast<uint64_t>(event.a);
    switch (event.kind()) {
      case trace::EventKind::Reserve: held[address] = {address, event.b, 0, 0, event.memory_kind()}; break;
      case trace::EventKind::Release: held.erase(address); break;
      case trace::EventKind::Alloc:
        if (Piece* piece = piece_of(address)) {
          piece->used += event.b;
          ++piece->uses;
          piece->kind = event.memory_kind();
        }
        break;
      case trace::EventKind::Free:
        if (Piece* piece = piece_of(address)) piece->used = std::max<Bytes>(0, piece->used - event.b);
        break;
      default: break;
    }
  }
  std::vector<Piece> pieces;
  for (const auto& [address, piece] : held) pieces.push_back(piece);
  return pieces;
}

}  // namespace

TablePtr pools_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = DeviceTablesTexts::tr("No allocator holds any memory.");
  const auto pieces = std::make_shared<const std::vector<Piece>>(pieces_of(*input.snapshot));
  auto state = [pieces](size_t r) {
    const Piece& p = (*pieces)[r];
    return p.used == 0  ? DeviceTablesTexts::tr("Free")
           : p.uses > 1 ? DeviceTablesTexts::tr("In use, again")
                        : DeviceTablesTexts::tr("In use");
  };
  table->rows = pieces->size();
  table->columns = {
      {DeviceTablesTexts::tr("Address"), DeviceTablesTexts::tr("Of its first byte, as the allocator has it"),
       [pieces](size_t r) { return format_address(static_cast<Bytes>((*pieces)[r].address)); },
       [pieces](size_t r) { return static_cast<double>((*pieces)[r].address); }},
      {DeviceTablesTexts::tr("Kind"), DeviceTablesTexts::tr("What the memory is used for"),
       [pieces](size_t r) { return Words::kind((*pieces)[r].kind); }},
      {DeviceTablesTexts::tr("State"), DeviceTablesTexts::tr("Free: kept for the next request that it fits"), state},
      bytes_column(DeviceTablesTexts::tr("Bytes"), DeviceTablesTexts::tr("Taken from the system or the device"),
                   [pieces](size_t r) { return static_cast<double>((*pieces)[r].bytes); }),
      bytes_column(DeviceTablesTexts::tr("Active"), DeviceTablesTexts::tr("Handed out now"),
                   [pieces](size_t r) { return static_cast<double>((*pieces)[r].used); }),
      {DeviceTablesTexts::tr("Uses"), DeviceTablesTexts::tr("How often memory in it was handed out"),
       [pieces](size_t r) { return format_count((*pieces)[r].uses); },
       [pieces](size_t r) { return static_cast<double>((*pieces)[r].uses); }},
  };
  return table;
}

TablePtr tuning_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = DeviceTablesTexts::tr("Nothing was tuned: only a device's kernels are, while they run.");
  auto notes = std::make_shared<std::vector<trace::TuningInfo>>();
  for (size_t i = 0; i < input.snapshot->tunings.size(); ++i) notes->push_back(input.snapshot->tunings[i]);
  auto choice = [notes](size_t r) {
    const trace::TuningInfo& n = (*notes)[r];
    if (n.way) return DeviceTablesTexts::tr("way %1").arg(*n.way + 1);
    return QStringLiteral("%1 × %2 × %3").arg(n.local[0]).arg(n.local[1]).arg(n.local[2]);
  };
  table->rows = notes->size();
  table->columns = {
      {DeviceTablesTexts::tr("Kernel"), {}, [notes](size_t r) { return text((*notes)[r].kernel); }},
      {DeviceTablesTexts::tr("Work items"),
       DeviceTablesTexts::tr("The global size, or the shape, that the choice holds for"),
       [notes](size_t r) { return text((*notes)[r].sizes); }},
      {DeviceTablesTexts::tr("Group size"),
       DeviceTablesTexts::tr("Work items of a group; or which of several kernels was chosen"), choice},
      {DeviceTablesTexts::tr("Time"),
       DeviceTablesTexts::tr("What the best one took; nothing where it was chosen by rule"),
       [notes](size_t r) {
         return (*notes)[r].tried > 0 ? format_ns(static_cast<Nanoseconds>((*notes)[r].seconds * 1e9)) : QString();
       },
       [notes](size_t r) { return (*notes)[r].seconds * 1e9; }},
      {DeviceTablesTexts::tr("Tried"), DeviceTablesTexts::tr("How many candidates were measured"),
       [notes](size_t r) { return QString::number((*notes)[r].tried); },
       [notes](size_t r) { return static_cast<double>((*notes)[r].tried); }},
      {DeviceTablesTexts::tr("Level"),
       DeviceTablesTexts::tr("How hard tuning looks for the best: none, fast, normal, wide or heavy"),
       [notes](size_t r) { return text((*notes)[r].level); }},
      {DeviceTablesTexts::tr("From"),
       DeviceTablesTexts::tr("Whether this run measured it, an earlier one did, or a rule chose it"),
       [notes](size_t r) {
         const trace::TuningInfo& n = (*notes)[r];
         return n.tried == 0   ? DeviceTablesTexts::tr("a rule")
                : n.remembered ? DeviceTablesTexts::tr("an earlier run")
                               : DeviceTablesTexts::tr("this run");
       }},
  };
  return table;
}

}  // namespace arenascope::views
