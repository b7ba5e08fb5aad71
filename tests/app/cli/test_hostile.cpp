// SPDX-License-Identifier: GPL-3.0-or-later
// Malformed and malicious model files: one line of output, the right exit status, at most 2 seconds and 64 MB.
#include <doctest/doctest.h>
#include <test_data.h>

#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

constexpr int64_t kMaxBytes = int64_t{64} << 20;

void check_modest(const Ended& ended, int64_t baseline) {
  CHECK_FALSE(ended.hung);
  CHECK((ended.status == 0 || ended.status == 1 || ended.status == 2));
  if (kSanitized) return;
  CHECK(ended.cpu_seconds < 2);
  CHECK(ended.peak_bytes - baseline < kMaxBytes);
}

// `kind`: directory and file extension.
void check_manifest(const std::string& kind, const std::string& control) {
  const auto folder = data_folder() / "hostile";
  const Json manifest = Json::parse(read_file(folder / "manifest.json"), nullptr, false);
  REQUIRE(manifest.is_object());
  const int64_t baseline = cli({"info", (folder / control).string()}).peak_bytes;
  int tried = 0;
  for (const Json& one : manifest["cases"]) {
    const std::string file = one["file"], expect = one["expect"], why = one["why"];
    if (!file.starts_with(kind + "/")) continue;
    CAPTURE(file);
    CAPTURE(expect);
    CAPTURE(why);
    ++tried;
    const std::string path = (folder / file).string();
    for (const bool json : {false, true}) {
      std::vector<std::string> arguments{"info", path};
      if (json) arguments.push_back("--json");
      if (expect == "accept-as-file/refuse-to-run") {              // printed, but not without a status that reports it
        CHECK(cli(arguments).status == (kind == "onnx" ? 1 : 0));  // a GGUF file is a list of tensors
        arguments.push_back("--allow-unknown");
      }
      const Ended ended = cli(arguments);
      CAPTURE(ended.err);
      check_modest(ended, baseline);
      if (expect == "accept" || expect == "accept-as-file/refuse-to-run") CHECK(ended.status == 0);
      const bool lacks_data = file == "onnx/ext_missing.onnx";  // can be planned, not run
      if (expect == "reject") CHECK((ended.status != 0) != lacks_data);
      if (ended.status != 0) CHECK(ended.says_one_line(path));
      if (ended.status != 0) CHECK(ended.out.empty());
      if (ended.status == 0) CHECK(ended.err.empty());
      if (ended.status == 0 && json) CHECK(Json::parse(ended.out, nullptr, false).is_object());
    }
    // A model that cannot be run is rejected with one line as well; it may still be planned.
    for (const char* command : {"plan", "run"}) {
      CAPTURE(command);
      const Ended ended = cli({command, path});
      CAPTURE(ended.err);
      check_modest(ended, baseline);
      if (std::string(command) == "run" && (expect == "reject" || expect == "accept-as-file/refuse-to-run"))
        CHECK(ended.status != 0);
      if (ended.status != 0) CHECK(ended.says_one_line());
    }
  }
  CHECK(tried > 10);
}

}  // namespace

TEST_CASE("malformed ONNX files end as listed in the manifest") {
  ARENASCOPE_NEEDS_DATA("hostile");
  check_manifest("onnx", "onnx/ok.onnx");
}

TEST_CASE("malformed GGUF files end as listed in the manifest") {
  ARENASCOPE_NEEDS_DATA("hostile");
  check_manifest("gguf", "gguf/ok_minimal.gguf");
}

TEST_CASE("an ONNX file cut at any byte") {
  TempFolder folder;
  const std::string whole = add_model(3), path = folder / "cut.onnx";
  write_file(path, whole);
  CHECK(cli({"info", path}).status == 0);
  for (size_t size = 0; size < whole.size(); size += 2) {
    CAPTURE(size);
    write_file(path, whole.substr(0, size));
    const Ended ended = cli({"info", path});
    CAPTURE(ended.err);
    CHECK((ended.status == 0 || ended.status == 2));  // a cut between two fields gives a shorter model
    if (ended.status != 0) CHECK(ended.says_one_line(path));
  }
}

TEST_CASE("another kind of file with the extension of a model") {
  TempFolder folder;
  for (const char* name : {"a.onnx", "a.gguf"}) {
    const std::string path = folder / name;
    for (const std::string& content : {std::string(), std::string(4096, '\0'),
                                       std::string("<html>\nnot found\n</html>"), npy_bytes({{2}, {1, 2}})}) {
      CAPTURE(path);
      CAPTURE(content.substr(0, 20));
      write_file(path, content);
      const Ended ended = cli({"info", path});
      CAPTURE(ended.err);
      CHECK(ended.status == 2);
      CHECK(ended.says_one_line(path));
    }
  }
}
