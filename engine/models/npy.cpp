// SPDX-License-Identifier: MIT
#include <arenascope/base/output_file.h>
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/models/npy.h>
#include <fmt/format.h>
#include "engine/models/mapped_file.h"
#include "engine/models/onnx/onnx_ir.h"

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models {
namespace {

struct TypeName {
  const char* text;
  DType dtype;
};
constexpr TypeName kTypes[] = {{"<f4", DType::F32}, {"<f8", DType::F64}, {"<f2", DType::F16}, {"|i1", DType::I8},
                               {"|u1", DType::U8},  {"<i2", DType::I16}, {"<u2", DType::U16}, {"<i4", DType::I32},
                               {"<u4", DType::U32}, {"<i8", DType::I64}, {"<u8", DType::U64}, {"|b1", DType::Bool}};

constexpr TypeName kComplex{"<c8", DType::I64};

struct Header {
  std::string descr;
  bool fortran = false;
  Dims sizes;
};

// The header is the text of a Python dictionary; only what NumPy writes is understood.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  bool parse(Header& header) {
    uint32_t seen = 0;
    if (!accept('{')) return false;
    while (!accept('}')) {
      std::string key;
      if (!string(key) || !accept(':')) return false;
      if (key == "descr" && !(seen & 1)) {
        seen |= 1;
        if (!string(header.descr)) return false;
      } else if (key == "fortran_order" && !(seen & 2)) {
        seen |= 2;
        if (string_at("True"))
          header.fortran = true;
        else if (!string_at("False"))
          return false;
      } else if (key == "shape" && !(seen & 4)) {
        seen |= 4;
        if (!shape(header.sizes)) return false;
      } else {
        return false;
      }
      if (!accept(',')) {
        if (!accept('}')) return false;
        break;
      }
    }
    skip();
    return seen == 7 && rest_.empty() && !(wide_ && header.fortran);
  }

 private:
  void skip() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  bool accept(char c) {
    skip();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool string_at(std::string_view w) {
    skip();
    if (!rest_.starts_with(w)) return false;
    rest_.remove_prefix(w.size());
    return true;
  }
  bool string(std::string& out) {
    skip();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  // More dimensions than a tensor may have: the outermost ones count as one.
  bool shape(Dims& folded) {
    std::vector<int64_t> sizes;
    if (!accept('(')) return false;
    while (!accept(')')) {
      skip();
      int64_t size = 0;
      const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (problem != std::errc() || size < 0 || sizes.size() == kMaxWritten) return false;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      (void)string_at("L");  // Python 2 wrote long numbers so
      sizes.push_back(size);
      if (!accept(',')) {
        if (!accept(')')) return false;
        break;
      }
    }
    wide_ = sizes.size() > kMaxDims;
    const auto all = wide_ ? ir::fold_outermost(sizes) : std::optional(Dims(sizes));
    if (all) folded = *all;
    return all.has_value();
  }
  static constexpr size_t kMaxWritten = 64;
  std::string_view rest_;
  bool wide_ = false;
};

// From the first index fastest to the last index fastest.
void unscramble(const std::byte* from, std::byte* to, const Dims& sizes, size_t item) {
  const int rank = sizes.rank();
  Dims strides = sizes, at = Dims::filled(rank, 0);
  int64_t step = 1;
  for (int i = 0; i < rank; ++i) strides[i] = step, step *= sizes[i];
  const int64_t count = element_count(sizes);
  for (int64_t i = 0; i < count; ++i) {
    int64_t where = 0;
    for (int d = 0; d < rank; ++d) where += at[d] * strides[d];
    std::memcpy(to + static_cast<size_t>(i) * item, from + static_cast<size_t>(where) * item, item);
    for (int d = rank - 1; d >= 0 && ++at[d] == sizes[d]; --d) at[d] = 0;
  }
}

}  // namespace

Result<Tensor> host_tensor(const Dims& sizes, DType dtype) {
  auto bytes = checked_byte_count(sizes, dtype);
  if (!bytes) return bytes.error();
  auto block = MemoryBlock::allocate(std::make_shared<CpuAllocator>(), MemoryKind::Default, *bytes);
  if (!block) return block.error();
  return Tensor::wrap(*block ? Storage(std::move(*block)) : Storage(Device{}), sizes, dtype);
}

Result<Tensor> parse_npy(std::span<const std::byte> bytes, bool* complex) {
  const auto byte = [&](size_t i) { return static_cast<size_t>(bytes[i]); };
  if (bytes.size() < 10 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0) return Error{"it is not a .npy file"};
  const size_t major = byte(6), prefix = major == 1 ? 10 : 12;
  if (major < 1 || major > 3) return Error{fmt::format("its .npy version is {}: 1 to 3 are supported", major)};
  if (bytes.size() < prefix) return Error{"the file ends inside its header"};
  size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - prefix) return Error{"the file ends inside its header"};
  Header header;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + prefix, length);
  if (!HeaderParser(text).parse(header)) return Error{"its header is not what NumPy writes"};
  const TypeName* type = nullptr;
  for (const TypeName& known : kTypes)
    if (header.descr == known.text ||
        (header.descr.size() == 3 && header.descr[0] != '>' && element_bytes(known.dtype) == 1 &&
         header.descr.substr(1) == std::string_view(known.text).substr(1)))
      type = &known;
  const bool pairs = complex && header.descr == kComplex.text;
  if (complex) *complex = pairs;
  if (pairs) type = &kComplex;
  if (!type) return Error{fmt::format("its type '{}' is not supported", header.descr.substr(0, 40))};
  auto expected = checked_byte_count(header.sizes, type->dtype);
  if (!expected) return expected.error();
  const auto data = bytes.subspan(prefix + length);
  if (static_cast<uint64_t>(*expected) != data.size())
    return Error{
        fmt::format("it has {} bytes of data, its shape {} needs {}", data.size(), to_string(header.sizes), *expected)};
  auto tensor = host_tensor(header.sizes, type->dtype);
  if (!tensor) return tensor;
  if (data.empty()) return tensor;
  if (header.fortran && header.sizes.rank() > 1)
    unscramble(data.data(), (*tensor)->data(), header.sizes, static_cast<size_t>(element_bytes(type->dtype)));
  else
    std::memcpy((*tensor)->data(), data.data(), data.size());
  return tensor;
}

