// SPDX-License-Identifier: MIT
// Inputs that are not plain tensors: complex numbers, maps, sequences, given as files.
#include <unistd.h>

#include <complex>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>
#include <arenascope/run/runner.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/engine/models/onnx_maker.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::kComplex64;
using models::test::kInt64;
using models::test::kString;
using models::test::OnnxMaker;
using Complex = std::complex<float>;

// A folder with a model and files for its inputs.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / fmt::format("arenascope-kinds-{}", ::getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const char* name, const std::vector<std::byte>& bytes) const {
    const auto path = path_ / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path.string();
  }
  Result<std::unique_ptr<Runner>> run(const OnnxMaker& m, const InputFiles& inputs) const {
    RunnerOptions options;
    options.threads = 1;
    options.inputs = inputs;
    auto runner = Runner::open(write("m.onnx", m.bytes()), options);
    if (!runner) return runner;
    auto report = (*runner)->run();
    if (!report) return report.error();
    return runner;
  }

 private:
  std::filesystem::path path_;
};

template <class T>
std::vector<T> first_result(Result<std::unique_ptr<Runner>>& runner) {
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  auto bytes = (*runner)->results().at(0).read();
  REQUIRE(bytes.ok());
  std::vector<T> out(bytes->size() / sizeof(T));
  std::memcpy(out.data(), bytes->data(), bytes->size());
  return out;
}

std::string npy_of(const Folder& folder, const char* name, const std::vector<Complex>& numbers, bool complex) {
  auto tensor = models::host_tensor({2, static_cast<int64_t>(numbers.size()) / 2}, DType::I64);
  REQUIRE(tensor.ok());
  std::memcpy((*tensor)->data(), numbers.data(), numbers.size() * sizeof(Complex));
  auto bytes = models::format_npy(*tensor, complex);
  REQUIRE(bytes.ok());
  return folder.write(name, *bytes);
}

}  // namespace

TEST_CASE("complex numbers can be moved but not computed with") {
  const Folder folder;
  const std::vector<Complex> z{{1, 2}, {3, -4}, {5, 0}, {0, 7}}, w{{-1, 1}, {8, 9}};
  const std::string given = npy_of(folder, "z.npy", z, true);
  OnnxMaker m(18);
  m.input("z", {2, 2}, kComplex64).output("y", {3, 2}, kComplex64);
  m.raw_weight("w", {1, 2}, std::string(reinterpret_cast<const char*>(w.data()), 2 * sizeof(Complex)), kComplex64);
  m.node("Transpose", {"z"}, {"t"}).node("Concat", {"t", "w"}, {"y"}, {Attr{"axis", int64_t{0}}});
  auto runner = folder.run(m, {{"z", given}});
  CHECK(first_result<Complex>(runner) == std::vector<Complex>{z[0], z[2], z[1], z[3], w[0], w[1]});
  CHECK((*runner)->results()[0].value->type_name() == std::string("complex64"));
  bool complex = false;
  REQUIRE(models::read_npy(given, &complex).ok());
  CHECK(complex);
  CHECK_FALSE(models::read_npy(given).ok());

  for (const char* op : {"Add", "Cast", "Equal", "QuantizeLinear"}) {
    OnnxMaker none(18);
    none.input("z", {2, 2}, kComplex64).output("y", {2, 2});
    const bool casts = std::string(op) == "Cast";
    none.node(op, casts ? std::vector<std::string>{"z"} : std::vector<std::string>{"z", "z"}, {"y"},
              casts ? std::vector<Attr>{Attr{"to", int64_t{1}}} : std::vector<Attr>());
    const auto refused = folder.run(none, {{"z", given}});
    REQUIRE_FALSE(refused.ok());
    CHECK_MESSAGE(refused.error().message.find("COMPLEX64") != std::string::npos, refused.error().message);
  }
  OnnxMaker same(18);
  same.input("z", {2, 2}, kComplex64).node("Identity", {"z"}, {"y"}).output("y", {2, 2}, kComplex64);
  CHECK_FALSE(folder.run(same, {{"z", npy_of(folder, "whole.npy", z, false)}}).ok());
}

TEST_CASE("DictVectorizer orders values by vocabulary or key") {
  const Folder folder;
  const std::string ml = "ai.onnx.ml";
  OnnxMaker words(12);
  words.opset(ml, 1).map_input("x", kString, models::test::kFloat).output("y", {1, 4});
  words.node("DictVectorizer", {"x"}, {"y"}, {Attr{"string_vocabulary", std::vector<std::string>{"a", "c", "b", "z"}}},
             "", ml);
  const std::string file = folder.write("x.pb", models::test::map_file({"c", "other", "a"}, {8, 5, 4}));
  auto runner = folder.run(words, {{"x", file}});
  CHECK(first_result<float>(runner) == std::vector<float>{4, 8, 0, 0});
  const auto not_given = folder.run(words, {});
  REQUIRE_FALSE(not_given.ok());
  CHECK(not_given.error().message.find("is a map") != std::string::npos);

  const std::string keyed = folder.write("k.pb", models::test::map_file(std::vector<int64_t>{4, 0, 2}, {1, 2, 3}));
  for (const bool sparse : {false, true}) {
    OnnxMaker cast(12);
    cast.opset(ml, 1).map_input("x", kInt64, models::test::kFloat).output("y", {}, kInt64);
    cast.node("CastMap", {"x"}, {"y"},
              {Attr{"map_form", std::string(sparse ? "SPARSE" : "DENSE")}, Attr{"max_map", int64_t{6}},
               Attr{"cast_to", std::string("TO_INT64")}},
              "", ml);
    auto made = folder.run(cast, {{"x", keyed}});
    CHECK(first_result<int64_t>(made) ==
          (sparse ? std::vector<int64_t>{2, 0, 3, 0, 1, 0} : std::vector<int64_t>{2, 3, 1}));
  }
  OnnxMaker other(12);
  other.map_input("x", kInt64, models::test::kFloat).output("y").node("Neg", {"x"}, {"y"});
  CHECK_FALSE(folder.run(other, {{"x", keyed}}).ok());
  const std::string damaged = folder.write("d.pb", std::vector<std::byte>(9, std::byte{0xFF}));
  CHECK_FALSE(folder.run(words, {{"x", damaged}}).ok());
}

TEST_CASE("a sequence input is read from a file") {
  const Folder folder;
  OnnxMaker m(18);
  m.sequence_input("x").output("y", {-1}).node("ConcatFromSequence", {"x"}, {"y"}, {Attr{"axis", int64_t{0}}});
  auto runner = folder.run(m, {{"x", folder.write("x.pb", models::test::sequence_file({{1, 2}, {3}, {4, 5, 6}}))}});
  CHECK(first_result<float>(runner) == std::vector<float>{1, 2, 3, 4, 5, 6});
}

}  // namespace arenascope::test
