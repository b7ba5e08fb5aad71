// SPDX-License-Identifier: MIT
// Where a weight's contiguous bytes come from: a mapped file, which is borrowed where it can be, seeded numbers, or a
// function that makes them (a weight turned round). Each can be asked again at any time, by any thread.
#pragma once
#include <arenascope/memory/execution_context.h>
#include <arenascope/tensor/storage.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace arenascope::models {

class MadeBytes;
class MappedFile;
class SeededNumbers;

class WeightSource {
 public:
  using Writer = std::function<Status(std::byte* out)>;

  WeightSource() = default;
  WeightSource(Writer write);  // NOLINT: a function that makes the bytes is a source
  // `bytes` lie in `file`, which is held.
  WeightSource(std::span<const std::byte> bytes, std::shared_ptr<const MappedFile> file);

  WeightSource(SeededNumbers numbers);  // NOLINT: so are seeded numbers

  // Writes the bytes. Those of a file are copied by slices whose pages go back to the system.
  // Errors: the file has changed since it was opened, what the function reports.
  Status write(std::byte* out) const;

  // The bytes as they lie in the file, for conversions of them; empty where a function makes them.
  std::span<const std::byte> bytes() const { return bytes_; }
  // Errors: the file has changed since it was opened; what was lent could not be made.
  Status unchanged() const;
  const MappedFile* file() const { return file_.get(); }

  // Gives the pages of a file in [offset, offset + bytes) back to the system, once they were read.
  void drop_pages(size_t offset, size_t bytes) const noexcept;

  // Gives all pages of its file back.
  void drop_file() const noexcept;

  // Whether the bytes lie in a mapped file.
  bool can_borrow() const;
  // Storage of kind Mapped. Errors: the file has changed, no memory for the block's description.
  Result<Storage> borrow(ExecutionContext& context) const;
  // Storage of kind Mapped over `bytes` of seeded numbers, or that the function makes: pages of it are made when they are read
  // (arenascope/models/mapped_files.h). Not allocated: they lie in memory or a file, they are few, or the program did not ask for it.
  Storage lend(ExecutionContext& context, Bytes bytes) const;

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const MappedFile> file_;
  std::shared_ptr<const MadeBytes> made_;
  std::shared_ptr<const SeededNumbers> seeded_;
};

// A source's bytes for reading them once: in the file if they lie in one, else made. Those of a file go back to the
// system at the end.
class PlainBytes {
 public:
  // Errors as WeightSource::write().
  static Result<PlainBytes> read(const WeightSource& source, size_t bytes);
  PlainBytes(PlainBytes&&) = default;
  PlainBytes& operator=(PlainBytes&&) = default;
  ~PlainBytes() { source_.drop_pages(0, source_.bytes().size()); }

  const std::byte* data() const { return made_.empty() ? source_.bytes().data() : made_.data(); }
  // What lies before `offset` is not read again.
  void done(size_t offset) const noexcept { source_.drop_pages(0, offset); }

 private:
  PlainBytes() = default;
  WeightSource source_;
  std::vector<std::byte> made_;
};

}  // namespace arenascope::models
