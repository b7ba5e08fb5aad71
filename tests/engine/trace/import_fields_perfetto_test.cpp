// SPDX-License-Identifier: MIT
// The fields of Perfetto's traces.
#include <functional>
#include "import_fields_common.h"

#include "engine/trace/perfetto_writer.h"
#include "engine/trace/sample_session.h"
#include "engine/trace/sample_traces.h"
#include "engine/trace/temp_file.h"

using namespace arenascope;
using namespace arenascope::test::fields;

namespace {

// Messages whose fields are walked, too.
bool is_message(const std::string& path) {
  static const Paths kMessages{"2",  "2.1", "2.2",   "6",  "6.1",  "11",   "11.6", "12", "12.1", "12.2",  "43",
                               "44", "59",  "59.11", "60", "60.3", "60.4", "60.8", "82", "82.4", "82.4.1"};
  return kMessages.contains(path);
}

struct WireField {
  std::string path;
  uint32_t number = 0;
  WireType type = WireType::Varint;
  uint64_t value = 0;
  std::string payload;
  std::vector<WireField> inside;
};

std::vector<WireField> fields_of(ByteSpan bytes, const std::string& in) {
  std::vector<WireField> out;
  WireReader reader(bytes);
  while (reader.next()) {
    WireField f{in.empty() ? std::to_string(reader.field) : in + "." + std::to_string(reader.field),
                reader.field,
                reader.type,
                reader.number,
                {},
                {}};
    if (reader.type == WireType::Bytes) {
      if (is_message(f.path))
        f.inside = fields_of(reader.payload, f.path);
      else
        f.payload = reader.text();
    }
    out.push_back(std::move(f));
  }
  REQUIRE(reader.ok());
  return out;
}

void write(WireWriter& out, const std::vector<WireField>& fields) {
  for (const WireField& f : fields) {
    if (f.type == WireType::Varint) out.number(f.number, f.value);
    if (f.type == WireType::Fixed64) out.real(f.number, __builtin_bit_cast(double, f.value));
    if (f.type != WireType::Bytes) continue;
    if (!is_message(f.path)) {
      out.bytes(f.number, f.payload);
      continue;
    }
    const size_t message = out.begin(f.number);
    write(out, f.inside);
    out.end(message);
  }
}

std::vector<std::vector<WireField>> packets_of(const std::string& trace) {
  std::vector<std::vector<WireField>> out;
  WireReader in(as_bytes(trace));
  while (in.next()) out.push_back(fields_of(in.payload, ""));
  return out;
}

std::string bytes_of(const std::vector<std::vector<WireField>>& packets) {
  WireWriter out;
  for (const auto& packet : packets) {
    const size_t p = out.begin(1);
    write(out, packet);
    out.end(p);
  }
  return out.text();
}

void collect(const std::vector<WireField>& fields, Paths& paths) {
  for (const WireField& f : fields) {
    paths.insert(f.path);
    collect(f.inside, paths);
  }
}

// Changes each field in turn; a message is also removed as a whole.
void change_fields(std::vector<WireField>& fields, const std::function<bool()>& changes, Found& found) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const WireField before = fields[i];
    if (is_message(before.path)) {
      fields[i].inside.clear();
      found.add(before.path, changes());
      fields[i] = before;
      change_fields(fields[i].inside, changes, found);
      continue;
    }
    for (const uint64_t other : {before.value + 1, uint64_t{0}}) {
      fields[i].value = before.type == WireType::Fixed64 ? __builtin_bit_cast(uint64_t, 17.0) : other;
      if (before.type == WireType::Bytes) fields[i].payload = before.payload + "x";
      found.add(before.path, changes());
    }
    fields[i] = before;
  }
}

