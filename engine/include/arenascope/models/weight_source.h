// SPDX-License-Identifier: MIT
// Source of a weight's contiguous bytes: a mapped file (used without a copy if possible), seeded random numbers, or a
// function that computes them (e.g. a transposed weight). A source can be read repeatedly, from any thread.
#pragma once
#include <arenascope/memory/execution_context.h>
#include <arenascope/tensor/storage.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace arenascope::models {

class MappedFile;
class SeededNumbers;

class WeightSource {
 public:
  using Writer = std::function<Status(std::byte* out)>;

  WeightSource() = default;
  WeightSource(Writer write);  // NOLINT: a function that makes the bytes is a source
  // `bytes` are inside `file`, which the source keeps open.
  WeightSource(std::span<const std::byte> bytes, std::shared_ptr<const MappedFile> file);

  WeightSource(SeededNumbers numbers);  // NOLINT: so are seeded numbers
  // A source whose data is not available: reading it fails with this error.
  static WeightSource absent(std::string why);
  bool is_absent() const { return absent_; }

  // The bytes of `stored` converted by `write`. They can be shared if those of `stored` can.
  static WeightSource converted(const WeightSource& stored, Writer write);

  // Writes the bytes. A file is copied in slices, and the pages of each slice are released to the OS. Errors: the
  // file has changed since it was opened; errors of the function.
  Status write(std::byte* out) const;

  // The bytes in the file, for conversions; empty if the bytes are generated.
  std::span<const std::byte> bytes() const { return bytes_; }
  // Errors: the file has changed since it was opened.
  Status unchanged() const;
  const MappedFile* file() const { return file_.get(); }

  // Releases the file pages of [offset, offset + bytes) to the OS after they were read.
  void drop_pages(size_t offset, size_t bytes) const noexcept;

  // Releases all pages of the file to the OS.
  void advise_dontneed() const noexcept;

  // True if the bytes are in a mapped file.
  bool can_borrow() const;
  // The file and the offset of the bytes, or of those that were converted: sources of the same origin have the same
  // values, whichever graph or opening they are of. Empty: the bytes are not in a file.
  std::string origin() const;
  // Storage of kind Mapped. Errors: the file has changed, out of memory for the block's metadata.
  Result<Storage> borrow(ExecutionContext& context) const;
  // Storage of kind Mapped for the bytes, which are written each time they are pinned (MemoryPin). Errors: out of memory.
  Result<Storage> restorable(ExecutionContext& context, Bytes bytes) const;

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const MappedFile> file_;
  struct Generator;
  std::shared_ptr<const Generator> generator_;  // null: the bytes are in `file_`, or there are none
  bool absent_ = false;
  std::string converted_from_;  // the origin of the stored bytes
};

// Reads the bytes of a source once: directly from the file, or from a generated copy. The destructor releases file
// pages to the OS.
class WeightReader {
 public:
  // Errors: as WeightSource::write().
  static Result<WeightReader> read(const WeightSource& source, size_t bytes);
  WeightReader(WeightReader&&) = default;
  WeightReader& operator=(WeightReader&&) = default;
  ~WeightReader() { source_.drop_pages(0, source_.bytes().size()); }

  const std::byte* data() const { return made_.empty() ? source_.bytes().data() : made_.data(); }
  // Bytes before `offset` are not read again.
  void done(size_t offset) const noexcept { source_.drop_pages(0, offset); }

 private:
  WeightReader() = default;
  WeightSource source_;
  std::vector<std::byte> made_;
};

}  // namespace arenascope::models
