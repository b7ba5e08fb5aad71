// SPDX-License-Identifier: MIT
#include "engine/models/mapped_file.h"
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace arenascope::models {

Result<std::shared_ptr<MappedFile>> MappedFile::open(const std::filesystem::path& path) {
  // Not blocking, so that a pipe under this name is refused below and not waited for.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Error{fmt::format("{}: {}", path.string(), std::strerror(errno))};
  struct stat state {};
  if (::fstat(file, &state) != 0 || !S_ISREG(state.st_mode)) {
    ::close(file);
    return Error{fmt::format("{} is no regular file", path.string())};
  }
  std::shared_ptr<MappedFile> out(new MappedFile);
  out->size_ = static_cast<size_t>(state.st_size);
  if (out->size_ > 0) {
    void* data = ::mmap(nullptr, out->size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) {
      const std::string why = std::strerror(errno);
      out->size_ = 0;
      ::close(file);
      return Error{fmt::format("{}: {}", path.string(), why)};
    }
    out->data_ = static_cast<const std::byte*>(data);
  }
  ::close(file);
  return out;
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace arenascope::models
