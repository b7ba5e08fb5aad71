// SPDX-License-Identifier: MIT
// FlatBuffers for tests, written front to back: a table is a list of offsets followed by its fields' bytes, and objects
// that a field refers to follow later.
#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace arenascope::test {

class FlatWriter {
 public:
  explicit FlatWriter(const std::string& identifier) : out_(4, '\0') { out_ += identifier; }

  // A field: its number, and how its bytes are written; objects that it refers to are written after the table.
  struct Field {
    size_t number;
    std::string bytes;                  // bytes of a scalar
    std::function<size_t()> reference;  // writes what it refers to, and returns where
  };
  template <class T>
  static Field scalar(size_t number, T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return {number, bytes, {}};
  }
  Field text(size_t number, const std::string& value) {
    return {number, {}, [this, value] {
              const size_t at = begin();
              number_32(static_cast<uint32_t>(value.size()));
              out_ += value + '\0';
              return at;
            }};
  }
  template <class T>
  Field numbers(size_t number, const std::vector<T>& values) {
    return {number, {}, [this, values] {
              const size_t at = begin();
              number_32(static_cast<uint32_t>(values.size()));
              for (const T v : values) out_.append(reinterpret_cast<const char*>(&v), sizeof v);
              return at;
            }};
  }
  Field table(size_t number, std::vector<Field> fields) {
    return {number, {}, [this, fields] { return write(fields); }};
  }
  Field tables(size_t number, std::vector<std::vector<Field>> list) {
    return {number, {}, [this, list] {
              const size_t at = begin();
              number_32(static_cast<uint32_t>(list.size()));
              const size_t places = out_.size();
              out_.append(4 * list.size(), '\0');
              for (size_t i = 0; i < list.size(); ++i) refer(places + 4 * i, write(list[i]));
              return at;
            }};
  }
  std::string finish(const std::vector<Field>& root) {
    refer(0, write(root));
    return out_;
  }

 private:
  size_t begin() {
    out_.append((8 - out_.size() % 8) % 8, '\0');
    return out_.size();
  }
  void number_32(uint32_t v) { out_.append(reinterpret_cast<const char*>(&v), 4); }
  void refer(size_t at, size_t to) {
    const auto distance = static_cast<uint32_t>(to - at);
    std::memcpy(out_.data() + at, &distance, 4);
  }
  size_t write(const std::vector<Field>& fields) {
    size_t most = 0;
    for (const Field& f : fields) most = std::max(most, f.number + 1);
    begin();
    const size_t list = out_.size();
    out_.append(4 + 2 * most, '\0');
    begin();
    const size_t table = out_.size();
    const auto back = static_cast<int32_t>(table - list);
    out_.append(reinterpret_cast<const char*>(&back), 4);
    std::vector<size_t> places;
    for (const Field& f : fields) {
      const size_t width = f.reference ? 4 : f.bytes.size();
      out_.append((width - out_.size() % width) % width, '\0');
      places.push_back(out_.size());
      const auto offset = static_cast<uint16_t>(out_.size() - table);
      std::memcpy(out_.data() + list + 4 + 2 * f.number, &offset, 2);
      out_ += f.reference ? std::string(4, '\0') : f.bytes;
    }
    const uint16_t sizes[] = {static_cast<uint16_t>(4 + 2 * most), static_cast<uint16_t>(out_.size() - table)};
    std::memcpy(out_.data() + list, sizes, 4);
    for (size_t i = 0; i < fields.size(); ++i)
      if (fields[i].reference) refer(places[i], fields[i].reference());
    return table;
  }

  std::string out_;
};

}  // namespace arenascope::test
