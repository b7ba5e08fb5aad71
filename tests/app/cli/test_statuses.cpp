// SPDX-License-Identifier: GPL-3.0-or-later
// Exit status 0, 1 or 2, and for errors one line on standard error that names the problem.
#include <doctest/doctest.h>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;

namespace {

void ends(const std::vector<std::string>& arguments, int status, const std::string& named) {
  CAPTURE(joined(arguments));
  const Ended ended = cli(arguments);
  CAPTURE(ended.err);
  CHECK(ended.status == status);
  if (status == 0)
    CHECK(ended.err.empty());
  else
    CHECK_MESSAGE(ended.says_one_line(named), "not one line that names ", named);
}

}  // namespace

TEST_CASE("invalid usage has status 2") {
  ends({}, 2, "subcommand");
  ends({"frobnicate"}, 2, "frobnicate");
  ends({"--nonsense"}, 2, "'--nonsense'");
  ends({"info"}, 2, "model");
  ends({"info", "zoo:mul_mat", "zoo:lstm"}, 2, "zoo:lstm");
  for (const char* command : {"devices", "info", "plan", "run", "verify", "bench", "convert"})
    ends({command, "--nonsense", "a", "b"}, 2, "--nonsense");
  for (const char* command : {"info", "plan", "run", "verify"}) {
    ends({command, "/nonexistent/model.onnx"}, 2, "/nonexistent/model.onnx");
    ends({command, "zoo:nothing"}, 2, "nothing");
    ends({command, "/etc/passwd"}, 2, "/etc/passwd");
    for (const char* dim : {"N", "=3", "N=", "N=x", "N=3x", "N=-1", "N=99999999999999999999"})
      ends({command, "zoo:mul_mat", "--dim", dim}, 2,
           "--dim: expected NAME=N with an integer N, found '" + std::string(dim));
  }
  ends({"plan", "/nonexistent.csv"}, 2, "/nonexistent.csv");
  ends({"convert", "/nonexistent.trace", "a.json"}, 2, "/nonexistent.trace");
  ends({"convert", "/nonexistent.trace"}, 2, "to is required");
  ends({"bench", "nothing"}, 2, "nothing");
  ends({"generate", "zoo:gpt2"}, 2, "--prompt");
  ends({"generate", "zoo:gpt2", "--prompt", "a"}, 2, "vocabulary");
  ends({"generate", "zoo:gpt2", "--tokens", "1,x"}, 2, "1,x");
  ends({"generate", "zoo:gpt2", "--tokens", "1", "-n", "0"}, 2, "-n 0");
  ends({"generate", "zoo:gpt2", "--tokens", "1", "--temp", "-1"}, 2, "temperature");
  ends({"generate", "zoo:gpt2", "--tokens", "1", "--backend", "missing"}, 2, "'missing'");
  ends({"generate", "zoo:gpt2", "--tokens", "1", "--chat"}, 2, "--chat");
  ends({"generate", "zoo:gpt2", "--tokens", "1", "--cache-type", "i64"}, 2, "i64");
  ends({"generate", "zoo:nano_gpt", "--tokens", "0,1,2,0,1,2,0,1,2,0,1,2"}, 2, "the context of 11");
  ends({"generate", "zoo:nano_gpt", "--tokens", "0,1,2", "-n", "9"}, 2, "--context-shift");
  ends({"generate", "zoo:nano_gpt", "--tokens", "0", "--copies", "2", "--context-shift"}, 2, "--copies");
  ends({"generate", "zoo:squeezenet", "--tokens", "1"}, 2, "not a generative language model");
  ends({"generate", "/nonexistent.gguf", "--prompt", "a"}, 2, "/nonexistent.gguf");
  ends({"train", "zoo:mnist_fc", "--data", "/nonexistent/a,/nonexistent/b"}, 2, "/nonexistent/a");
  ends({"train", "zoo:mnist_fc", "--data", "a"}, 2, "IMAGES,LABELS");
  ends({"train", "zoo:mnist_fc", "--data", "a,b", "--optimizer", "magic"}, 2, "'magic'");
  ends({"train", "zoo:mnist_fc", "--data", "sort:1"}, 2, "IMAGES,LABELS");
  ends({"train", "zoo:nano_gpt", "--data", "sort:one"}, 2, "sort:SEED");
  ends({"train", "zoo:nano_gpt", "--data", "sort:1", "--tokens", "12"}, 2, "11 tokens");
  ends({"train", "zoo:nano_gpt", "--data", "sort:1", "--tokens", "4"}, 2, "odd number");
  ends({"train", "zoo:nano_gpt", "--data", "/nonexistent.bin"}, 2, "/nonexistent.bin");
  ends({"train", "zoo:nano_gpt", "--data", "sort:1", "--accumulate", "7"}, 2, "7 parts");
}

