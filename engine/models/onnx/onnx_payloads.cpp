// SPDX-License-Identifier: MIT
#include "engine/models/onnx/onnx_payloads.h"
#include <fmt/format.h>

#include <climits>
#include <cstdint>
#include <cstring>

namespace arenascope::models::ir {
namespace {

constexpr int kMaxNesting = 100;  // as protobuf's own limit
constexpr uint32_t kFloat = 1;    // TensorProto.DataType

enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroup = 3, kEndGroup = 4, kFixed32 = 5 };

// TensorProto's fields.
enum TensorField : uint32_t { kDataType = 2, kFloatData = 4, kRawData = 9 };
constexpr std::byte kRawDataTag{kRawData << 3 | kBytes};

// The message in a field; nullopt: it contains no weights.
std::optional<OnnxMessage> message_in(OnnxMessage outer, uint32_t field) {
  switch (outer) {
    case OnnxMessage::Model:
      if (field == 25) return OnnxMessage::Function;
      return field == 7 ? std::optional(OnnxMessage::Graph) : std::nullopt;
    case OnnxMessage::Function:
      if (field == 11) return OnnxMessage::Attribute;
      return field == 7 ? std::optional(OnnxMessage::Node) : std::nullopt;
    case OnnxMessage::Graph:
      if (field == 1) return OnnxMessage::Node;
      if (field == 15) return OnnxMessage::SparseTensor;
      return field == 5 ? std::optional(OnnxMessage::Tensor) : std::nullopt;
    case OnnxMessage::Node: return field == 5 ? std::optional(OnnxMessage::Attribute) : std::nullopt;
    case OnnxMessage::Attribute:
      if (field == 6) return OnnxMessage::Graph;
      if (field == 22) return OnnxMessage::SparseTensor;
      return field == 5 ? std::optional(OnnxMessage::Tensor) : std::nullopt;
    case OnnxMessage::SparseTensor: return field == 1 || field == 2 ? std::optional(OnnxMessage::Tensor) : std::nullopt;
    case OnnxMessage::Tensor: break;
  }
  return std::nullopt;
}

// One field of a message: [begin, end) with its tag; `value` a varint, `body` the contents of a length-delimited field.
struct Field {
  uint32_t number = 0;
  Wire wire = kVarint;
  size_t begin = 0, end = 0;
  uint64_t value = 0;
  size_t body = 0;
};

// Reads the fields of file[at, end) in sequence. After an error, `failed_at` is its offset.
class Fields {
 public:
  Fields(std::span<const std::byte> file, size_t begin, size_t end) : file_(file), cursor_(begin), end_(end) {}

  bool next(Field& field) {
    if (failed_ || cursor_ == end_) return false;
    field.begin = cursor_;
    const uint64_t tag = varint(5);
    field.number = static_cast<uint32_t>(tag >> 3);
    field.wire = static_cast<Wire>(tag & 7);
    if (failed_ || field.number == 0 || tag > UINT32_MAX) return fail();
    if (!value(field)) return fail();
    field.end = cursor_;
    return true;
  }
  bool failed() const { return failed_; }
  size_t cursor() const { return cursor_; }

 private:
  bool fail() {
    failed_ = true;
    return false;
  }
  bool value(Field& field) {
    switch (field.wire) {
      case kVarint: field.value = varint(10); return !failed_;
      case kFixed64: return skip(8);
      case kFixed32: return skip(4);
      case kBytes: {
        const uint64_t length = varint(10);
        field.body = cursor_;
        return !failed_ && skip(length);
      }
      case kGroup: return skip_group(field.number);
      case kEndGroup: break;
    }
    return false;
  }
  bool skip(uint64_t count) {
    if (count > end_ - cursor_) return false;
    cursor_ += static_cast<size_t>(count);
    return true;
  }
  // Groups are obsolete and are copied unchanged.
  bool skip_group(uint32_t number) {
    uint32_t open[kMaxNesting];
    int depth = 0;
    open[depth++] = number;
    while (depth > 0) {
      const uint64_t tag = varint(5);
      Field inner;
      inner.number = static_cast<uint32_t>(tag >> 3);
      inner.wire = static_cast<Wire>(tag & 7);
      if (failed_ || inner.number == 0) return false;
      if (inner.wire == kEndGroup) {
        if (open[--depth] != inner.number) return false;
      } else if (inner.wire == kGroup) {
        if (depth == kMaxNesting) return false;
        open[depth++] = inner.number;
      } else if (!value(inner)) {
        return false;
      }
    }
    return true;
  }
  uint64_t varint(int most) {
    uint64_t out = 0;
    for (int i = 0; i < most && cursor_ < end_; ++i) {
      const auto byte = static_cast<uint64_t>(file_[cursor_++]);
      out |= (byte & 127) << (7 * i);
      if (byte < 128) return out;
    }
    failed_ = true;
    return 0;
  }

