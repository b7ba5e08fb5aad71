// SPDX-License-Identifier: MIT
#include "engine/models/safetensors.h"
#include <arenascope/base/checked.h>
#include <arenascope/models/checkpoint.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <unordered_set>

namespace arenascope::models {
namespace {

constexpr uint64_t kLongestTable = 100'000'000;  // the format's own bound

// The format's types. Those that are a DType have its name.
constexpr struct {
  std::string_view name;  // in the file
  StoredType type;
} kSafetensorsTypes[] = {
    {"F64", {"f64", 1, 8, DType::F64}},     {"F32", {"f32", 1, 4, DType::F32}},
    {"F16", {"f16", 1, 2, DType::F16}},     {"BF16", {"bf16", 1, 2, DType::BF16}},
    {"I64", {"i64", 1, 8, DType::I64}},     {"I32", {"i32", 1, 4, DType::I32}},
    {"I16", {"i16", 1, 2, DType::I16}},     {"I8", {"i8", 1, 1, DType::I8}},
    {"U64", {"u64", 1, 8, DType::U64}},     {"U32", {"u32", 1, 4, DType::U32}},
    {"U16", {"u16", 1, 2, DType::U16}},     {"U8", {"u8", 1, 1, DType::U8}},
    {"BOOL", {"bool", 1, 1, DType::Bool}},  {"C64", {"C64", 1, 8}},
    {"F8_E4M3", {"F8_E4M3", 1, 1}},         {"F8_E5M2", {"F8_E5M2", 1, 1}},
    {"F8_E4M3FNUZ", {"F8_E4M3FNUZ", 1, 1}}, {"F8_E5M2FNUZ", {"F8_E5M2FNUZ", 1, 1}},
    {"F8_E8M0", {"F8_E8M0", 1, 1}},         {"F6_E2M3", {"F6_E2M3", 4, 3}},
    {"F6_E3M2", {"F6_E3M2", 4, 3}},         {"F4", {"F4", 2, 1}},
};

const StoredType* safetensors_type(std::string_view name) {
  for (const auto& known : kSafetensorsTypes)
    if (known.name == name) return &known.type;
  return nullptr;
}

// As much JSON as the table needs: objects, strings, lists of integers, and null.
class TableReader {
 public:
  explicit TableReader(std::string_view text) : text_(text) {}

  bool ok() const { return error_.empty(); }
  Error error() const { return Error{fmt::format("byte {} of its table: {}", cursor_, error_)}; }
  void fail(std::string what) {
    if (error_.empty()) error_ = std::move(what);
  }
  bool at_end() {
    skip();
    return cursor_ == text_.size();
  }
  // Takes the character if it comes next.
  bool accept(char c) {
    skip();
    if (!ok() || cursor_ == text_.size() || text_[cursor_] != c) return false;
    ++cursor_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("a '{}' is missing", c));
  }
  // Skips a null value.
  bool accept_null() {
    skip();
    if (!ok() || !text_.substr(cursor_).starts_with("null")) return false;
    cursor_ += 4;
    return true;
  }
  // Skips a value that nothing reads.
  void skip_value(int depth = 0) {
    skip();
    const char first = cursor_ < text_.size() ? text_[cursor_] : ',';
    if (depth > 64)
      fail("values are nested too deeply");
    else if (first == '"')
      (void)string();
    else if (first == '{')
      object([&](const std::string&) { skip_value(depth + 1); });
    else if (first == '[')
      list([&] { skip_value(depth + 1); });
    else if (const size_t end = std::min(text_.find_first_of(",]} \n\t\r", cursor_), text_.size()); end > cursor_)
      cursor_ = end;
    else
      fail("a value is missing");
  }
  // Calls each(key) in front of every value of an object.
  template <class Each>
  void object(Each&& each) {
    expect('{');
    if (!ok() || accept('}')) return;
    do {
      const std::string key = string();
      expect(':');
      if (ok()) each(key);
    } while (ok() && accept(','));
    expect('}');
  }
  std::vector<int64_t> numbers(size_t most) {
    std::vector<int64_t> out;
    list([&] {
      if (out.size() == most) fail(fmt::format("a list has more than {} numbers", most));
      out.push_back(number());
    });
    return out;
  }
  std::string string() {
    expect('"');
    std::string out;
    while (ok()) {
      if (cursor_ == text_.size()) {
        fail("a text does not end");
        break;
      }
      const char c = text_[cursor_++];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20)
        fail("a string contains a control character");
      else if (c == '\\')
        escape(out);
      else
        out += c;
    }
    return out;
  }

