// SPDX-License-Identifier: MIT
#include <arenascope/models/npy.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace arenascope::models {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeName {
  DType dtype;
  const char* name;
};
constexpr TypeName kTypes[] = {{DType::F32, "f4"}, {DType::F64, "f8"}, {DType::F16, "f2"}, {DType::I8, "i1"},
                               {DType::U8, "u1"},  {DType::I16, "i2"}, {DType::U16, "u2"}, {DType::I32, "i4"},
                               {DType::U32, "u4"}, {DType::I64, "i8"}, {DType::U64, "u8"}, {DType::Bool, "b1"}};

// The text behind 'KEY': in the header's dictionary, blanks skipped.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}'", key);
  size_t at = header.find(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  at = header.find(':', at + quoted.size());
  if (at == std::string_view::npos) return std::nullopt;
  at = header.find_first_not_of(' ', at + 1);
  return at == std::string_view::npos ? std::nullopt : std::optional(header.substr(at));
}

std::optional<Dims> parse_shape(std::string_view text) {
  if (text.empty() || text[0] != '(') return std::nullopt;
  Dims sizes;
  size_t at = 1;
  while (true) {
    at = text.find_first_not_of(" ,", at);
    if (at == std::string_view::npos) return std::nullopt;
    if (text[at] == ')') return sizes;
    int64_t size = 0;
    const auto parsed = std::from_chars(text.data() + at, text.data() + text.size(), size);
    if (parsed.ec != std::errc() || size < 0 || sizes.rank() == kMaxDims) return std::nullopt;
    sizes.push_back(size);
    at = static_cast<size_t>(parsed.ptr - text.data());
  }
}

// Column-major elements of `width` bytes into row-major order.
std::vector<std::byte> to_row_major(std::span<const std::byte> data, const Dims& sizes, size_t width) {
  std::vector<std::byte> out(data.size());
  Dims strides = sizes, at = Dims::filled(sizes.rank(), 0);
  int64_t stride = 1;
  for (int i = 0; i < sizes.rank(); ++i) strides[i] = stride, stride *= sizes[i];
  for (size_t i = 0; i < data.size() / width; ++i) {
    int64_t from = 0;
    for (int d = 0; d < sizes.rank(); ++d) from += at[d] * strides[d];
    std::memcpy(out.data() + i * width, data.data() + static_cast<size_t>(from) * width, width);
    for (int d = sizes.rank() - 1; d >= 0; --d) {
      if (++at[d] < sizes[d]) break;
      at[d] = 0;
    }
  }
  return out;
}

}  // namespace

Result<NpyArray> parse_npy(std::span<const std::byte> file, const std::string& name) {
  const auto refuse = [&](std::string_view why) { return Error{fmt::format("{}: {}", name, why)}; };
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.size() < 10 || text.substr(0, 6) != kMagic) return refuse("it does not begin as a .npy file does");
  const int major = static_cast<uint8_t>(text[6]);
  if (major < 1 || major > 3) return refuse(fmt::format("version {} of the format is not known", major));
  const size_t start = major == 1 ? 10 : 12;
  size_t length = 0;
  for (size_t i = 8; i < start && i < text.size(); ++i) length |= size_t{static_cast<uint8_t>(text[i])} << (8 * (i - 8));
  if (text.size() < start || length > text.size() - start)
    return refuse(fmt::format("its header of {} bytes reaches beyond the file's {}", length, file.size()));
  const std::string_view header = text.substr(start, length);
  const auto descr = value_of(header, "descr"), order = value_of(header, "fortran_order"), shape = value_of(header, "shape");
  if (!descr || !order || !shape) return refuse("its header lacks 'descr', 'fortran_order' or 'shape'");
  if (descr->size() < 5 || ((*descr)[0] != '\'' && (*descr)[0] != '"')) return refuse("its element type is no plain one");
  const char byte_order = (*descr)[1];
  const std::string_view type = descr->substr(2, 2);
  const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeName& t) { return type == t.name; });
  if (known == std::end(kTypes) || (*descr)[4] != (*descr)[0] || (byte_order != '<' && byte_order != '|' && byte_order != '='))
    return refuse(fmt::format("its element type {} is not supported", descr->substr(0, std::min<size_t>(descr->size(), 8))));
  const auto sizes = parse_shape(*shape);
  if (!sizes) return refuse(fmt::format("its shape is not a list of at most {} sizes", kMaxDims));
  auto bytes = checked_byte_count(*sizes, known->dtype);
  if (!bytes) return refuse(bytes.error().message);
  const auto data = file.subspan(start + length);
  if (static_cast<uint64_t>(*bytes) > data.size())
    return refuse(fmt::format("{} {} needs {} bytes, the file has {}", arenascope::name(known->dtype), to_string(*sizes), *bytes,
                              data.size()));
  NpyArray out{known->dtype, *sizes, {}};
  const auto used = data.first(static_cast<size_t>(*bytes));
  if (order->substr(0, 4) == "True" && sizes->rank() > 1)
    out.bytes = to_row_major(used, *sizes, static_cast<size_t>(element_bytes(known->dtype)));
  else out.bytes.assign(used.begin(), used.end());
  return out;
}

Result<NpyArray> read_npy(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return Error{fmt::format("{} cannot be opened", path.string())};
  const auto size = static_cast<std::streamoff>(in.tellg());
  if (size < 0) return Error{fmt::format("{} cannot be read", path.string())};
  std::vector<std::byte> file(static_cast<size_t>(size));
  in.seekg(0);
  if (!in.read(reinterpret_cast<char*>(file.data()), size)) return Error{fmt::format("{} cannot be read", path.string())};
  return parse_npy(file, path.string());
}

Status write_npy(const std::filesystem::path& path, DType dtype, const Dims& sizes, std::span<const std::byte> bytes) {
  const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeName& t) { return t.dtype == dtype; });
  if (known == std::end(kTypes))
    return Error{fmt::format("{}: NumPy has no type for {}", path.string(), arenascope::name(dtype))};
  std::string shape;
  for (int64_t size : sizes) shape += fmt::format("{}, ", size);
  if (sizes.rank() > 1) shape.resize(shape.size() - 2);
  else if (sizes.rank() == 1) shape.pop_back();
  const char order = element_bytes(dtype) == 1 ? '|' : '<';
  std::string header =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order, known->name, shape);
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::ofstream out(path, std::ios::binary);
  out << kMagic << '\1' << '\0' << static_cast<char>(header.size() & 255) << static_cast<char>(header.size() >> 8) << header;
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  if (!out) return Error{fmt::format("{} cannot be written", path.string())};
  return {};
}

}  // namespace arenascope::models