Result<Tensor> read_npy(const std::filesystem::path& path, bool* complex) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  auto tensor = parse_npy((*file)->bytes(), complex);
  if (!tensor) return Error{fmt::format("{}: {}", path.string(), tensor.error().message)};
  return tensor;
}

Result<std::vector<std::byte>> format_npy(const Tensor& tensor, bool complex) {
  if (!tensor || !tensor->contiguous() || (tensor->element_count() > 0 && !tensor->data()))
    return Error{"only a contiguous tensor on the host can be written as .npy"};
  const char* descr = nullptr;
  for (const TypeName& known : kTypes)
    if (known.dtype == tensor.dtype()) descr = known.text;
  if (complex && tensor.dtype() == kComplex.dtype) descr = kComplex.text;
  if (!descr) return Error{fmt::format("NumPy has no type {}", name(tensor.dtype()))};
  std::string shape;
  for (int64_t size : tensor.sizes()) shape += fmt::format("{}, ", size);
  if (tensor->rank() > 1)
    shape.resize(shape.size() - 2);
  else if (tensor->rank() == 1)
    shape.pop_back();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  constexpr size_t kPrefix = 10, kAlignment = 64;
  header.append((kAlignment - (kPrefix + header.size() + 1) % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::vector<std::byte> out(kPrefix + header.size() + static_cast<size_t>(tensor->byte_count()));
  std::memcpy(out.data(), "\x93NUMPY\x01\x00", 8);
  out[8] = static_cast<std::byte>(header.size() & 0xFF);
  out[9] = static_cast<std::byte>(header.size() >> 8);
  std::memcpy(out.data() + kPrefix, header.data(), header.size());
  if (tensor->byte_count() > 0)
    std::memcpy(out.data() + kPrefix + header.size(), tensor->data(), static_cast<size_t>(tensor->byte_count()));
  return out;
}

Status write_npy(const std::filesystem::path& path, const Tensor& tensor, bool complex) {
  auto bytes = format_npy(tensor, complex);
  if (!bytes) return Error{fmt::format("{}: {}", path.string(), bytes.error().message)};
  return OutputFile::write_all(path, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

}  // namespace arenascope::models
