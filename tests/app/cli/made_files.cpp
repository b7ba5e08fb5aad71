// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli/made_files.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace arenascope::test {
namespace {

// Protobuf wire format: a key (field number and wire type), then a varint or a length and bytes.
std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  return out + static_cast<char>(value);
}
std::string number(uint64_t field, uint64_t value) { return varint(field << 3) + varint(value); }
std::string bytes(uint64_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}

// ValueInfoProto of a float32 vector.
std::string value_info(const std::string& name, const std::vector<int64_t>& shape) {
  std::string dims;
  for (const int64_t size : shape) dims += bytes(1, size < 0 ? bytes(2, "N") : number(1, static_cast<uint64_t>(size)));
  return bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, dims)));
}

// Two inputs x and y, one output z.
std::string model_of(const char* op, const std::string& attributes, const std::vector<int64_t>& x,
                     const std::vector<int64_t>& y, const std::vector<int64_t>& z) {
  const std::string node =
      bytes(1, "x") + bytes(1, "y") + bytes(2, "z") + bytes(3, "the_node") + bytes(4, op) + attributes;
  const std::string graph = bytes(1, node) + bytes(2, "one") + bytes(11, value_info("x", x)) +
                            bytes(11, value_info("y", y)) + bytes(12, value_info("z", z));
  return number(1, 8) + bytes(7, graph) + bytes(8, bytes(1, "") + number(2, 13));
}

std::string raw(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

std::string npy_bytes(const Array& array) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int64_t size : array.shape) header += std::to_string(size) + ", ";
  header += "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  std::string out = "\x93NUMPY";
  out += '\1';
  out += '\0';
  out += static_cast<char>(length & 255);
  out += static_cast<char>(length >> 8);
  return out + header + raw(array.values);
}

Array read_npy(const std::filesystem::path& path) {
  const std::string all = read_file(path);
  if (all.size() < 10 || !all.starts_with("\x93NUMPY") || all[6] != 1) return {};
  const size_t length = static_cast<uint8_t>(all[8]) | size_t{static_cast<uint8_t>(all[9])} << 8;
  if (all.size() < 10 + length) return {};
  const std::string header = all.substr(10, length);
  if (header.find("'<f4'") == std::string::npos || header.find("False") == std::string::npos) return {};
  Array out;
  size_t count = 1;
  const size_t open = header.find('('), close = header.find(')');
  if (open == std::string::npos || close == std::string::npos) return {};
  for (size_t at = open + 1; at < close;) {
    char* end = nullptr;
    const int64_t size = std::strtoll(header.c_str() + at, &end, 10);
    if (end == header.c_str() + at) break;
    out.shape.push_back(size);
    count *= static_cast<size_t>(size);
    at = static_cast<size_t>(end - header.c_str()) + 1;
  }
  if (all.size() != 10 + length + count * sizeof(float)) return {};
  out.values.resize(count);
  if (count > 0) std::memcpy(out.values.data(), all.data() + 10 + length, count * sizeof(float));
  return out;
}

std::string add_model(int64_t size) { return model_of("Add", "", {size}, {size}, {size}); }

std::string unary_model(const char* op, int64_t size) {
  const std::string node = bytes(1, "x") + bytes(2, "z") + bytes(3, "the_node") + bytes(4, op);
  const std::string graph =
      bytes(1, node) + bytes(2, "one") + bytes(11, value_info("x", {size})) + bytes(12, value_info("z", {size}));
  return number(1, 8) + bytes(7, graph) + bytes(8, bytes(1, "") + number(2, 13));
}

std::string unknown_model() {
  const auto node = [](const char* result) {
    return bytes(1, bytes(1, "x") + bytes(2, result) + bytes(4, "Frobnicate"));
  };
  const std::string without_shape = bytes(1, "z") + bytes(2, bytes(1, number(1, 1)));
  const std::string graph = node("z") + node("u") + bytes(2, "unknown") + bytes(11, value_info("x", {4})) +
                            bytes(12, without_shape) + bytes(12, value_info("u", {-1, 3}));
  return number(1, 8) + bytes(7, graph) + bytes(8, bytes(1, "") + number(2, 13));
}

std::string product_model(int64_t rows, int64_t depth, int64_t columns) {
  const std::string second_transposed = bytes(5, bytes(1, "transB") + number(3, 1) + number(20, 2));
  return model_of("Gemm", second_transposed, {rows, depth}, {columns, depth}, {rows, columns});
}

void write_weighted_product(const std::string& path, int64_t rows, int64_t depth, int64_t columns, size_t shift) {
  const std::string transposed = bytes(5, bytes(1, "transB") + number(3, 1) + number(20, 2));
  const std::string node = bytes(1, "x") + bytes(1, "y") + bytes(2, "z") + bytes(4, "Gemm") + transposed;
  const auto payload = static_cast<uint64_t>(columns * depth) * sizeof(float);
  const auto sizes = number(1, static_cast<uint64_t>(columns)) + number(1, static_cast<uint64_t>(depth));
  for (size_t padding = 0;; ++padding) {
    // The payload is the last field of the last field of the last field; the zeros follow.
    const std::string tensor = sizes + number(2, 1) + bytes(8, "y") + varint(9 << 3 | 2) + varint(payload);
    std::string graph = bytes(1, node) + bytes(2, std::string(padding, 'p')) +
                        bytes(11, value_info("x", {rows, depth})) + bytes(12, value_info("z", {rows, columns}));
    graph += varint(5 << 3 | 2) + varint(tensor.size() + payload) + tensor;
    const std::string head = number(1, 8) + bytes(8, bytes(1, "") + number(2, 13)) + varint(7 << 3 | 2) +
                             varint(graph.size() + payload) + graph;
    if (head.size() % 64 != shift) continue;
    write_file(path, head);
    std::filesystem::resize_file(path, head.size() + payload);
    return;
  }
}

std::string tensor_proto(const std::string& name, const Array& array) {
  std::string out;
  for (int64_t size : array.shape) out += number(1, static_cast<uint64_t>(size));
  return out + number(2, 1) + bytes(8, name) + bytes(9, raw(array.values));
}

}  // namespace arenascope::test
