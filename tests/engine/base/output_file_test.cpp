// SPDX-License-Identifier: MIT
#include <arenascope/base/folder_entries.h>
#include <arenascope/base/output_file.h>
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "tests/support/temp_folder.h"

using namespace arenascope;
using test::TempFolder;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

bool says(const Status& status, const char* part) {
  return !status.ok() && status.error().message.find(part) != std::string::npos;
}

// True if the check succeeds for a user who owns the folder and has no other rights: root, who may write everywhere, runs
// it as another user in a child process.
bool as_other_user(const fs::path& folder, const std::function<bool()>& check) {
  constexpr uid_t kOtherUser = 65534;
  if (::geteuid() != 0) return check();
  for (const fs::path& path : {folder, folder / "read_only"})
    REQUIRE(::chown(path.c_str(), kOtherUser, kOtherUser) == 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::setgid(kOtherUser) == 0 && ::setuid(kOtherUser) == 0 && check() ? 0 : 1);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("a file is written completely or not changed") {
  const TempFolder folder;
  const fs::path path = folder.path() / "out.json";
  put(path, "before");
  {
    auto file = OutputFile::open(path);
    REQUIRE(file.ok());
    REQUIRE((*file)->write("half").ok());
    CHECK(read(path) == "before");
  }
  CHECK(read(path) == "before");
  CHECK(folder.entry_count() == 1);
  REQUIRE(OutputFile::write_all(path, "after").ok());
  CHECK(read(path) == "after");
  CHECK(folder.entry_count() == 1);
}

TEST_CASE("a growing file exists at once and can be removed") {
  const TempFolder folder;
  const fs::path path = folder.path() / "out.pftrace";
  put(path, "a longer earlier text");
  {
    auto file = OutputFile::open(path, OutputForm::Growing);
    REQUIRE(file.ok());
    REQUIRE((*file)->write("now").ok());
    CHECK(read(path) == "now");
  }
  CHECK(read(path) == "now");
  auto file = OutputFile::open(path, OutputForm::Growing);
  REQUIRE(file.ok());
  (*file)->remove();
  CHECK(folder.entry_count() == 0);
}

TEST_CASE("an output that is an input is rejected, also through links") {
  const TempFolder folder;
  const fs::path model = folder.path() / "model.onnx", link = folder.path() / "link.svg",
                 hard = folder.path() / "hard.svg", data = folder.path() / "model.onnx.data";
  put(model, "a model");
  put(data, "its weights");
  fs::create_symlink("model.onnx", link);
  fs::create_hard_link(model, hard);
  const fs::path inputs[] = {model}, in_folder[] = {folder.path()};
  for (const fs::path& path : {model, link, hard, data, folder.path() / "." / "model.onnx"}) {
    CAPTURE(path);
    CHECK(says(OutputFile::check(path, inputs), "also read"));
    CHECK_FALSE(OutputFile::open(path, OutputForm::Whole, inputs).ok());
    CHECK_FALSE(OutputFile::open(path, OutputForm::Growing, inputs).ok());
    CHECK(says(OutputFile::check(path, in_folder), "also read"));
  }
  CHECK(read(model) == "a model");
  CHECK(read(data) == "its weights");
  CHECK(OutputFile::check(folder.path() / "other.svg", inputs).ok());
  const fs::path no_files[] = {"zoo:squeezenet", ""};
  CHECK(OutputFile::check(model, no_files).ok());
}

TEST_CASE("a symbolic link is followed and kept") {
  const TempFolder folder;
  const fs::path real = folder.path() / "real.csv", link = folder.path() / "link.csv",
                 dangling = folder.path() / "new.csv";
  put(real, "before");
  fs::create_symlink("real.csv", link);
  fs::create_symlink("made.csv", dangling);
  REQUIRE(OutputFile::write_all(link, "after").ok());
  REQUIRE(OutputFile::write_all(dangling, "new").ok());
  CHECK(fs::is_symlink(link));
  CHECK(read(real) == "after");
  CHECK(read(folder.path() / "made.csv") == "new");
}

TEST_CASE("a second writer is rejected, but not after a writer was killed") {
  const TempFolder folder;
  for (const OutputForm form : {OutputForm::Growing, OutputForm::Whole}) {
    const fs::path path = folder.path() / (form == OutputForm::Whole ? "whole" : "growing");
    {
      auto first = OutputFile::open(path, form);
      REQUIRE(first.ok());
      auto second = OutputFile::open(path, form);
      REQUIRE_FALSE(second.ok());
      CHECK(second.error().message.find("another program is writing it") != std::string::npos);
      REQUIRE((*first)->write("first").ok());
      REQUIRE((*first)->close().ok());
    }
    CHECK(read(path) == "first");
    const pid_t child = ::fork();
    if (child == 0) {
      auto file = OutputFile::open(path, form);
      if (file.ok()) (void)(*file)->write("half of a long text");
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    REQUIRE(OutputFile::write_all(path, "second").ok());
    CHECK(read(path) == "second");
  }
  CHECK(folder.entry_count() == 2);  // the temporary file of the killed writer was replaced
}

TEST_CASE("special files are written in place") {
  const TempFolder folder;
  const fs::path fifo = folder.path() / "fifo.csv";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = read(fifo); });
  CHECK(OutputFile::check(fifo).ok());  // and opens nothing
  REQUIRE(OutputFile::write_all(fifo, "through").ok());
  reader.join();
  CHECK(got == "through");
  CHECK(fs::is_fifo(fifo));
  // A device, also through a link; writing to this one fails like a full disk.
  const fs::path link = folder.path() / "full.csv";
  fs::create_symlink("/dev/full", link);
  CHECK(says(OutputFile::write_all(link, "text"), "No space left on device"));
  CHECK(fs::is_character_file("/dev/full"));
  CHECK(OutputFile::write_all("/dev/null", "text").ok());
}

TEST_CASE("an output that cannot be written is rejected before the work") {
  const TempFolder folder;
  CHECK(says(OutputFile::check(folder.path() / "none" / "out"), "No such file"));
  CHECK(says(OutputFile::check(folder.path()), "directory"));
  CHECK(says(OutputFile::check(""), "No such file"));
  CHECK(OutputFile::check(folder.path() / "out").ok());
  CHECK(folder.entry_count() == 0);
  const fs::path file = folder.path() / "read_only";
  put(file, "text");
  fs::permissions(file, fs::perms::owner_read);
  CHECK(as_other_user(folder.path(), [&] { return says(OutputFile::check(file), "Permission denied"); }));
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const fs::path out = folder.path() / "out";
  CHECK(as_other_user(folder.path(), [&] { return says(OutputFile::check(out), "Permission denied"); }));
}

TEST_CASE("a file keeps its permissions") {
  const TempFolder folder;
  const fs::path path = folder.path() / "script";
  put(path, "before");
  fs::permissions(path, fs::perms::owner_all | fs::perms::group_read);
  REQUIRE(OutputFile::write_all(path, "after").ok());
  CHECK(fs::status(path).permissions() == (fs::perms::owner_all | fs::perms::group_read));
}

TEST_CASE("the entries of a folder, or none if it cannot be read") {
  const TempFolder folder;
  put(folder.path() / "a", "1");
  fs::create_directory(folder.path() / "b");
  CHECK(folder_entries(folder.path()).size() == 2);
  CHECK(folder_entries(folder.path() / "absent").empty());
  CHECK(folder_entries(folder.path() / "a").empty());
}