// Clocks, processes and interned data.
void add_clocks(test::PerfettoWriter& w) {
  auto& out = w.out;
  w.packet(
      [&] {
        out.number(13, 1), out.number(3, 0), out.number(79, 5);
        w.message(6, [&] {
          out.number(2, 3);
          w.message(1, [&] { out.number(1, 3), out.number(2, 8'000'000); });
          w.message(1, [&] { out.number(1, 6), out.number(2, 9'000'000); });
          w.message(1, [&] { out.number(1, 65), out.number(2, 1000), out.number(3, 0), out.number(4, 10); });
        });
      },
      9);
  w.packet(
      [&] {
        w.message(60, [&] {
          out.number(1, 300), out.number(11, 1), out.number(12, 1), out.bytes(14, "description");
          w.message(3, [&] { out.number(1, 11), out.bytes(6, "prog"); });
        });
      },
      9);
  w.packet(
      [&] {
        out.number(8, 1001), out.number(58, 65);
        w.message(11, [&] {
          out.number(9, 3), out.number(11, 300), out.bytes(23, "mark"), out.bytes(22, "category"), out.number(3, 1),
              out.bytes(4, "\x10\x01"), out.number(17, 5), out.number(47, 3);
        });
      },
      9);
  w.event(9'000'500, 4, 200, "", [&] { out.real(44, 2.5); });
  w.packet(  // the names of sequence 3 are reset, so that this event has none
      [&] {
        out.number(13, 1), out.number(8, 9'001'000);
        w.message(11, [&] { out.number(9, 3), out.number(11, 100), out.number(10, 9); });
      },
      3);
}

// Names of processes and threads, and state that is needed or lost.
void add_names(test::PerfettoWriter& w) {
  auto& out = w.out;
  w.packet([&] {
    w.message(2, [&] {
      w.message(1, [&] { out.number(1, 50), out.bytes(3, "tree process"); });
      w.message(2, [&] { out.number(1, 51), out.bytes(2, "tree thread"), out.number(3, 50); });
    });
  });
  w.thread(500, 50, 51).event(9'002'000, 3, 500, "in the tree");
  w.packet([&] { w.message(43, [&] { out.number(1, 63), out.bytes(6, "described process"); }); });
  w.packet([&] { w.message(43, [&] { out.number(1, 62), out.bytes(2, "command"); }); });
  for (const uint64_t pid : {62, 63, 64}) {
    w.packet([&] {
      w.message(60, [&] {
        out.number(1, 600 + pid);
        w.message(3, [&] {
          out.number(1, pid);
          if (pid == 64) out.bytes(2, "own command");
        });
      });
    });
    w.event(9'002'100, 3, 600 + pid, "in a process");
  }
  w.packet([&] { out.number(41, 1); }, 22);
  for (const uint64_t time : {9'002'200, 9'002'300, 9'002'400}) {
    w.packet(
        [&] {
          if (time == 9'002'300) out.number(42, 1);
          if (time < 9'002'400) out.number(13, 2);
          out.number(8, time);
          w.message(11, [&] { out.number(9, 3), out.number(11, 500), out.bytes(23, "needs state"); });
        },
        22);
  }
  w.packet([&] {
    w.message(82, [&] { w.message(4, [&] { w.message(1, [&] { out.bytes(1, "raw"), out.bytes(2, "shown"); }); }); });
  });
  w.event(9'002'500, 3, 500, "raw");
}

// Counters next to spans, their units and scales.
void add_counters(test::PerfettoWriter& w) {
  auto& out = w.out;
  const auto describe = [&](uint64_t uuid, const char* name, auto&& counter) {
    w.packet([&] {
      w.message(60, [&] {
        out.number(1, uuid);
        if (*name != 0) out.bytes(2, name);
        w.message(8, counter);
      });
    });
  };
  describe(701, "tokens", [&] { out.bytes(6, "tokens"), out.number(4, 10), out.number(5, 1); });
  describe(702, "", [&] { out.number(1, 1); });
  describe(703, "share", [] {});
  w.event(9'003'000, 4, 702, "", [&] { out.number(30, 70); });
  w.event(9'003'100, 3, 500, "with values", [&] {
    out.number(31, 701), out.number(12, 3), out.number(45, 703);
    out.real(46, 1.5);
  });
  w.event(9'003'150, 3, 500, "with a value", [&] { out.number(31, 701), out.number(12, 3); });
  w.packet(
      [&] {
        out.number(13, 1);
        w.message(59, [&] { w.message(11, [&] { out.number(31, 701), out.number(45, 703); }); });
      },
      23);
  w.packet(
      [&] {
        out.number(8, 9'003'200);
        w.message(11, [&] {
          out.number(9, 3), out.number(11, 500), out.number(12, 4);
          out.real(46, 2.5);
        });
      },
      23);
}

