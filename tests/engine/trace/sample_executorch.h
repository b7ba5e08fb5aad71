// SPDX-License-Identifier: MIT
// ExecuTorch's programs and event dumps, made here field by field as its schemas have them.
#pragma once
#include "tests/engine/trace/flat_writer.h"

namespace arenascope::test {

using Fields = std::vector<FlatWriter::Field>;

// x (given) and w (constant) → conv → relu → y. The two results are at 0 and 64 of buffer 1, x at 128.
inline std::string executorch_program() {
  FlatWriter w("ET12");
  const auto place = [&](uint32_t offset) { return w.table(6, {w.scalar<uint32_t>(0, 1), w.scalar(1, offset)}); };
  const auto tensor = [&](Fields more) {
    Fields fields{w.scalar<int8_t>(0, 6), w.numbers<int32_t>(2, {4, 4})};
    fields.insert(fields.end(), more.begin(), more.end());
    return Fields{w.scalar<uint8_t>(0, 5), w.table(1, fields)};
  };
  const auto call = [&](int32_t op, std::vector<int32_t> arguments) {
    return Fields{w.scalar<uint8_t>(0, 1), w.table(1, {w.scalar(0, op), w.numbers(1, arguments)})};
  };
  const Fields number{w.scalar<uint8_t>(0, 2), w.table(1, {w.scalar<int64_t>(0, 7)})};
  const Fields method{
      w.text(0, "forward"),
      w.tables(2, {tensor({place(128)}), tensor({w.scalar<uint32_t>(5, 3)}), number, tensor({place(0)}),
                   tensor({place(64)})}),
      w.numbers<int32_t>(3, {0}),
      w.numbers<int32_t>(4, {4}),
      w.tables(5, {{w.tables(2, {call(0, {0, 1, 2, 3, 3}), {w.scalar<uint8_t>(0, 5)}, call(1, {3, 4, 4})})}}),
      w.tables(6, {{w.text(0, "aten::convolution"), w.text(1, "out")}, {w.text(0, "aten::relu"), w.text(1, "out")}}),
      w.numbers<int64_t>(8, {0, 192}),
  };
  return w.finish({w.tables(1, {method})});
}

inline std::string executorch_dump() {
  FlatWriter w("ED00");
  const auto event = [&](const std::string& name, int32_t chain, int32_t instruction, uint64_t begin, uint64_t end) {
    return Fields{w.table(
        0, {w.text(0, name), w.scalar(1, chain), w.scalar(2, instruction), w.scalar(6, begin), w.scalar(7, end)})};
  };
  const Fields allocation{w.table(1, {w.scalar<int32_t>(0, 0), w.scalar<uint64_t>(1, 4096)})};
  std::vector<Fields> blocks{{w.text(0, "Default"), w.tables(3, {event("Program::load_method", -1, 0, 100, 200)})}};
  for (const uint64_t at : {1000u, 3000u})
    blocks.push_back({w.text(0, "Execute"), w.tables(2, {{w.text(0, "method allocator")}}),
                      w.tables(3, {allocation, event("native_call_convolution.out", 0, 0, at + 20, at + 180),
                                   event("OPERATOR_CALL", 0, 0, at + 10, at + 200),
                                   event("native_call_relu.out", 0, 2, at + 220, at + 300),
                                   event("OPERATOR_CALL", 0, 2, at + 210, at + 310),
                                   event("Method::execute", -1, 0, at, at + 320)})});
  return w.finish({w.tables(1, blocks)});
}

// A dump as ETDumpGen writes it: after its size.
inline std::string with_size(const std::string& buffer) {
  const auto size = static_cast<uint32_t>(buffer.size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + buffer;
}

// Three methods. "first": x → sigmoid, in two chains. "names" returns constants. "second": x and the trained w → mm → neg,
// which a delegate computes.
inline std::string executorch_methods() {
  FlatWriter w("ET12");
  const auto at = [&](uint32_t offset) { return w.table(6, {w.scalar<uint32_t>(0, 1), w.scalar(1, offset)}); };
  const auto tensor = [&](const Fields& more) {
    Fields fields{w.scalar<int8_t>(0, 6), w.numbers<int32_t>(2, {4, 4})};
    fields.insert(fields.end(), more.begin(), more.end());
    return Fields{w.scalar<uint8_t>(0, 5), w.table(1, fields)};
  };
  const auto call = [&](uint8_t type, int32_t op, const std::vector<int32_t>& arguments) {
    return Fields{w.scalar<uint8_t>(0, type), w.table(1, {w.scalar(0, op), w.numbers(1, arguments)})};
  };
  const Fields trained =
      tensor({at(256), w.scalar<uint8_t>(4, 1), w.table(9, {w.scalar<uint32_t>(0, 0), w.text(1, "net.weight")})});
  const Fields first{
      w.text(0, "first"),
      w.tables(2, {tensor({at(0)}), tensor({at(64)}), tensor({at(0)})}),
      w.numbers<int32_t>(3, {0}),
      w.numbers<int32_t>(4, {2}),
      w.tables(5, {{w.tables(2, {call(1, 0, {0, 1, 1})})}, {w.tables(2, {call(1, 0, {1, 2, 2})})}}),
      w.tables(6, {{w.text(0, "aten::sigmoid"), w.text(1, "out")}}),
      w.numbers<int64_t>(8, {0, 128}),
  };
  const Fields names{w.text(0, "names"), w.tables(2, {{w.scalar<uint8_t>(0, 6)}}), w.numbers<int32_t>(4, {0}),
                     w.tables(5, {Fields{}}), w.numbers<int64_t>(8, {0})};
  const Fields second{
      w.text(0, "second"),
      w.tables(2, {tensor({at(0)}), trained, tensor({at(64)}), tensor({at(128)})}),
      w.numbers<int32_t>(3, {0}),
      w.numbers<int32_t>(4, {3}),
      w.tables(5, {{w.tables(2, {call(1, 0, {0, 1, 2, 2}), call(2, 0, {2, 3})})}}),
      w.tables(6, {{w.text(0, "aten::mm"), w.text(1, "out")}}),
      w.tables(7, {{w.text(0, "XnnpackBackend")}}),
      w.numbers<int64_t>(8, {0, 320}),
  };
  return w.finish({w.tables(1, {first, names, second})});
}

// An execution of "second", followed by one of "first". The delegate's two operators are named by a string and a number.
inline std::string executorch_methods_dump() {
  FlatWriter w("ED00");
  const auto inside = [&](const FlatWriter::Field& identifier, uint64_t begin, uint64_t end) {
    return Fields{w.table(0, {w.scalar<int32_t>(2, 1), identifier, w.scalar(6, begin), w.scalar(7, end)})};
  };
  const auto event = [&](const std::string& name, int32_t chain, int32_t instruction, uint64_t begin, uint64_t end) {
    return Fields{w.table(
        0, {w.text(0, name), w.scalar(1, chain), w.scalar(2, instruction), w.scalar(6, begin), w.scalar(7, end)})};
  };
  const Fields second{
      w.text(0, "Execute"),
      w.tables(3, {event("native_call_mm.out", 0, 0, 1020, 1080), event("OPERATOR_CALL", 0, 0, 1010, 1100),
                   inside(w.text(4, "Negate (NC, F32)"), 1120, 1150), inside(w.scalar<int32_t>(3, 7), 1150, 1190),
                   event("DELEGATE_CALL", 0, 1, 1110, 1200), event("Method::execute", -1, 0, 1000, 1210)})};
  const Fields first{
      w.text(0, "Execute"),
      w.tables(3, {event("native_call_sigmoid.out", 0, 0, 2020, 2080), event("OPERATOR_CALL", 0, 0, 2010, 2090),
                   event("native_call_sigmoid.out", 1, 0, 2110, 2130), event("OPERATOR_CALL", 1, 0, 2100, 2140),
                   event("Method::execute", -1, 0, 2000, 2150)})};
  return w.finish({w.tables(1, {second, first})});
}

}  // namespace arenascope::test
