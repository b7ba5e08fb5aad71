// SPDX-License-Identifier: MIT
// Small traces of other tools, made here.
#pragma once
#include <arenascope/trace/wire.h>

#include <string>

namespace arenascope::test {
using namespace trace;

inline const std::string kChromeJson = R"({"displayTimeUnit":"ms","meta":{"deep":[[1,{"ph":"X"}]]},"traceEvents":[
{"ph":"M","pid":7,"tid":8,"name":"thread_name","args":{"name":"main"}},
{"ph":"M","pid":7,"tid":0,"name":"process_name","args":{"name":"prog"}},
{"ph":"X","pid":7,"tid":8,"ts":1000.5,"dur":2000,"name":"outer","args":{"shape":[1,{"name":"x"}]}},
{"ph":"B","pid":7,"tid":8,"ts":1500,"name":"inner"},
{"ph":"E","pid":7,"tid":8,"ts":1600},
{"ph":"i","pid":7,"tid":8,"ts":1700,"name":"mark"},
{"ph":"b","cat":"net","id":"0x1","pid":7,"tid":8,"ts":1000,"name":"request"},
{"ph":"b","cat":"net","id":"0x2","pid":7,"tid":8,"ts":1100,"name":"request"},
{"ph":"e","cat":"net","id":"0x1","pid":7,"tid":8,"ts":1900,"name":"request"},
{"ph":"e","cat":"net","id":"0x2","pid":7,"tid":8,"ts":1950,"name":"request"},
{"ph":"C","pid":7,"ts":1000,"name":"load","args":{"value":2.5}},
{"ph":"s","id":5,"pid":7,"tid":8,"ts":1000,"name":"flow"},
{"ph":"i","pid":7,"tid":8,"ts":1200,"name":"[memory]","args":{"Device Type":1,"Device Id":0,"Bytes":1024,"Addr":4096}},
{"ph":"i","pid":7,"tid":8,"ts":1300,"name":"[memory]","args":{"Device Type":1,"Device Id":0,"Bytes":-768,"Addr":4096}},
{"ph":"X","pid":7,"tid":"stream 3","ts":1000,"dur":5,"name":"kernel \u00e9"}
],"otherData":{"traceEvents":"no"}})";

inline const std::string kOnnxRuntimeProfile = R"([
{"cat":"Session","pid":1,"tid":2,"dur":50,"ts":5,"ph":"X","name":"model_loading_uri","args":{}},
{"cat":"Node","pid":1,"tid":2,"dur":30,"ts":1010,"ph":"X","name":"conv_0_kernel_time","args":{"op_name":"Conv","provider":"CPUExecutionProvider","node_index":"0"}},
{"cat":"Node","pid":1,"tid":2,"dur":1,"ts":1009,"ph":"X","name":"conv_0_fence_before","args":{"op_name":"Conv"}},
{"cat":"Node","pid":1,"tid":2,"dur":20,"ts":1050,"ph":"X","name":"relu_1_kernel_time","args":{"op_name":"Relu","node_index":"1"}},
{"cat":"Session","pid":1,"tid":2,"dur":90,"ts":1000,"ph":"X","name":"model_run","args":{}},
{"cat":"Node","pid":1,"tid":2,"dur":40,"ts":1200,"ph":"X","name":"conv_0_kernel_time","args":{"op_name":"Conv","node_index":"0"}},
{"cat":"Node","pid":1,"tid":2,"dur":20,"ts":1240,"ph":"X","name":"relu_1_kernel_time","args":{"op_name":"Relu","node_index":"1"}},
{"cat":"Session","pid":1,"tid":2,"dur":90,"ts":1190,"ph":"X","name":"model_run","args":{}}
])";