 private:
  // Calls each() in front of every value of a list.
  template <class Each>
  void list(Each&& each) {
    expect('[');
    if (!ok() || accept(']')) return;
    do each();
    while (ok() && accept(','));
    expect(']');
  }
  void skip() {
    while (cursor_ < text_.size() &&
           (text_[cursor_] == ' ' || text_[cursor_] == '\n' || text_[cursor_] == '\t' || text_[cursor_] == '\r'))
      ++cursor_;
  }
  int64_t number() {
    skip();
    int64_t value = 0;
    const char *from = text_.data() + cursor_, *end = text_.data() + text_.size();
    const auto [rest, problem] = std::from_chars(from, end, value);
    if (problem != std::errc() || value < 0)
      fail("an integer is missing");
    else
      cursor_ += static_cast<size_t>(rest - from);
    return value;
  }
  void escape(std::string& out) {
    constexpr std::string_view kWritten = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const char c = cursor_ < text_.size() ? text_[cursor_++] : '\0';
    if (const size_t i = kWritten.find(c); c != '\0' && i != std::string_view::npos) {
      out += kMeant[i];
      return;
    }
    if (c != 'u') return fail("a string contains an unknown escape");
    uint32_t code = four_digits();
    if (code >= 0xD800 && code < 0xDC00) {
      const bool pair = text_.substr(std::min(cursor_, text_.size()), 2) == "\\u";
      if (pair) cursor_ += 2;
      const uint32_t low = pair ? four_digits() : 0;
      if (low < 0xDC00 || low >= 0xE000) return fail("a string contains an unpaired surrogate");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code < 0xE000) {
      return fail("a string contains an unpaired surrogate");
    }
    const auto put = [&](uint32_t bits) { out += static_cast<char>(bits); };
    if (code < 0x80)
      put(code);
    else if (code < 0x800)
      put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
    else if (code < 0x10000)
      put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
    else
      put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)),
          put(0x80 | (code & 0x3F));
  }
  uint32_t four_digits() {
    uint32_t code = 0;
    const char *from = text_.data() + cursor_, *end = from + std::min<size_t>(4, text_.size() - cursor_);
    const auto [rest, problem] = std::from_chars(from, end, code, 16);
    if (problem != std::errc() || rest != from + 4)
      fail("an escape has no four digits");
    else
      cursor_ += 4;
    return code;
  }

  std::string_view text_;
  size_t cursor_ = 0;
  std::string error_;
};

