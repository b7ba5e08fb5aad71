// SPDX-License-Identifier: GPL-3.0-or-later
// plan --watch: writes a plan for each CSV of a directory.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;
namespace fs = std::filesystem;

namespace {

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE_FIXTURE(TempFolder, "existing files are planned once") {
  put(*this / "a.csv", "id,lower,upper,size\nx,0,2,64\ny,2,4,64\nz,1,3,32\n");
  put(*this / "b.csv", "size,id,begin,end\n8,one,0,3\n8,two,4,5\n");
  put(*this / "notes.txt", "id,lower,upper,size\n");
  const std::string folder = fs::path(*this / "a.csv").parent_path();
  const Ended ended = cli({"plan", "--watch", folder, "--watch-seconds", "0"});
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  CHECK(ended.out.find("a.csv: 3 buffers in 96 bytes, 1.0000x the lower bound") != std::string::npos);
  CHECK(ended.out.find("b.csv: 2 buffers in 8 bytes") != std::string::npos);
  CHECK(read_file(*this / "a.plan.csv").find("offset") != std::string::npos);
  CHECK(fs::exists(*this / "b.plan.csv"));
  CHECK_FALSE(fs::exists(*this / "a.plan.plan.csv"));
  // A plan is a CSV with fixed offsets, so it has exactly one plan.
  const Ended again = cli({"plan", *this / "a.plan.csv", "--json"});
  CHECK(again.status == 0);
  CHECK(again.out.find("\"arena_bytes\": 96") != std::string::npos);
  // Unchanged files are skipped.
  CHECK(cli({"plan", "--watch", folder, "--watch-seconds", "0"}).out.empty());
}

TEST_CASE_FIXTURE(TempFolder, "unplannable files are reported and lose their old plan; the rest is planned") {
  put(*this / "bad.csv", "id,lower,upper,size\nx,0,2,64\nx,2,4,64\n");
  put(*this / "bad.plan.csv", "id,lower,upper,size,offset\nx,0,2,64,0\n");
  fs::last_write_time(*this / "bad.plan.csv", fs::last_write_time(*this / "bad.csv") - std::chrono::hours(1));
  put(*this / "good.csv", "id,lower,upper,size\nx,0,2,64\n");
  const std::string folder = fs::path(*this / "bad.csv").parent_path();
  const Ended ended = cli({"plan", "--watch", folder, "--watch-seconds", "0"});
  CHECK(ended.status == 2);
  CHECK(ended.says_one_line("Two buffers are named x"));
  CHECK(ended.says_one_line("bad.csv"));
  CHECK_FALSE(fs::exists(*this / "bad.plan.csv"));
  CHECK(fs::exists(*this / "good.plan.csv"));
  const Ended small = cli({"plan", "--watch", folder, "--watch-seconds", "0", "--capacity", "10"});
  CHECK(small.status == 2);
  CHECK(cli({"plan", "--watch", *this / "nowhere"}).status == 2);
  CHECK(cli({"plan", "zoo:mul_mat", "--watch", folder}).status == 2);
  CHECK(cli({"plan", "--watch", folder, "--planner", "all"}).status == 2);
  CHECK(cli({"plan"}).status == 2);
}

TEST_CASE_FIXTURE(TempFolder, "new and changed files are planned while watching") {
  const std::string folder = fs::path(*this / "a.csv").parent_path();
  Ended ended;
  {
    std::jthread watcher([&] { ended = cli({"plan", "--watch", folder, "--watch-seconds", "6", "--json"}); });
    const auto wait_for = [&](const std::string& text) {
      for (int round = 0; round < 55; ++round) {
        if (fs::exists(*this / "a.plan.csv") && read_file(*this / "a.plan.csv").find(text) != std::string::npos)
          return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      return false;
    };
    put(*this / "a.csv", "id,lower,upper,size\nfirst,0,2,64\n");
    CHECK(wait_for("first"));
    put(*this / "a.csv", "id,lower,upper,size\nsecond,0,2,128\nthird,0,1,64\n");
    CHECK(wait_for("third"));
  }
  CHECK(ended.status == 0);
  CHECK(ended.out.find("\"arena_bytes\":64") != std::string::npos);
  CHECK(ended.out.find("\"arena_bytes\":192") != std::string::npos);
}