// A worker's slices on an incremental clock of microseconds that starts at 5 ms, an interned and a plain name, and a
// counter of bytes.
inline std::string perfetto_trace() {
  WireWriter w;
  const auto packet = [&](auto&& body) {
    const size_t p = w.begin(1);
    w.number(10, 3);
    body();
    w.end(p);
  };
  const auto message = [&](uint32_t field, auto&& body) {
    const size_t m = w.begin(field);
    body();
    w.end(m);
  };
  packet([&] {
    w.number(13, 1);
    message(59, [&] {
      w.number(58, 64);
      message(11, [&] { w.number(11, 100); });
    });
    message(6, [&] {
      message(1, [&] { w.number(1, 6), w.number(2, 5'000'000); });
      message(1, [&] { w.number(1, 64), w.number(2, 777), w.number(3, 1), w.number(4, 100); });
    });
  });
  packet([&] {
    message(60, [&] {
      w.number(1, 100);
      message(4, [&] { w.number(1, 11), w.number(2, 12), w.bytes(5, "worker"); });
    });
  });
  packet([&] {
    message(60, [&] {
      w.number(1, 200), w.bytes(2, "arena");
      message(8, [&] { w.number(3, 3); });
    });
  });
  packet([&] {  // 5,000,100 ns
    w.number(8, 1);
    message(12, [&] { message(2, [&] { w.number(1, 9), w.bytes(2, "interned"); }); });
    message(11, [&] { w.number(9, 1), w.number(10, 9); });
  });
  packet([&] { w.number(8, 1), message(11, [&] { w.number(9, 1), w.bytes(23, "plain"); }); });  // + 100
  packet([&] { w.number(8, 1), message(11, [&] { w.number(9, 2); }); });                        // + 100
  packet([&] { w.number(8, 1), message(11, [&] { w.number(9, 2); }); });                        // + 100
  packet([&] {
    w.number(8, 1);
    message(11, [&] { w.number(9, 4), w.number(11, 200), w.number(30, static_cast<uint64_t>(int64_t{-3})); });
  });
  return w.text();
}

// Protocol 2. One segment of 4096 bytes at 0x10000 with a block for 200 bytes at + 1024 that was there before; in the
// trace a block for 100 bytes goes and one for 500 comes. Each block has 512.
inline std::string snapshot_pickle() {
  std::string out("\x80\x02", 2);
  const auto text = [&](const std::string& t) {
    out += 'X';
    for (int i = 0; i < 4; ++i) out += static_cast<char>(t.size() >> (8 * i));
    out += t;
  };
  const auto number = [&](int32_t v) {
    out += 'J';
    for (int i = 0; i < 4; ++i) out += static_cast<char>(static_cast<uint32_t>(v) >> (8 * i));
  };
  const auto field = [&](const std::string& key, int32_t v) { text(key), number(v), out += 's'; };
  const auto word = [&](const std::string& key, const std::string& v) { text(key), text(v), out += 's'; };
  out += '}';
  text("segments");
  out += ']';
  out += '}';
  field("device", 0), field("address", 0x10000), field("total_size", 4096), field("allocated_size", 1024);
  text("blocks");
  out += "](";
  out += '}', field("address", 0x10000), field("size", 1024), word("state", "inactive");
  out += '}', field("address", 0x10400), field("size", 512), word("state", "active_allocated");
  out += '}', field("address", 0x10600), field("size", 512), word("state", "active_allocated");
  out += "es";  // blocks
  out += "as";  // segments
  text("device_traces");
  out += "]](";
  const auto entry = [&](const std::string& action, int32_t address, int32_t size, int32_t micros) {
    out += '}', word("action", action), field("addr", address), field("size", size), field("time_us", micros);
    text("frames"), out += "](";
    for (const char* function : {"empty", "forward"})
      out += '}', word("name", function), word("filename", std::string(function) + ".py"), field("line", micros);
    out += "es";
  };
  entry("snapshot", 0, 0, 0);
  entry("free_requested", 0x10000, 100, 1);
  entry("alloc", 0x10600, 500, 2000);
  entry("free_completed", 0x10000, 100, 3000);
  out += "eas.";
  // The first entry that counts is the alloc at 2 ms: what was there before stands from then on.
  return out;
}

}  // namespace arenascope::test
