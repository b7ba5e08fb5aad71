// SPDX-License-Identifier: MIT
// The fields of Perfetto's traces.
#include <functional>
#include "import_fields_common.h"

#include "engine/trace/sample_session.h"
#include "engine/trace/sample_traces.h"
#include "engine/trace/temp_file.h"

using namespace arenascope;
using namespace arenascope::test::fields;

namespace {

// Messages whose fields are walked, too.
bool is_message(const std::string& path) {
  static const Paths kMessages{"6", "6.1", "11", "12", "12.2", "59", "59.11", "60", "60.3", "60.4", "60.8"};
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

// Changes each field in turn; a message as a whole by leaving it out.
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

std::string more_perfetto() {
  WireWriter w;
  const auto packet = [&](auto&& body) {
    const size_t p = w.begin(1);
    body();
    w.end(p);
  };
  const auto message = [&](uint32_t field, auto&& body) {
    const size_t m = w.begin(field);
    body();
    w.end(m);
  };
  packet([&] {
    w.number(10, 9), w.number(13, 1), w.number(41, 1), w.number(3, 0), w.number(79, 5);
    message(6, [&] {
      w.number(2, 6);
      message(1, [&] { w.number(1, 6), w.number(2, 9'000'000); });
      message(1, [&] { w.number(1, 65), w.number(2, 1000), w.number(3, 0), w.number(4, 10); });
    });
  });
  packet([&] {
    w.number(10, 9);
    message(60, [&] {
      w.number(1, 300), w.number(5, 100), w.number(11, 1);
      message(3, [&] { w.number(1, 11), w.bytes(6, "prog"); });
    });
  });
  packet([&] {
    w.number(10, 9), w.number(8, 1001), w.number(58, 65);
    message(11, [&] {
      w.number(9, 3), w.number(11, 300), w.bytes(23, "mark"), w.bytes(22, "category"), w.number(3, 1),
          w.bytes(4, "\x10\x01");
    });
  });
  packet([&] {
    w.number(10, 9), w.number(8, 9'000'500);
    message(11, [&] { w.number(9, 4), w.number(11, 200), w.real(44, 2.5); });
  });
  packet([&] {  // names begin anew: this one's has gone
    w.number(10, 3), w.number(13, 1), w.number(8, 9'001'000);
    message(11, [&] { w.number(9, 3), w.number(11, 100), w.number(10, 9); });
  });
  return w.text();
}

}  // namespace

TEST_CASE("each field of a Perfetto trace is shown or left out as the list says") {
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

TEST_CASE("what a recording of ours tells Perfetto has no field that its importer does not know") {
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
