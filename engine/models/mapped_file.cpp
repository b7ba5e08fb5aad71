// SPDX-License-Identifier: MIT
#include "engine/models/mapped_file.h"
#include <arenascope/memory/mapped_pages.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace arenascope::models {
namespace {

int64_t modified(const struct stat& state) {
  return int64_t{state.st_mtim.tv_sec} * 1'000'000'000 + int64_t{state.st_mtim.tv_nsec};
}

}  // namespace

Result<std::shared_ptr<MappedFile>> MappedFile::open(const std::filesystem::path& path) {
  std::shared_ptr<MappedFile> out(new MappedFile);
  // Non-blocking, so that a pipe of this name is rejected below instead of being waited for.
  out->file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (out->file_ < 0) return Error{fmt::format("{}: {}", path.string(), std::strerror(errno))};
  struct stat state {};
  if (::fstat(out->file_, &state) != 0 || !S_ISREG(state.st_mode))
    return Error{fmt::format("{} is not a regular file", path.string())};
  out->path_ = path;
  out->modified_ = modified(state);
  if (state.st_size > 0) {
    const auto size = static_cast<size_t>(state.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, out->file_, 0);
    if (data == MAP_FAILED) return Error{fmt::format("{}: {}", path.string(), std::strerror(errno))};
    out->data_ = static_cast<const std::byte*>(data);
    out->size_ = size;
    out->range_.emplace(data, size);
  }
  return out;
}

std::shared_ptr<MappedFile> MappedFile::of_memory(std::vector<std::byte> bytes) {
  std::shared_ptr<MappedFile> out(new MappedFile);
  out->memory_ = std::move(bytes);
  out->data_ = out->memory_.data();
  out->size_ = out->memory_.size();
  return out;
}

MappedFile::~MappedFile() {
  if (!is_file()) return;
  range_.reset();
  if (size_ > 0) ::munmap(const_cast<std::byte*>(data_), size_);
  ::close(file_);
}

Status MappedFile::unchanged() const {
  if (!is_file()) return {};
  struct stat state {};
  if (::fstat(file_, &state) != 0) return Error{fmt::format("{}: {}", path_.string(), std::strerror(errno))};
  const auto size = static_cast<size_t>(state.st_size);
  if (size != size_)
    return Error{fmt::format("{} had {} bytes when it was opened and has {} now", path_.string(), size_, size)};
  if (modified(state) != modified_) return Error{fmt::format("{} was written to after it was opened", path_.string())};
  if (range_ && range_->lost()) return Error{fmt::format("{}: a part of the file could not be read", path_.string())};
  return {};
}

void MappedFile::drop_pages(std::span<const std::byte> part) const noexcept {
  if (is_file()) drop_mapped_pages(part.data(), part.size());
}

}  // namespace arenascope::models