TEST_CASE("a model generates several texts, and exceeds its context with --context-shift") {
  ends({"generate", "zoo:nano_gpt", "--tokens", "0,2,1,1,0,2", "-n", "5", "--copies", "3", "--temp", "1"}, 0, "");
  ends({"generate", "zoo:nano_gpt", "--tokens", "0,2,1,1,0,2", "-n", "20", "--context-shift"}, 0, "");
  ends({"generate", "zoo:nano_gpt", "--tokens", "0,2", "-n", "3", "--cache-type", "f16", "--json"}, 0, "");
  TempFolder folder;
  ends({"train", "zoo:nano_gpt", "--data", "sort:1", "--epochs", "1", "--batch", "512", "--save", "/nonexistent/a"}, 1,
       "/nonexistent/a");
  ends({"train", "zoo:nano_gpt", "--data", "sort:1", "--epochs", "1", "--batch", "512", "--accumulate", "4", "--save",
        folder / "a.safetensors"},
       0, "");
  ends({"generate", folder / "a.safetensors", "--tokens", "0,2,1,1,0,2", "-n", "5"}, 0, "");
}

TEST_CASE("an unknown name has status 2 and lists the available ones") {
  for (const char* command : {"plan", "run", "verify"}) {
    ends({command, "zoo:mul_mat", "--planner", "missing"}, 2, "'missing'");
    ends({command, "zoo:mul_mat", "--planner", "missing"}, 2, "greedy-by-size");
    ends({command, "zoo:mul_mat", "--order", "missing"}, 2, "'missing'");
    ends({command, "zoo:mul_mat", "--order", "missing"}, 2, "breadth-first");
  }
  for (const char* command : {"run", "verify"}) {
    ends({command, "zoo:mul_mat", "--backend", "missing"}, 2, "'missing'");
    ends({command, "zoo:mul_mat", "--memory", "missing"}, 2, "'missing'");
  }
}

TEST_CASE("numbers out of range have status 2") {
  for (const char* threads : {"2000", "-1", "many", "1.5"})
    for (const char* command : {"plan", "run", "verify"})
      ends({command, "zoo:mul_mat", "--threads", threads}, 2, "--threads");
  for (const char* repeat : {"0", "-3", "often"}) ends({"run", "zoo:mul_mat", "--repeat", repeat}, 2, "--repeat");
  for (const char* command : {"plan", "run", "verify"})
    for (const char* budget : {"-1", "nan", "long"}) ends({command, "zoo:mul_mat", "--budget", budget}, 2, "--budget");
  ends({"plan", "zoo:mul_mat", "--alignment", "3"}, 2, "--alignment: 3");
  ends({"plan", "zoo:mul_mat", "--capacity", "-1"}, 2, "--capacity: -1");
  ends({"info", "zoo:llama_13b", "--tokens", "-1"}, 2, "--tokens: -1");
  ends({"info", "zoo:llama_13b", "--tokens", "999999999999999"}, 2, "999999999999999");
}

TEST_CASE("one thread per CPU, or the given number") {
  ends({"run", "zoo:mul_mat", "--threads", "0"}, 0, "");
  ends({"run", "zoo:mul_mat", "--threads", "7"}, 0, "");
}

TEST_CASE("failures have status 1") {
  TempFolder folder;
  ends({"plan", "zoo:mul_mat", "--capacity", "10"}, 1, "the capacity is 10");
  ends({"plan", "zoo:mul_mat", "--capacity", "0"}, 1, "the capacity is 0");
  ends({"plan", "zoo:mul_mat", "--capacity", "48"}, 0, "");
  ends({"plan", "zoo:mul_mat", "--export", "/nonexistent/plan.json"}, 1, "/nonexistent/plan.json");
  ends({"run", "zoo:mul_mat", "--record", "/nonexistent/a.trace"}, 1, "/nonexistent/a.trace");
  ends({"run", "zoo:mul_mat", "--output", "/proc/nothing"}, 1, "/proc/nothing");
  write_file(folder / "file", "");
  ends({"run", "zoo:mul_mat", "--output", folder / "file"}, 1, folder / "file");
  for (const char* backend : {"opencl", "cuda"}) {
    const Ended ended = cli({"run", "zoo:mul_mat", "--backend", backend});
    if (ended.status != 0) CHECK(ended.status == 1);  // no such device or build option
    if (ended.status != 0) CHECK(ended.says_one_line(backend));
  }
}

