// SPDX-License-Identifier: GPL-3.0-or-later
// Output files and printed names: no input is overwritten, no error is lost, and no control sequence reaches a terminal.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/test_data.h"

using namespace arenascope::test;

namespace {

// A command run by a shell, for closed descriptors.
Ended shell(const std::string& command) { return run_program("/bin/sh", {"-c", command}); }

const std::string kCli = ARENASCOPE_CLI;

// True without terminal control sequences: line ends and tabs are the only controls, and all is UTF-8.
bool harmless(const std::string& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
    if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return false;  // C1
    if (text.compare(i, 3, "\xe2\x80\xae") == 0) return false;                                             // U+202E
  }
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).find("\xef\xbf\xbd") ==
         std::string::npos;
}

}  // namespace

TEST_CASE("an output that is an input is rejected, and the input is unchanged") {
  const TempFolder folder;
  const std::string model = folder / "m.onnx", link = folder / "link.json", bytes = add_model(4);
  write_file(model, bytes);
  std::filesystem::create_symlink("m.onnx", link);
  const std::vector<std::vector<std::string>> commands = {
      {"run", "--record", model, model},
      {"run", "--record", link, model},
      {"plan", "--export", model, model},
      {"plan", "--export", link, model},
      {"train", model, "--data", "a,b", "--save", model},
  };
  for (const auto& command : commands) {
    CAPTURE(joined(command));
    const Ended ended = cli(command);
    CAPTURE(ended.err);
    CHECK(ended.status != 0);
    CHECK(ended.says_one_line());
    CHECK(read_file(model) == bytes);
  }
  CHECK(cli({"run", "--record", model, model}).says_one_line("also read"));
  // A trace that is converted to itself.
  const std::string trace = folder / "t.json";
  write_file(trace, R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}])");
  const std::string before = read_file(trace);
  CHECK(cli({"convert", trace, trace}).says_one_line("also read"));
  CHECK(read_file(trace) == before);
}

TEST_CASE("of two writers of one recording the second is refused") {
  const TempFolder folder;
  const std::string file = folder / "two.pftrace";
  const int first = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(first >= 0);
  REQUIRE(::flock(first, LOCK_EX) == 0);
  REQUIRE(::write(first, "half", 4) == 4);
  const Ended refused = cli({"run", "--record", file, "zoo:mnist_fc"});
  CHECK(refused.status == 1);
  CHECK_MESSAGE(refused.says_one_line("another program is writing it"), refused.err);
  CHECK(read_file(file) == "half");
  ::close(first);
  CHECK(cli({"run", "--record", file, "zoo:mnist_fc"}).status == 0);
  CHECK(cli({"audit", file}).status == 0);
}

TEST_CASE("a FIFO is written into and stays one") {
  const TempFolder folder;
  const std::string model = folder / "m.onnx";
  write_file(model, add_model(4));
  for (const char* name : {"plan.json", "plan.csv"}) {
    const std::string fifo = folder / name;
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    std::string got;
    std::thread reader([&] { got = read_file(fifo); });
    const Ended ended = cli({"plan", "--export", fifo, model});
    reader.join();
    CHECK_MESSAGE(ended.status == 0, ended.err);
    CHECK(got.size() > 20);
    CHECK(std::filesystem::is_fifo(fifo));
  }
}

TEST_CASE("a full disk is reported with its reason") {
  const TempFolder folder;
  const std::string model = folder / "m.onnx", trace = folder / "t.json";
  write_file(model, add_model(4));
  write_file(trace, R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}])");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"plan", "--export", "/dev/full", model}, {"run", "--record", "/dev/full", model}}) {
    CAPTURE(joined(command));
    const Ended ended = cli(command);
    CHECK(ended.status == 1);
    CHECK_MESSAGE(ended.says_one_line("No space left on device"), ended.err);
  }
}

