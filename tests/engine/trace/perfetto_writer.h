// SPDX-License-Identifier: MIT
// Writes Perfetto traces for tests, packet by packet. Field numbers are from trace_packet.proto and track_event.proto.
#pragma once
#include <arenascope/trace/wire.h>

#include <string>

namespace arenascope::test {

class PerfettoWriter {
 public:
  trace::WireWriter out;

  template <class F>
  PerfettoWriter& message(uint32_t field, F&& body) {
    const size_t begin = out.begin(field);
    body();
    out.end(begin);
    return *this;
  }
  // A packet of the sequence; `body` writes its fields.
  template <class F>
  PerfettoWriter& packet(F&& body, uint64_t sequence = 1) {
    return message(1, [&] {
      out.number(10, sequence);
      body();
    });
  }
  PerfettoWriter& thread(uint64_t uuid, int pid, int tid, const std::string& name = "") {
    return packet([&] {
      message(60, [&] {
        out.number(1, uuid);
        message(4, [&] {
          out.number(1, static_cast<uint64_t>(pid)), out.number(2, static_cast<uint64_t>(tid));
          if (!name.empty()) out.bytes(5, name);
        });
      });
    });
  }
  PerfettoWriter& process(uint64_t uuid, int pid, const std::string& name) {
    return packet([&] {
      message(60, [&] {
        out.number(1, uuid);
        message(3, [&] { out.number(1, static_cast<uint64_t>(pid)), out.bytes(6, name); });
      });
    });
  }
  PerfettoWriter& track(uint64_t uuid, const std::string& name, uint64_t parent = 0) {
    return packet([&] {
      message(60, [&] {
        out.number(1, uuid), out.bytes(2, name);
        if (parent != 0) out.number(5, parent);
      });
    });
  }
  // Types: 1 begin, 2 end, 3 instant, 4 counter, 5 state. `more` writes further fields of the event.
  template <class F>
  PerfettoWriter& event(uint64_t time, uint64_t type, uint64_t uuid, const std::string& name, F&& more) {
    return packet([&] {
      out.number(8, time);
      message(11, [&] {
        out.number(9, type), out.number(11, uuid);
        if (!name.empty()) out.bytes(23, name);
        more();
      });
    });
  }
  PerfettoWriter& event(uint64_t time, uint64_t type, uint64_t uuid, const std::string& name = "") {
    return event(time, type, uuid, name, [] {});
  }
  const std::string& text() const { return out.text(); }
};

}  // namespace arenascope::test
