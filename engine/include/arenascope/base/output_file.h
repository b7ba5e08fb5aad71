// SPDX-License-Identifier: MIT
// Writes a file that a user named. A regular file is written under a temporary name in the same folder and renamed when it
// is complete, or in place if it must be readable while it grows. Anything else (a FIFO, a device) is written in place and
// never replaced. A second writer is rejected, and so is an input of the same command, also through links. Every write and
// the close are checked.
#pragma once
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <arenascope/base/result.h>

namespace arenascope {

enum class OutputForm : uint8_t {
  Whole,    // readers see the old file or the complete new one
  Growing,  // written data is visible at once, and remains if the program is killed
};

class OutputFile {
 public:
  using Paths = std::span<const std::filesystem::path>;

  // Errors name the path: it cannot be written, it is written by another program, it is one of `inputs`. A directory among
  // the inputs means the model files in it; names that are not files (zoo:NAME) are ignored.
  static Result<std::unique_ptr<OutputFile>> open(const std::filesystem::path& path,
                                                  OutputForm form = OutputForm::Whole, Paths inputs = {}) {
    std::unique_ptr<OutputFile> file(new OutputFile(path));
    if (auto ok = file->begin(form, inputs); !ok) return ok.error();
    return file;
  }

  // Checks that open() would succeed, before the result is computed. Creates nothing and opens no FIFO.
  static Status check(const std::filesystem::path& path, Paths inputs = {}) {
    OutputFile file(path);
    return file.inspect(inputs);
  }

  // Writes a complete file.
  static Status write_all(const std::filesystem::path& path, std::string_view bytes, Paths inputs = {}) {
    auto file = open(path, OutputForm::Whole, inputs);
    if (!file) return file.error();
    if (auto ok = (*file)->write(bytes); !ok) return ok;
    return (*file)->close();
  }

  ~OutputFile() { discard(); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Writes all bytes. close() repeats an error.
  Status write(std::string_view bytes) {
    while (!bytes.empty() && problem_ == 0) {
      const ssize_t n = ::write(file_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        problem_ = n < 0 ? errno : EIO;
        break;
      }
      written_ += n;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return problem_ == 0 ? Status() : cannot(problem_);
  }

  // Completes the file and gives it its name. After an error the previous file remains.
  Status close() {
    if (file_ < 0) return problem_ == 0 ? Status() : cannot(problem_);
    if (problem_ == 0 && !part_.empty() && ::fsync(file_) != 0 && errno != EINVAL && errno != EROFS) problem_ = errno;
    if (problem_ == 0 && !part_.empty() && ::rename(part_.c_str(), target_.c_str()) != 0) problem_ = errno;
    if (problem_ != 0) {
      discard();
      return cannot(problem_);
    }
    part_.clear();
    if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) problem_ = errno;
    return problem_ == 0 ? Status() : cannot(problem_);
  }

  // Keeps the previous file, or what was written of a growing file.
  void discard() {
    if (!part_.empty()) ::unlink(std::exchange(part_, {}).c_str());
    if (file_ >= 0) ::close(std::exchange(file_, -1));
  }
  // As discard(), and a regular file that was written in place is removed.
  void remove() {
    const bool in_place = part_.empty() && regular_ && file_ >= 0;
    discard();
    if (in_place) ::unlink(target_.c_str());
  }

  const std::filesystem::path& path() const { return path_; }
  int64_t bytes_written() const { return written_; }
  int descriptor() const { return file_; }

 private:
  explicit OutputFile(std::filesystem::path path) : path_(std::move(path)) {}

  Error cannot(int why) const { return Error{path_.string() + " cannot be written: " + std::strerror(why)}; }
  Error busy() const { return Error{path_.string() + " cannot be written: another program is writing it"}; }

  static bool same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

  // The target of all links; it need not exist.
  static std::filesystem::path followed(std::filesystem::path path) {
    constexpr int kMaxLinks = 40;
    std::error_code error;
    for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(path, error); ++i) {
      const std::filesystem::path to = std::filesystem::read_symlink(path, error);
      if (error) break;
      path = to.is_absolute() ? to : path.parent_path() / to;
    }
    return path;
  }