TEST_CASE("an output that cannot be written is reported before the work") {
  const TempFolder folder;
  const std::string no = folder / "none/out";
  for (const std::vector<std::string>& command : {
           std::vector<std::string>{"generate", "zoo:nano_gpt", "--tokens", "0,1,2", "-n", "2", "--logits",
                                    no + ".npy"},
           {"train", "zoo:nano_gpt", "--data", "sort:1", "--epochs", "3", "--save", no + ".safetensors"},
           {"plan", "zoo:squeezenet", "--export", no + ".json"},
           {"run", "zoo:mnist_fc", "--record", no + ".pftrace"},
       }) {
    CAPTURE(joined(command));
    const Ended ended = cli(command);
    CHECK(ended.status == 1);
    CHECK_MESSAGE(ended.says_one_line("No such file or directory"), ended.err);
    CHECK(ended.out.empty());  // no epoch, no token
  }
  if (::geteuid() == 0) {
    MESSAGE("skipped: root may write everywhere");
    return;
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  CHECK(cli({"train", "zoo:nano_gpt", "--data", "sort:1", "--save", folder / "s.safetensors"}).says_one_line("denied"));
}

TEST_CASE("names of a file are shown, not obeyed") {
  const TempFolder folder;
  const std::string csv = folder / "names.csv";
  const std::vector<std::string> names = {"\x1b[31mred",
                                          "\xc2\x9b"
                                          "2J",
                                          "\xe2\x80\xae"
                                          "cod",
                                          "\x9b\xff", "ü 张量"};
  std::string text = "id,lower,upper,size\n";
  for (const std::string& name : names) text += name + ",0,2,64\n";
  write_file(csv, text);
  const std::string json = folder / "plan.json";
  for (const std::vector<std::string>& command : {std::vector<std::string>{"plan", csv},
                                                  {"plan", "--json", csv},
                                                  {"plan", "--export", json, csv},
                                                  {"info", csv},
                                                  {"run", csv}}) {
    CAPTURE(joined(command));
    const Ended ended = cli(command);
    CHECK_MESSAGE(harmless(ended.out), ended.out);
    CHECK_MESSAGE(harmless(ended.err), ended.err);
  }
  const auto plan = nlohmann::json::parse(read_file(json), nullptr, false);
  REQUIRE_FALSE(plan.is_discarded());
  REQUIRE(plan["buffers"].size() == names.size());
  std::set<std::string> ids;
  for (const auto& buffer : plan["buffers"]) ids.insert(buffer["id"].get<std::string>());
  CHECK(ids.contains("ü 张量"));
  CHECK(ids.contains("\x1b[31mred"));
  CHECK(ids.contains("\xef\xbf\xbd\xef\xbf\xbd"));
  // The path is a name too.
  const std::string path = folder / "\x1b[1m\xc2\x9b.onnx";
  write_file(path, add_model(4));
  for (const char* command : {"info", "run", "plan", "verify"}) {
    const Ended ended = cli({command, path});
    CAPTURE(command);
    CHECK(ended.status == 0);
    CHECK(harmless(ended.out));
  }
}

TEST_CASE("names of the shared cases are shown, not obeyed") {
  const std::filesystem::path faults = data_folder() / ".." / "cases" / "faults";
  if (data_folder().empty() || !std::filesystem::is_directory(faults)) {
    MESSAGE("skipped: no cases/faults in ../shared");
    return;
  }
  for (const auto& file : std::filesystem::directory_iterator(faults))
    for (const char* command : {"info", "run", "plan", "generate"}) {
      std::vector<std::string> words{command, file.path().string()};
      if (std::string(command) == "generate") words.insert(words.end(), {"--prompt", "x"});
      CAPTURE(joined(words));
      const Ended ended = cli(words);
      CHECK(ended.status <= 2);
      CHECK_MESSAGE(harmless(ended.out), ended.out);
      CHECK_MESSAGE(harmless(ended.err), ended.err);
    }
}

TEST_CASE("a name is no formula in a table, and is the same name when the table is read") {
  const TempFolder folder;
  const std::string csv = folder / "in.csv", out = folder / "out.csv", again = folder / "again.csv";
  write_file(csv, "id,lower,upper,size\n=cmd|x,0,2,64\n+1+1,0,2,64\n-2+3,1,2,64\n@a,1,3,64\n-7,1,3,64\nplain,1,3,64\n");
  REQUIRE(cli({"plan", "--export", out, csv}).status == 0);
  const std::string table = read_file(out);
  for (const char* cell : {"\n'=cmd|x,", "\n'+1+1,", "\n'-2+3,", "\n'@a,", "\n-7,", "\nplain,"})
    CHECK_MESSAGE(table.find(cell) != std::string::npos, cell);
  REQUIRE(cli({"plan", "--export", again, out}).status == 0);
  CHECK(read_file(again).find("''") == std::string::npos);
}

TEST_CASE("closed standard streams end nothing") {
  const TempFolder folder;
  const std::string record = folder / "x.pftrace";
  CHECK(shell("exec " + kCli + " run /nonexistent.onnx 2>&-").status == 2);
  CHECK(shell("exec " + kCli + " run --record " + record + " zoo:mnist_fc <&- 2>&-").status == 0);
  CHECK(cli({"audit", record}).status == 0);
  CHECK(shell("exec " + kCli + " run --record " + record + " zoo:mnist_fc <&- >&- 2>&-").status == 1);  // no output
  CHECK(cli({"audit", record}).status == 0);
  CHECK(shell("exec " + kCli + " run /nonexistent.onnx 2>/dev/full").status == 2);
}