  std::span<const std::byte> file_;
  size_t cursor_, end_;
  bool failed_ = false;
};

class Cutter {
 public:
  explicit Cutter(std::span<const std::byte> file) : file_(file) {}

  Status message(OnnxMessage kind, size_t begin, size_t end, int depth) {
    if (depth > kMaxNesting)
      return Error{fmt::format("it is damaged or no ONNX: messages are nested deeper than {}", kMaxNesting)};
    const std::optional<size_t> floats = kind == OnnxMessage::Tensor ? lone_floats(begin, end) : std::nullopt;
    Fields fields(file_, begin, end);
    for (Field field; fields.next(field);) {
      if (kind == OnnxMessage::Tensor && field.wire == kBytes && (field.number == kRawData || field.begin == floats)) {
        put_number(file_.subspan(field.body, field.end - field.body));
        continue;
      }
      const auto inner = field.wire == kBytes ? message_in(kind, field.number) : std::nullopt;
      if (!inner) {
        copy(field.begin, field.end);
        continue;
      }
      copy_tag(field.begin);
      const size_t length_at = out_.skeleton.size();
      out_.skeleton.resize(length_at + kLengthBytes);
      if (auto done = message(*inner, field.body, field.end, depth + 1); !done) return done;
      if (auto done = put_length(length_at); !done) return done;
    }
    if (!fields.failed()) return {};
    return Error{
        fmt::format("it is damaged or no ONNX: its fields end at byte {} of {}", fields.cursor(), file_.size())};
  }

  CutMessage take() { return std::move(out_); }

 private:
  // Lengths are not known before the message is cut, so each has all the bytes that a varint of 32 bits may take.
  static constexpr size_t kLengthBytes = 5;

  // Where float_data begins if it holds all elements of a tensor in the format of raw_data.
  std::optional<size_t> lone_floats(size_t begin, size_t end) const {
    std::optional<size_t> found;
    uint64_t type = 0;
    Fields fields(file_, begin, end);
    for (Field field; fields.next(field);) {
      if (field.number == kRawData) return std::nullopt;
      if (field.number == kDataType && field.wire == kVarint) type = field.value;
      if (field.number != kFloatData) continue;
      if (found || field.wire != kBytes || (field.end - field.body) % sizeof(float) != 0) return std::nullopt;
      found = field.begin;
    }
    return type == kFloat ? found : std::nullopt;
  }

  void copy(size_t begin, size_t end) {
    out_.skeleton.insert(out_.skeleton.end(), file_.begin() + static_cast<std::ptrdiff_t>(begin),
                         file_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  void copy_tag(size_t at) {
    size_t end = at;
    while (static_cast<uint8_t>(file_[end++]) >= 128) {
    }
    copy(at, end);
  }
  void put_number(std::span<const std::byte> payload) {
    const uint64_t number = out_.payloads.size();
    out_.payloads.push_back(payload);
    std::byte bytes[2 + sizeof number] = {kRawDataTag, std::byte{sizeof number}};
    std::memcpy(bytes + 2, &number, sizeof number);
    out_.skeleton.insert(out_.skeleton.end(), std::begin(bytes), std::end(bytes));
  }
  Status put_length(size_t at) {
    size_t length = out_.skeleton.size() - at - kLengthBytes;
    if (length > INT_MAX) return Error{"without its weights it has more than protobuf's 2 GiB"};
    for (size_t i = 0; i < kLengthBytes; ++i, length >>= 7)
      out_.skeleton[at + i] = static_cast<std::byte>((length & 127) | (i + 1 < kLengthBytes ? 128u : 0u));
    return {};
  }

  std::span<const std::byte> file_;
  CutMessage out_;
};

}  // namespace

Result<CutMessage> cut_payloads(std::span<const std::byte> bytes, OnnxMessage kind) {
  Cutter cutter(bytes);
  if (auto done = cutter.message(kind, 0, bytes.size(), 0); !done) return done.error();
  return cutter.take();
}

std::optional<size_t> payload_number(std::string_view raw_data) {
  uint64_t number = 0;
  if (raw_data.size() != sizeof number) return std::nullopt;
  std::memcpy(&number, raw_data.data(), sizeof number);
  return static_cast<size_t>(number);
}

}  // namespace arenascope::models::ir