TEST_CASE("an unwritable standard output has status 1") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"devices", "--json"}, {"info", "zoo:mul_mat"}, {"plan", "zoo:mul_mat", "--json"}}) {
    CAPTURE(joined(arguments));
    const Ended ended = cli(arguments, {.out = "/dev/full"});
    CHECK(ended.status == 1);
    CHECK(ended.says_one_line("No space left"));
  }
}

TEST_CASE("--help and --version have status 0") {
  ends({"--help"}, 0, "");
  ends({"--version"}, 0, "");
  for (const char* command : {"devices", "info", "plan", "run", "verify", "bench", "convert"}) {
    const Ended ended = cli({command, "--help"});
    CHECK(ended.status == 0);
    CHECK(ended.out.find("--json") != std::string::npos);
  }
  // The help of a disabling flag starts with "Disable".
  const std::string help = cli({"run", "--help"}).out;
  const size_t at = help.find("--no-rewrite");
  REQUIRE(at != std::string::npos);
  CHECK(help.compare(help.find_first_not_of(' ', at + 12), 9, "Disable: ") == 0);
}

TEST_CASE("inputs from files") {
  TempFolder folder;
  const std::string model = folder / "add.onnx", x = folder / "x.npy", y = folder / "y.npy";
  write_file(model, add_model(3));
  write_file(x, npy_bytes({{3}, {1, 2, 3}}));
  write_file(y, npy_bytes({{3}, {10, 20, 30}}));
  const std::string output = folder / "out";
  ends({"run", model, "--input", "x=" + x, "--input", "y=" + y, "--output", output}, 0, "");
  CHECK(read_npy(std::filesystem::path(output) / "z.npy").values == std::vector<float>{11, 22, 33});

  ends({"run", model, "--input", "missing=" + x}, 2, "'missing'");
  ends({"run", model, "--input", "x"}, 2, "--input: expected NAME=FILE, found 'x'");
  ends({"run", model, "--input", "=" + x}, 2, "--input");
  ends({"run", model, "--input", "x="}, 2, "--input");
  ends({"run", model, "--input", "x=/nonexistent.npy"}, 2, "/nonexistent.npy");
  ends({"run", "zoo:mul_mat", "--input", "missing=" + x}, 2, "'missing'");

  const std::string wrong = folder / "wrong.npy", whole = npy_bytes({{3}, {1, 2, 3}});
  write_file(wrong, npy_bytes({{2, 2}, {1, 2, 3, 4}}));
  ends({"run", model, "--input", "x=" + wrong}, 2, "'x'");
  for (size_t size = 0; size < whole.size(); size += size < 16 ? 1 : 7) {
    write_file(wrong, whole.substr(0, size));
    ends({"run", model, "--input", "x=" + wrong}, 2, wrong);
  }
}

TEST_CASE("a symbolic dimension set by --dim or by an input") {
  TempFolder folder;
  const std::string model = folder / "add.onnx", x = folder / "x.npy", output = folder / "out";
  write_file(model, add_model(-1));
  write_file(x, npy_bytes({{5}, {1, 2, 3, 4, 5}}));
  ends({"run", model, "--dim", "N=5", "--input", "x=" + x, "--input", "y=" + x, "--output", output}, 0, "");
  CHECK(read_npy(std::filesystem::path(output) / "z.npy").values == std::vector<float>{2, 4, 6, 8, 10});
  ends({"run", model, "--input", "x=" + x, "--input", "y=" + x}, 0, "");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--dim", "N=4", "--input", "x=" + x}, {"--dim", "N=9000000000000000000"}}) {
    std::vector<std::string> all{"run", model};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Ended ended = cli(all);
    CAPTURE(ended.err);
    CHECK((ended.status == 1 || ended.status == 2));
    CHECK(ended.says_one_line());
  }
}
