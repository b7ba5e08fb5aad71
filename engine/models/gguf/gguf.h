// SPDX-License-Identifier: MIT
// GGUF files (versions 2 and 3, little endian): metadata and a table of tensors, checked as a whole when opened; the
// tensors' bytes stay in the mapped file. Format: ggml's docs/gguf.md.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/models/model.h>
#include "engine/models/mapped_file.h"
#include "engine/models/stored_type.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models {

enum class GgufType : uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

// One entry of the metadata, as bytes in the file.
struct GgufEntry {
  std::string key;
  GgufType type = GgufType::U8;  // Array: the element type is `element`
  GgufType element = GgufType::U8;
  uint64_t count = 1;                // elements of an array
  std::span<const std::byte> bytes;  // bytes of the value, without an array's header
};

class GgufFile {
 public:
  // Errors name the file, the reason and the location. Allocations are limited by the size of the file.
  static Result<GgufFile> open(const std::filesystem::path& path);
  // The same for a file that is mapped already, or for bytes in memory, which are copied.
  static Result<GgufFile> parse(std::shared_ptr<const MappedFile> file);
  static Result<GgufFile> parse(std::span<const std::byte> bytes) { return parse(MappedFile::copy_of(bytes)); }

  uint32_t version() const { return version_; }
  uint64_t alignment() const { return alignment_; }
  std::span<const GgufEntry> entries() const { return entries_; }
  std::span<const StoredTensor> tensors() const { return tensors_; }
  const GgufEntry* find(std::string_view key) const;
  const StoredTensor* find_tensor(std::string_view name) const;

  // Single values of that kind (integers of any width); nullopt: there is none.
  std::optional<int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  // An array of strings; nullopt: there is none.
  std::optional<std::vector<std::string>> texts(std::string_view key) const;

  const std::shared_ptr<const MappedFile>& file() const { return file_; }

 private:
  uint32_t version_ = 0;
  uint64_t alignment_ = 32;
  std::vector<GgufEntry> entries_;
  std::vector<StoredTensor> tensors_;
  std::shared_ptr<const MappedFile> file_;
};

// The code of a type in such files; none: they cannot store it. Tensors have at most kGgufRank dimensions.
std::optional<uint32_t> gguf_type(DType type);
inline constexpr int kGgufRank = 4;

// A model from such a file. An unsupported architecture opens with a problem, so that its tensors can be inspected.
Result<Model> open_gguf(const std::filesystem::path& path, const OpenOptions& options = {});

}  // namespace arenascope::models
