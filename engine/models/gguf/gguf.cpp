// SPDX-License-Identifier: MIT
#include "engine/models/gguf/gguf.h"
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/gguf/ggml_types.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_set>

namespace arenascope::models {
namespace {

// Bytes of a value of fixed size; 0 for strings and arrays.
size_t value_bytes(GgufType type) {
  switch (type) {
    case GgufType::U8:
    case GgufType::I8:
    case GgufType::Bool: return 1;
    case GgufType::U16:
    case GgufType::I16: return 2;
    case GgufType::U32:
    case GgufType::I32:
    case GgufType::F32: return 4;
    case GgufType::U64:
    case GgufType::I64:
    case GgufType::F64: return 8;
    case GgufType::String:
    case GgufType::Array: break;
  }
  return 0;
}

// Walks over the bytes; the first read beyond the end is kept as an error.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t cursor() const { return cursor_; }
  size_t left() const { return bytes_.size() - cursor_; }

  std::span<const std::byte> read(uint64_t count) {
    if (!ok_ || count > left()) {
      ok_ = false;
      return {};
    }
    const auto out = bytes_.subspan(cursor_, static_cast<size_t>(count));
    cursor_ += static_cast<size_t>(count);
    return out;
  }
  template <class T>
  T get() {
    T value{};
    const auto from = read(sizeof(T));
    if (ok_) std::memcpy(&value, from.data(), sizeof(T));
    return value;
  }
  std::string_view string() {
    const auto length = get<uint64_t>();
    const auto text = read(length);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  size_t cursor_ = 0;
  bool ok_ = true;
};

Status read_value(Reader& reader, GgufEntry& entry) {
  const auto type = reader.get<uint32_t>();
  if (!reader.ok()) return {};
  if (type > static_cast<uint32_t>(GgufType::F64))
    return Error{fmt::format("'{}' is of type {}, which is none", entry.key, type)};
  entry.type = static_cast<GgufType>(type);
  entry.element = entry.type;
  if (entry.type == GgufType::Array) {
    const auto element = reader.get<uint32_t>();
    entry.count = reader.get<uint64_t>();
    if (!reader.ok()) return {};
    if (element > static_cast<uint32_t>(GgufType::F64) || element == static_cast<uint32_t>(GgufType::Array))
      return Error{fmt::format("'{}' is an array of type {}, which is not supported", entry.key, element)};
    entry.element = static_cast<GgufType>(element);
  }
  if (entry.element == GgufType::String) {
    // Each string takes at least its length's eight bytes.
    if (entry.count > reader.left() / 8)
      return Error{fmt::format("'{}' declares {} strings, more than the file contains", entry.key, entry.count)};
    const size_t start = reader.cursor();
    Reader walk = reader;
    for (uint64_t i = 0; i < entry.count && walk.ok(); ++i) (void)walk.string();
    if (!walk.ok()) return Error{fmt::format("'{}' extends past the end of the file", entry.key)};
    entry.bytes = reader.read(walk.cursor() - start);
    return {};
  }
  const size_t each = value_bytes(entry.element);
  if (entry.count > reader.left() / each)
    return Error{fmt::format("'{}' declares {} numbers, more than the file contains", entry.key, entry.count)};
  entry.bytes = reader.read(entry.count * each);
  return {};
}

Result<std::vector<GgufEntry>> read_entries(Reader& reader, uint64_t count) {
  std::unordered_set<std::string_view> keys;
  std::vector<GgufEntry> entries;
  entries.reserve(static_cast<size_t>(count));
  for (uint64_t i = 0; i < count; ++i) {
    const auto key = reader.string();
    if (!reader.ok()) return Error{fmt::format("the name of metadata entry {} extends past the end of the file", i)};
    GgufEntry entry;
    entry.key = std::string(key);
    if (key.empty() || !keys.insert(key).second)
      return Error{fmt::format("the metadata entry '{}' is duplicated or has no name", entry.key)};
    if (auto read = read_value(reader, entry); !read) return read.error();
    if (!reader.ok()) return Error{fmt::format("the value of '{}' extends past the end of the file", entry.key)};
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<uint64_t> read_alignment(const GgufEntry& entry) {
  uint32_t value = 0;
  if (entry.type == GgufType::U32) std::memcpy(&value, entry.bytes.data(), sizeof value);
  if (!is_power_of_two(value)) return Error{"general.alignment must be a power of two"};
  return uint64_t{value};
}

// The table of tensors; each one's bytes are still to be found at its offset.
Result<std::vector<StoredTensor>> read_tensors(Reader& reader, uint64_t count, std::vector<uint64_t>& offsets) {
  std::unordered_set<std::string_view> names;
  std::vector<StoredTensor> tensors;
  for (uint64_t i = 0; i < count; ++i) {
    const auto name = reader.string();
    const auto rank = reader.get<uint32_t>();
    if (!reader.ok()) return Error{fmt::format("the table of tensors ends at tensor {} of {}", i, count)};
    StoredTensor tensor;
    tensor.name = std::string(name);
    if (!names.insert(name).second) return Error{fmt::format("the tensor '{}' is duplicated", tensor.name)};
    if (rank > 4)
      return Error{fmt::format("the tensor '{}' has {} dimensions: at most 4 are supported", tensor.name, rank)};
    tensor.sizes.resize(static_cast<int>(rank));
    for (int d = static_cast<int>(rank) - 1; d >= 0; --d) tensor.sizes[d] = reader.get<int64_t>();
    const auto code = reader.get<uint32_t>();
    offsets.push_back(reader.get<uint64_t>());
    if (!reader.ok()) return Error{fmt::format("the table of tensors ends at tensor {} of {}", i, count)};
    tensor.type = ggml_type(code);
    if (!tensor.type)
      return Error{fmt::format("the tensor '{}' has type {}, which is not a ggml type", tensor.name, code)};
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

// Gives each tensor its bytes of the file's data: aligned, within the data, shared with no other tensor.
Status bind_tensors(std::span<StoredTensor> tensors, const std::vector<uint64_t>& offsets,
                    std::span<const std::byte> data, uint64_t alignment) {
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return offsets[a] < offsets[b]; });
  uint64_t end = 0;
  for (size_t i : order) {
    StoredTensor& tensor = tensors[i];
    if (tensor.sizes.back() % tensor.type->block_elements != 0)
      return Error{
          fmt::format("the tensor '{}' has rows of {} elements: expected a multiple of {}, the block size of {}",
                      tensor.name, tensor.sizes.back(), tensor.type->block_elements, tensor.type->name)};
    auto size = stored_byte_count(tensor.sizes, *tensor.type);
    if (!size) return Error{fmt::format("the tensor '{}': {}", tensor.name, size.error().message)};
    if (offsets[i] % alignment != 0)
      return Error{
          fmt::format("the tensor '{}' begins at {}, which is not aligned to {}", tensor.name, offsets[i], alignment)};
    if (offsets[i] > data.size() || static_cast<uint64_t>(*size) > data.size() - offsets[i])
      return Error{fmt::format("the tensor '{}' needs {} bytes at {}, the file has {} of data", tensor.name, *size,
                               offsets[i], data.size())};
    if (offsets[i] < end) return Error{fmt::format("the tensor '{}' shares bytes with another", tensor.name)};
    end = offsets[i] + static_cast<uint64_t>(*size);
    tensor.bytes = data.subspan(static_cast<size_t>(offsets[i]), static_cast<size_t>(*size));
  }
  return {};
}

}  // namespace

Result<GgufFile> GgufFile::parse(std::shared_ptr<const MappedFile> file) {
  const std::span<const std::byte> bytes = file->bytes();
  GgufFile out;
  out.file_ = std::move(file);
  Reader reader(bytes);
  const auto magic = reader.read(4);
  if (!reader.ok() || std::memcmp(magic.data(), "GGUF", 4) != 0) return Error{"not a GGUF file"};
  out.version_ = reader.get<uint32_t>();
  const auto tensor_count = reader.get<uint64_t>(), entry_count = reader.get<uint64_t>();
  if (!reader.ok()) return Error{"the file ends inside its header"};
  if (out.version_ == 2U << 24 || out.version_ == 3U << 24)
    return Error{"it is a big-endian GGUF file; little-endian files are supported"};
  if (out.version_ != 2 && out.version_ != 3)
    return Error{fmt::format("its GGUF version is {}: 2 and 3 are supported (little endian)", out.version_)};
  // The least that an entry and a tensor take: lengths, a type, a value; dimensions, an offset.
  if (entry_count > reader.left() / 13)
    return Error{fmt::format("it claims {} metadata entries in {} bytes", entry_count, reader.left())};
  if (tensor_count > reader.left() / 24)
    return Error{fmt::format("it claims {} tensors in {} bytes", tensor_count, reader.left())};

  auto entries = read_entries(reader, entry_count);
  if (!entries) return entries.error();
  out.entries_ = std::move(*entries);
  if (const GgufEntry* given = out.find("general.alignment")) {
    const auto alignment = read_alignment(*given);
    if (!alignment) return alignment.error();
    out.alignment_ = *alignment;
  }
  std::vector<uint64_t> offsets;
  auto tensors = read_tensors(reader, tensor_count, offsets);
  if (!tensors) return tensors.error();
  out.tensors_ = std::move(*tensors);

  const uint64_t head = reader.cursor();
  const auto padded = checked_add(static_cast<int64_t>(head), static_cast<int64_t>(out.alignment_) - 1);
  const uint64_t start = padded ? align_up(head, out.alignment_) : UINT64_MAX;
  if (tensor_count > 0 && start > bytes.size()) return Error{"it ends before its tensors' data begins"};
  const auto data = bytes.subspan(static_cast<size_t>(std::min<uint64_t>(start, bytes.size())));
  if (auto ok = bind_tensors(out.tensors_, offsets, data, out.alignment_); !ok) return ok.error();
  return out;
}

Result<GgufFile> GgufFile::open(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  auto parsed = parse(*file);
  if (!parsed) return Error{fmt::format("{}: {}", path.string(), parsed.error().message)};
  return parsed;
}

const GgufEntry* GgufFile::find(std::string_view key) const {
  for (const GgufEntry& entry : entries_)
    if (entry.key == key) return &entry;
  return nullptr;
}

const StoredTensor* GgufFile::find_tensor(std::string_view name) const {
  for (const StoredTensor& tensor : tensors_)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

std::optional<int64_t> GgufFile::integer(std::string_view key) const {
  const GgufEntry* entry = find(key);
  if (!entry || entry->type == GgufType::Array) return std::nullopt;
  const auto read = [&](auto value) -> std::optional<int64_t> {
    std::memcpy(&value, entry->bytes.data(), sizeof value);
    if constexpr (sizeof(value) == 8)
      if (std::is_unsigned_v<decltype(value)> && static_cast<int64_t>(value) < 0) return std::nullopt;
    return static_cast<int64_t>(value);
  };
  switch (entry->type) {
    case GgufType::U8:
    case GgufType::Bool: return read(uint8_t{});
    case GgufType::I8: return read(int8_t{});
    case GgufType::U16: return read(uint16_t{});
    case GgufType::I16: return read(int16_t{});
    case GgufType::U32: return read(uint32_t{});
    case GgufType::I32: return read(int32_t{});
    case GgufType::U64: return read(uint64_t{});
    case GgufType::I64: return read(int64_t{});
    default: return std::nullopt;
  }
}

std::optional<double> GgufFile::number(std::string_view key) const {
  const GgufEntry* entry = find(key);
  if (!entry) return std::nullopt;
  if (entry->type == GgufType::F32) {
    float value;
    std::memcpy(&value, entry->bytes.data(), sizeof value);
    return static_cast<double>(value);
  }
  if (entry->type == GgufType::F64) {
    double value;
    std::memcpy(&value, entry->bytes.data(), sizeof value);
    return value;
  }
  const auto whole = integer(key);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<std::string> GgufFile::text(std::string_view key) const {
  const GgufEntry* entry = find(key);
  if (!entry || entry->type != GgufType::String) return std::nullopt;
  Reader reader(entry->bytes);
  return std::string(reader.string());
}

std::optional<std::vector<std::string>> GgufFile::texts(std::string_view key) const {
  const GgufEntry* entry = find(key);
  if (!entry || entry->type != GgufType::Array || entry->element != GgufType::String) return std::nullopt;
  Reader reader(entry->bytes);
  std::vector<std::string> out;
  out.reserve(static_cast<size_t>(entry->count));  // each takes eight bytes of the file at least
  for (uint64_t i = 0; i < entry->count; ++i) out.emplace_back(reader.string());
  return out;
}

}  // namespace arenascope::models