  bool is_input(const std::filesystem::path& input, const struct stat& now) const {
    struct stat other {};
    if (::stat(input.c_str(), &other) != 0) return false;
    if (S_ISREG(other.st_mode)) return same(other, now) || is_beside(input, now);
    if (!S_ISDIR(other.st_mode)) return false;
    std::error_code error;
    for (std::filesystem::directory_iterator it(input, error), end; !error && it != end; it.increment(error)) {
      const std::string ending = it->path().extension().string();
      const bool of_model = ending == ".onnx" || ending == ".gguf" || ending == ".safetensors" || ending == ".data" ||
                            ending == ".bin" || ending == ".pb";
      if (of_model && ::stat(it->path().c_str(), &other) == 0 && same(other, now)) return true;
    }
    return false;
  }

  // External data of a model: model.onnx.data, model.onnx_data.
  static bool is_beside(const std::filesystem::path& input, const struct stat& now) {
    if (input.extension() != ".onnx") return false;
    for (const char* ending : {".data", "_data"}) {
      struct stat other {};
      if (::stat((input.string() + ending).c_str(), &other) == 0 && same(other, now)) return true;
    }
    return false;
  }

  // Determines the kind of file and checks that it can be written.
  Status inspect(Paths inputs) {
    target_ = followed(path_);
    folder_ = target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");
    if (path_.empty()) return cannot(ENOENT);
    struct stat now {};
    exists_ = ::stat(target_.c_str(), &now) == 0;
    if (!exists_ && errno != ENOENT) return cannot(errno);
    regular_ = !exists_ || S_ISREG(now.st_mode);
    if (exists_ && S_ISDIR(now.st_mode)) return cannot(EISDIR);
    if (exists_ && ::access(target_.c_str(), W_OK) != 0) return cannot(errno);
    if (!exists_ && ::access(folder_.c_str(), W_OK | X_OK) != 0) return cannot(errno);
    if (!exists_ || !regular_) return {};
    mode_ = now.st_mode & 07777;
    for (const std::filesystem::path& input : inputs)
      if (is_input(input, now))
        return Error{path_.string() + " cannot be written: it is also read, as " + input.string()};
    return {};
  }

  Status begin(OutputForm form, Paths inputs) {
    if (auto ok = inspect(inputs); !ok) return ok;
    if (!regular_) {
      file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
      return file_ >= 0 ? Status() : cannot(errno);
    }
    // If the folder is not writable, an existing file is written in place.
    if (form == OutputForm::Whole && ::access(folder_.c_str(), W_OK | X_OK) == 0) {
      std::string name(".");
      name += target_.filename().string();
      constexpr size_t kLongest = 250;  // bytes, with the ending
      if (name.size() > kLongest) name.resize(kLongest);
      name += ".part";
      part_ = folder_ / name;
      const std::filesystem::path part = part_;
      if (auto ok = take(part); !ok) {
        part_.clear();  // another program's
        return ok;
      }
      if (exists_) (void)::fchmod(file_, mode_);
      return {};
    }
    return take(target_);
  }

  // Opens it exclusively and truncated. A lock ends with its process, so the temporary file of a killed process is reused.
  Status take(const std::filesystem::path& path) {
    constexpr int kAttempts = 100;
    for (int i = 0; i < kAttempts; ++i) {
      file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
      if (file_ < 0) return cannot(errno);
      if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(std::exchange(file_, -1));
        return busy();
      }
      struct stat opened {
      }, named{};
      // Another program may have renamed or removed it between the two calls.
      if (::fstat(file_, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && same(opened, named)) {
        if (::ftruncate(file_, 0) == 0) return {};
        const int why = errno;
        ::close(std::exchange(file_, -1));
        return cannot(why);
      }
      ::close(std::exchange(file_, -1));
    }
    return busy();
  }

  std::filesystem::path path_, target_, folder_, part_;  // part_: the temporary file; empty: written in place
  int file_ = -1;
  int problem_ = 0;  // errno of the first failed write
  bool exists_ = false, regular_ = true;
  mode_t mode_ = 0;
  int64_t written_ = 0;
};

}  // namespace arenascope
