// SPDX-License-Identifier: MIT
#include "engine/trace/input_file.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace arenascope::trace {

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  const std::string name = path.string();
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error{name + ": cannot open the file: " + std::strerror(errno) + "."};
  struct stat info {};
  InputFile input(file, 0, name);
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return Error{name + ": not a regular file."};
  input.size_ = info.st_size;
  return input;
}

InputFile::~InputFile() {
  if (file_ >= 0) ::close(file_);
}

Result<size_t> InputFile::read(void* to, size_t most) const {
  for (;;) {
    const ssize_t n = ::read(file_, to, most);
    if (n >= 0) return static_cast<size_t>(n);
    if (errno != EINTR) return Error{name_ + ": cannot read the file: " + std::strerror(errno) + "."};
  }
}

Result<std::string> read_all(const std::filesystem::path& path) {
  const std::string name = path.string();
  const Result<InputFile> input = InputFile::open(path);
  if (!input.ok()) return input.error();
  try {
    std::string bytes(static_cast<size_t>(input->size()), '\0');
    size_t done = 0;
    while (done < bytes.size()) {
      const Result<size_t> n = input->read(bytes.data() + done, bytes.size() - done);
      if (!n.ok()) return n.error();
      if (*n == 0) break;
      done += *n;
    }
    bytes.resize(done);
    return bytes;
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file."};
  }
}

}  // namespace arenascope::trace
