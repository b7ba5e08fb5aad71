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

// Nodes with neither a name nor an index, in two runs; the third run has no end.
inline const std::string kOnnxRuntimeNameless = R"([
{"cat":"Node","pid":1,"tid":2,"dur":30,"ts":1010,"ph":"X","name":"_kernel_time","args":{"op_name":"Conv"}},
{"cat":"Node","pid":1,"tid":2,"dur":1,"ts":1040,"ph":"X","name":"_fence_after","args":{"op_name":"Conv"}},
{"cat":"Node","pid":1,"tid":2,"dur":20,"ts":1042,"ph":"X","name":"_kernel_time","args":{"op_name":"BatchNormalization"}},
{"cat":"Node","pid":1,"tid":2,"dur":10,"ts":1065,"ph":"X","name":"_kernel_time","args":{"op_name":"Conv"}},
{"cat":"Session","pid":1,"tid":2,"dur":90,"ts":1000,"ph":"X","name":"model_run","args":{}},
{"cat":"Node","pid":1,"tid":2,"dur":32,"ts":1210,"ph":"X","name":"_kernel_time","args":{"op_name":"Conv"}},
{"cat":"Node","pid":1,"tid":2,"dur":22,"ts":1242,"ph":"X","name":"_kernel_time","args":{"op_name":"BatchNormalization"}},
{"cat":"Node","pid":1,"tid":2,"dur":12,"ts":1265,"ph":"X","name":"_kernel_time","args":{"op_name":"Conv"}},
{"cat":"Session","pid":1,"tid":2,"dur":90,"ts":1200,"ph":"X","name":"model_run","args":{}},
{"cat":"Node","pid":1,"tid":2,"dur":34,"ts":1410,"ph":"X","name":"_kernel_time","args":{"op_name":"Conv"}}
])";

// As DirectML's provider writes it: no arguments, so that ops and indices are unknown.
inline const std::string kOnnxRuntimeDirectMl = R"([
{"cat":"Node","pid":1,"tid":2,"dur":100,"ts":1210,"ph":"X","name":"DmlFusedNode_0_41_kernel_time"},
{"cat":"Node","pid":1,"tid":2,"dur":40,"ts":1310,"ph":"X","name":"/0/STFT_kernel_time"},
{"cat":"Session","pid":1,"tid":2,"dur":170,"ts":1200,"ph":"X","name":"SequentialExecutor::Execute"},
{"cat":"Session","pid":1,"tid":2,"dur":500,"ts":1000,"ph":"X","name":"model_run"}
])";

// As ggml_graph_dump_dot() writes it: two nodes in execution order, a weight, and an input with its values.
inline std::string ggml_dot() {
  return R"DOT(digraph G {
  newrank = true;
  rankdir = TB;
  "0x1000" [ style = filled; fillcolor = white; shape = record; label="h (f32)|0 [4, 2] | <x>X*Y"; ]
  "0x2000" [ style = filled; fillcolor = green; shape = record; label="(f32)|1 [4, 2, 3] | <x>relu(x) | <g>step(x)"; ]
  "0x3000" [ style = filled; fillcolor = pink; shape = record; label="<x>w (q4_K)|CONST 0 [256, 4]"; ]
  "0x4000" [ style = filled; fillcolor = pink; shape = record; label="<x>(f32)|CONST 1 [2, 1] | (1.0e+00, 2.0e+00)"; ]
  "0x3000" -> "0x1000" [ arrowhead = vee; style = solid; label = "src 0"; ]
  "0x4000" -> "0x1000" [ label = "src 1"; ]
  "0x1000":x -> "0x2000":x [ arrowhead = vee; style = solid; label = "src 0"; ]
}
)DOT";
}

// A command buffer of a fill and two dispatches, the second of which begins before the first is over, executed twice; a pool
// that takes a second slab; a buffer of the program's own.
inline std::string iree_export() {
  std::string out =
      R"({"schema_version":15,"record_type":"schema","format":"ireeperf-jsonl","source_format":"ireeprof"})";
  const auto record = [&](const char* type, const std::string& fields) {
    out += "\n{\"schema_version\":15,\"record_type\":\"" + std::string(type) + "\"," + fields + "}";
  };
  const auto text = [](int64_t n) { return std::to_string(n); };
  record("session", R"("event":"begin","session_id":1,"session_status":"OK")");
  record("device", R"("physical_device_ordinal":0,"queue_count":1)");
  record("executable_function", R"("executable_id":1,"function_ordinal":0,"name":"matmul","binding_count":3)");
  record("command_buffer", R"("command_buffer_id":1,"mode":128)");
  const auto operation = [&](int index, const char* op, const char* key) {
    record("command_operation", R"("command_buffer_id":1,"command_index":)" + text(index) + R"(,"op":")" + op +
                                    R"(","key":")" + key + R"(","binding_count":3)");
  };
  operation(0, "fill", "fill"), operation(1, "barrier", "barrier"), operation(2, "dispatch", "matmul");
  operation(3, "dispatch", "matmul");
  record("queue_event", R"("op":"execute","submission_id":3,"command_buffer_id":1,"host_time_ns":900)");
  const auto ran = [&](int submission, int64_t buffer, int64_t command, const char* op, const std::string& key,
                       int64_t begin, int64_t end) {
    record("host_execution_event", R"("physical_device_ordinal":0,"queue_ordinal":0,"submission_id":)" +
                                       text(submission) + R"(,"command_buffer_id":)" + text(buffer) +
                                       R"(,"command_index":)" + text(command) + R"(,"op":")" + op + R"(","key":)" +
                                       key + R"(,"valid":true,"tile_count":4,"start_host_time_ns":)" + text(begin) +
                                       R"(,"end_host_time_ns":)" + text(end));
  };
  ran(1, 0, 4294967295, "alloca", "null", 100, 110);
  for (const int64_t at : {1000, 3000}) {
    const int submission = at == 1000 ? 3 : 5;
    ran(submission, 1, 2, "dispatch", R"("matmul")", at + 10, at + 60);
    ran(submission, 1, 3, "dispatch", R"("matmul")", at + 50, at + 90);
    ran(submission, 1, 4294967295, "execute", "null", at, at + 100);
  }
  const auto memory = [&](const char* type, int64_t time, int allocation, int64_t offset, int64_t bytes,
                          int64_t committed, const char* more = "") {
    record("memory_event", R"("event_type":")" + std::string(type) + R"(","host_time_ns":)" + text(time) +
                               R"(,"allocation_id":)" + text(allocation) +
                               R"(,"pool_id":77,"backing_id":4096,"physical_device_ordinal":0,"offset":)" +
                               text(offset) + R"(,"length":)" + text(bytes) +
                               R"(,"externally_owned":false,"pool_stats_available":true,"pool_bytes_committed":)" +
                               text(committed) + more);
  };
  memory("pool_reserve", 101, 1, 0, 512, 1024);
  memory("queue_alloca", 102, 1, 0, 512, 1024);
  memory("pool_reserve", 103, 2, 0, 1024, 2048);  // in a slab of its own
  memory("pool_reserve", 104, 3, 512, 256, 2048);
  memory("queue_dealloca", 1200, 2, 0, 1024, 2048);
  memory("pool_release", 1201, 2, 0, 1024, 1024);
  memory("buffer_allocate", 105, 9, 0, 100, 0);
  memory("buffer_free", 4000, 9, 0, 100, 0);
  record("session", R"("event":"end","session_id":1,"session_status":"OK")");
  return out + "\n";
}

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
  // The first entry that counts is the alloc at 2 ms: earlier blocks are live from then on.
  return out;
}

}  // namespace arenascope::test