// Names of tracks, their parents, and tracks that share a row.
void add_tracks(test::PerfettoWriter& w) {
  auto& out = w.out;
  const auto track = [&](uint64_t uuid, uint32_t name_field, const char* name, auto&& more) {
    w.packet([&] {
      w.message(60, [&] {
        out.number(1, uuid), out.bytes(name_field, name);
        more();
      });
    });
    w.event(9'004'000 + uuid, 3, uuid, "on a track");
  };
  track(801, 10, "static name", [&] { out.number(5, 300); });
  track(802, 13, "name of atrace", [] {});
  track(803, 2, "lane", [] {});
  track(804, 2, "lane", [&] { out.number(15, 2); });
  track(805, 2, "key 1", [&] { out.number(15, 3), out.bytes(16, "key"); });
  track(806, 2, "key 2", [&] { out.number(15, 3), out.bytes(16, "key"); });
  track(807, 2, "number 1", [&] { out.number(15, 3), out.number(17, 5); });
  track(808, 2, "number 2", [&] { out.number(15, 3), out.number(17, 5); });
}

// Events in the form of Chrome's format, and ends with categories.
void add_older_events(test::PerfettoWriter& w) {
  auto& out = w.out;
  const auto packet = [&](auto&& body) { w.packet(body, 24); };
  const auto event = [&](char phase, auto&& more, auto&& time) {
    packet([&] {
      w.message(11, [&] {
        time();
        w.message(6, [&] {
          out.number(2, static_cast<uint64_t>(phase));
          more();
        });
      });
    });
  };
  packet([&] {
    out.number(13, 1);
    w.message(12, [&] {
      w.message(1, [&] { out.number(1, 1), out.bytes(2, "b"); });
      w.message(2, [&] { out.number(1, 5), out.bytes(2, "older name"); });
    });
  });
  packet([&] {
    w.message(44, [&] {
      out.number(1, 60), out.number(2, 61), out.bytes(5, "older thread"), out.number(6, 9'006);
      out.number(7, 70), out.number(8, 80);
    });
  });
  event(
      'X', [&] { out.number(3, 7); },
      [&] { out.number(1, 5), out.bytes(23, "whole"), out.number(2, 3), out.number(8, 4); });
  event(
      'i', [&] { out.number(1, 5), out.number(14, 1); },
      [&] { out.number(16, 9'020), out.number(17, 500), out.number(20, 600); });
  event(
      'i', [&] { out.number(18, 90); }, [&] { out.number(16, 9'021); });
  event(
      'i', [&] { out.number(19, 91); }, [&] { out.number(16, 9'022); });
  for (const uint32_t id : {6, 10, 11}) {
    const auto with_id = [&] { out.number(id, 9), out.bytes(7, "scope"); };
    event('b', with_id, [&] { out.number(16, 9'030 + 10 * id), out.bytes(23, "asynchronous"); });
    event('e', with_id, [&] { out.number(16, 9'035 + 10 * id), out.bytes(23, "asynchronous"); });
  }
  w.event(9'200'000, 1, 500, "outer", [&] { out.bytes(22, "b"); });
  w.event(9'200'100, 1, 500, "inner", [&] { out.bytes(22, "a"); });
  packet([&] {
    out.number(8, 9'200'200);
    w.message(11, [&] { out.number(9, 2), out.number(11, 500), out.number(3, 1); });
  });
  w.event(9'200'300, 2, 500, "", [&] { out.bytes(22, "a"); });
  w.event(9'300'000, 5, 801, "state").event(9'300'500, 5, 801);
}

std::string more_perfetto() {
  test::PerfettoWriter w;
  add_clocks(w);
  add_names(w);
  add_counters(w);
  add_tracks(w);
  add_older_events(w);
  return w.text();
}

}  // namespace

TEST_CASE("each field of a Perfetto trace is shown or ignored as listed") {
  auto packets = packets_of(test::perfetto_trace() + more_perfetto());
  Paths paths;
  for (const auto& packet : packets) collect(packet, paths);
  check_known(ImportFormat::Perfetto, paths);
  const std::string before = imported_text(bytes_of(packets));
  REQUIRE(before != "refused");
  Found found;
  for (auto& packet : packets)
    change_fields(
        packet, [&] { return imported_text(bytes_of(packets)) != before; }, found);
  found.add("50", true);  // packed packets: tried by import_test
  found.check(ImportFormat::Perfetto);
}

TEST_CASE("recordings have no Perfetto field unknown to the importer") {
  test::TempFile file("mirror.pftrace");
  auto writer = RecordingWriter::create(file.path);
  REQUIRE(writer.ok());
  test::fill(**writer, {.runs = 2});
  REQUIRE((*writer)->close().ok());
  Paths paths;
  for (const auto& packet : packets_of(file.read())) collect(packet, paths);
  paths.erase("2100");  // our own field, which only we read
  check_known(ImportFormat::Perfetto, paths);
}