// Reads one tensor's entry; `data` are the bytes after the table.
void read_tensor(TableReader& reader, StoredTensor& tensor, std::span<const std::byte> data, uint64_t& begin) {
  std::optional<std::vector<int64_t>> shape, offsets;
  std::optional<std::string> type;
  reader.object([&](const std::string& key) {
    if (key == "dtype" && !type)
      type = reader.string();
    else if (key == "shape" && !shape)
      shape = reader.numbers(64);
    else if (key == "data_offsets" && !offsets)
      offsets = reader.numbers(2);
    else if (key == "dtype" || key == "shape" || key == "data_offsets")
      reader.fail(fmt::format("'{}' has '{}' twice", tensor.name, key));
    else
      reader.skip_value();
  });
  if (!reader.ok()) return;
  if (!type || !shape || !offsets || offsets->size() != 2)
    return reader.fail(fmt::format("'{}' has not all of dtype, shape and two data_offsets", tensor.name));
  tensor.type = safetensors_type(*type);
  if (!tensor.type) return reader.fail(fmt::format("'{}' is of type '{}', which is not supported", tensor.name, *type));
  auto sizes = checked_dims(*shape);
  if (!sizes) return reader.fail(fmt::format("'{}': {}", tensor.name, sizes.error().message));
  auto bytes = stored_byte_count(*sizes, *tensor.type);
  if (!bytes) return reader.fail(fmt::format("'{}': {}", tensor.name, bytes.error().message));
  const auto from = static_cast<uint64_t>((*offsets)[0]), to = static_cast<uint64_t>((*offsets)[1]);
  if (from > to || to > data.size())
    return reader.fail(fmt::format("'{}' claims the bytes {} to {} of {}", tensor.name, from, to, data.size()));
  if (to - from != static_cast<uint64_t>(*bytes))
    return reader.fail(fmt::format("'{}' has {} bytes for a shape of {}", tensor.name, to - from, *bytes));
  tensor.sizes = *sizes;
  tensor.bytes = data.subspan(static_cast<size_t>(from), static_cast<size_t>(to - from));
  begin = from;
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::parse(std::shared_ptr<const MappedFile> file) {
  const std::span<const std::byte> bytes = file->bytes();
  SafetensorsFile out;
  out.file_ = std::move(file);
  uint64_t length = 0;
  if (bytes.size() < sizeof length) return Error{"it ends within the length of its table"};
  for (size_t i = 0; i < sizeof length; ++i) length |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  if (length > kLongestTable || length > bytes.size() - sizeof length)
    return Error{fmt::format("it claims a table of {} bytes in a file of {}", length, bytes.size())};
  const auto size = static_cast<size_t>(length);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + sizeof length, size);
  if (!text.starts_with('{')) return Error{"its table does not begin with '{': not a safetensors file"};
  const auto data = bytes.subspan(sizeof length + size);

  TableReader reader(text);
  std::vector<std::pair<uint64_t, StoredTensor>> found;
  std::unordered_set<std::string> names;
  reader.object([&](const std::string& key) {
    if (!names.insert(key).second) return reader.fail(fmt::format("'{}' is duplicated", key));
    if (key == "__metadata__") {
      if (reader.accept_null()) return;
      return reader.object([&](const std::string& name) { out.metadata_.emplace_back(name, reader.string()); });
    }
    auto& [begin, tensor] = found.emplace_back();
    tensor.name = key;
    read_tensor(reader, tensor, data, begin);
  });
  if (reader.ok() && !reader.at_end()) reader.fail("unexpected data after the header");
  if (!reader.ok()) return reader.error();

  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.bytes.size()) < std::pair(b.first, b.second.bytes.size());
  });
  uint64_t end = 0;
  for (auto& [begin, tensor] : found) {
    if (begin != end)
      return Error{fmt::format("'{}' begins at byte {} of the data, but the tensor before it ends at {}", tensor.name,
                               begin, end)};
    end = begin + tensor.bytes.size();
    out.tensors_.push_back(std::move(tensor));
  }
  if (end != data.size()) return Error{fmt::format("its tensors cover {} of {} bytes", end, data.size())};
  return out;
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  auto parsed = parse(*file);
  if (!parsed) return Error{fmt::format("{}: {}", path.string(), parsed.error().message)};
  return parsed;
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  for (const StoredTensor& tensor : tensors_)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

Result<Model> open_safetensors(const std::filesystem::path& path, const OpenOptions& options) {
  auto file = SafetensorsFile::open(path);
  if (!file) return file.error();
  const bool checkpoint = std::any_of(file->metadata().begin(), file->metadata().end(),
                                      [](const auto& entry) { return entry.first == kCheckpointModel; });
  auto model = checkpoint ? open_checkpoint(path, options)
                          : inspected_only("safetensors", {"it has tensors, but no graph"}, file->tensors());
  if (!model) return model;
  model->name = name_of(path);
  model->path = path;
  list_file_tensors(file->tensors(), *model);
  model->metadata_keys = std::ssize(file->metadata());
  return model;
}

}  // namespace arenascope::models
