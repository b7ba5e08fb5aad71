// SPDX-License-Identifier: MIT
#include <arenascope/train/frontier.h>
#include <arenascope/train/image_data.h>
#include <arenascope/train/trainer.h>
#include <doctest/doctest.h>

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "test_data.h"
#include "training_helpers.h"

using namespace arenascope;
using namespace arenascope::train;
using arenascope::test::data_folder;
using arenascope::train::test::bytes_of, arenascope::train::test::opened, arenascope::train::test::scratch,
    arenascope::train::test::stripes;

namespace {

void write(const std::filesystem::path& path, const std::vector<uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<uint8_t> idx(std::vector<uint32_t> sizes, size_t bytes) {
  std::vector<uint8_t> out{0, 0, 8, static_cast<uint8_t>(sizes.size())};
  for (uint32_t size : sizes)
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<uint8_t>(size >> shift));
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(i % 10));
  return out;
}

std::vector<float> parameters_after(const std::string& spec, const ImageData& data, int epochs, int threads) {
  TrainerOptions options;
  options.batch = 32;
  options.run.threads = threads;
  options.run.fuse = true;
  auto trainer = opened(spec, data, options);
  for (int i = 0; i < epochs; ++i) REQUIRE(trainer->epoch(data, 1e-3).ok());
  const auto path = scratch("bits.safetensors");
  REQUIRE(trainer->save(path).ok());
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  std::vector<float> out((bytes.size() - bytes.size() % 4) / 4);
  std::memcpy(out.data(), bytes.data() + bytes.size() % 4, 4 * out.size());
  return out;
}

}  // namespace

TEST_CASE("training reduces every loss function") {
  const ImageData data = stripes(400, 1);
  for (const Loss loss : {Loss::CrossEntropy, Loss::SquaredError, Loss::BinaryCrossEntropy}) {
    CAPTURE(std::string(name(loss)));
    TrainerOptions options;
    options.loss = loss;
    auto trainer = opened("zoo:mnist_fc", data, options);
    const auto before = trainer->measure(data);
    for (int i = 0; i < 3; ++i) REQUIRE(trainer->epoch(data, 1e-3).ok());
    const auto after = trainer->measure(data);
    REQUIRE((before.ok() && after.ok()));
    CHECK(after->loss < 0.5 * before->loss);
    CHECK(after->accuracy > 0.95);
    CHECK(parse_loss(name(loss)) == loss);
  }
  CHECK(!parse_loss("hinge"));
}

TEST_CASE("both networks learn generated images, with either optimizer") {
  const ImageData data = stripes(200, 1), other = stripes(100, 99);
  for (const char* spec : {"zoo:mnist_fc", "zoo:mnist_cnn"})
    for (OptimizerKind kind : {OptimizerKind::AdamW, OptimizerKind::Sgd}) {
      CAPTURE(spec);
      CAPTURE(name(kind));
      TrainerOptions options;
      options.batch = 32;  // the last batch of 200 has 8
      options.optimizer.kind = kind;
      auto trainer = opened(spec, data, options);
      const double rate = kind == OptimizerKind::AdamW ? 5e-3 : 5e-2;
      const double before = trainer->measure(data)->loss;
      for (int i = 0; i < 6; ++i) {
        auto measured = trainer->epoch(data, rate);
        REQUIRE_MESSAGE(measured.ok(), (measured.ok() ? "" : measured.error().message));
      }
      CHECK(trainer->steps() == 6 * 7);
      CHECK(trainer->losses().size() == 42);
      CHECK(trainer->measure(data)->loss < before / 4);
      CHECK(trainer->measure(other)->accuracy > 0.9);
    }
}

TEST_CASE("the same seed gives the same bits on one thread") {
  const ImageData data = stripes(96, 5);
  for (const char* spec : {"zoo:mnist_fc", "zoo:mnist_cnn"}) {
    const auto bits = [](const std::vector<float>& v) {
      return std::string(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(float));
    };
    const auto once = parameters_after(spec, data, 2, 1);
    CHECK(bits(parameters_after(spec, data, 2, 1)) == bits(once));
  }
}

TEST_CASE("a checkpoint opens as its model with its weights") {
  const ImageData data = stripes(96, 5);
  TrainerOptions options;
  options.batch = 32;
  auto trainer = opened("zoo:mnist_cnn", data, options);
  REQUIRE(trainer->epoch(data, 5e-3).ok());
  const auto path = scratch("checkpoint.safetensors");
  REQUIRE(trainer->save(path).ok());
  auto again = opened(path.string(), data, options);
  CHECK(again->measure(data)->loss == trainer->measure(data)->loss);
  CHECK(again->measure(data)->loss != opened("zoo:mnist_cnn", data, options)->measure(data)->loss);
  auto model = models::open_model(path.string());
  REQUIRE(model.ok());
  CHECK(model->runnable());
  CHECK(model->format == "safetensors");
  CHECK(!trainer->save("/nonexistent/folder/a.safetensors").ok());
  std::filesystem::remove(path);
}

TEST_CASE("resumed training ends with the bits of an uninterrupted one") {
  const ImageData data = stripes(96, 5);
  const auto path = scratch("resumed.safetensors"), whole = scratch("whole.safetensors");
  for (OptimizerKind kind : {OptimizerKind::AdamW, OptimizerKind::Sgd}) {
    TrainerOptions options;
    options.batch = 32;
    options.optimizer.kind = kind;
    auto all = opened("zoo:mnist_cnn", data, options);
    for (int i = 0; i < 3; ++i) REQUIRE(all->epoch(data, 1e-3).ok());
    REQUIRE(all->save(whole).ok());
    auto first = opened("zoo:mnist_cnn", data, options);
    REQUIRE(first->epoch(data, 1e-3).ok());
    REQUIRE(first->save(path).ok());
    options.resume = path;
    auto rest = opened("zoo:mnist_cnn", data, options);
    CHECK(rest->epochs() == 1);
    for (int i = 0; i < 2; ++i) REQUIRE(rest->epoch(data, 1e-3).ok());
    REQUIRE(rest->save(path).ok());
    CHECK(bytes_of(path) == bytes_of(whole));
    CHECK(!Trainer::open("zoo:mnist_fc", data, options).ok());
  }
  std::filesystem::remove(path);
  std::filesystem::remove(whole);
}

TEST_CASE("on a full disk the previous checkpoint is kept") {
  const ImageData data = stripes(64, 5);
  auto trainer = opened("zoo:mnist_cnn", data);
  for (const char* name : {"full.safetensors", "full.gguf"}) {
    const auto path = scratch(name);
    REQUIRE(trainer->save(path).ok());
    const auto size = std::filesystem::file_size(path);
    REQUIRE(trainer->epoch(data, 1e-3).ok());
    rlimit before{}, small{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = size / 2;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const Status saved = trainer->save(path);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, handler);
    REQUIRE(!saved.ok());
    CHECK(saved.error().message == path.string() + " cannot be written: File too large");
    CHECK(std::filesystem::file_size(path) == size);
    CHECK(!std::filesystem::exists(path.parent_path() / ("." + path.filename().string() + ".part")));
    CHECK(models::open_model(path.string()).ok());
    std::filesystem::remove(path);
  }
}

TEST_CASE("a GGUF checkpoint opens as the model and resumes bit-identically") {
  const ImageData data = stripes(96, 5);
  const auto path = scratch("checkpoint.gguf"), one = scratch("one.gguf"), other = scratch("other.gguf");
  TrainerOptions options;
  options.batch = 32;
  auto all = opened("zoo:mnist_cnn", data, options);
  REQUIRE(all->epoch(data, 1e-3).ok());
  REQUIRE(all->save(path).ok());
  auto model = models::open_model(path.string());
  REQUIRE_MESSAGE(model.ok(), (model ? "" : model.error().message));
  CHECK(model->format == "gguf");
  CHECK(model->runnable());
  const auto measured = all->measure(data), again = opened(path.string(), data, options)->measure(data);
  REQUIRE((measured.ok() && again.ok()));
  CHECK(measured->loss == again->loss);
  options.resume = path;
  auto rest = opened("zoo:mnist_cnn", data, options);
  REQUIRE((all->epoch(data, 1e-3).ok() && rest->epoch(data, 1e-3).ok()));
  REQUIRE((all->save(one).ok() && rest->save(other).ok()));
  CHECK(bytes_of(one) == bytes_of(other));
  for (const auto& file : {path, one, other}) std::filesystem::remove(file);
}

TEST_CASE("training killed at any step resumes bit-identically") {
  const ImageData data = stripes(96, 5);
  const auto path = scratch("killed.safetensors"), whole = scratch("not_killed.safetensors");
  TrainerOptions options;
  options.batch = 16;
  options.accumulate = 2;
  auto all = opened("zoo:mnist_cnn", data, options);
  for (int i = 0; i < 2; ++i) REQUIRE(all->epoch(data, 1e-3).ok());
  REQUIRE(all->save(whole).ok());
  for (const int64_t last : {1, 4, 6, 9}) {
    CAPTURE(last);
    options.resume.clear();
    auto first = opened("zoo:mnist_cnn", data, options);
    const auto until = [&](double) {
      REQUIRE(first->save(path).ok());
      return first->steps() < last;
    };
    while (first->steps() < last) REQUIRE(first->epoch(data, 1e-3, until).ok());
    first.reset();
    options.resume = path;
    auto rest = opened("zoo:mnist_cnn", data, options);
    CHECK(rest->steps() == last);
    while (rest->epochs() < 2) REQUIRE(rest->epoch(data, 1e-3).ok());
    REQUIRE(rest->save(path).ok());
    CHECK(bytes_of(path) == bytes_of(whole));
  }
  std::filesystem::remove(path);
  std::filesystem::remove(whole);
}

TEST_CASE("gradients accumulated over micro-batches equal those of the batch") {
  const ImageData data = stripes(56, 5);  // the last batch of 24 has 8: of its three parts one is empty
  const auto losses = [&](int64_t parts) {
    TrainerOptions options;
    options.batch = 24;
    options.accumulate = parts;
    options.norms = true;
    options.optimizer.kind = OptimizerKind::Sgd;
    auto trainer = opened("zoo:mnist_fc", data, options);
    for (int i = 0; i < 3; ++i) REQUIRE(trainer->epoch(data, 0.05).ok());
    std::vector<double> out = trainer->losses();
    CHECK(trainer->trained().size() == 4);
    CHECK(trainer->gradient_norms().size() == 4);
    for (float norm : trainer->gradient_norms()) out.push_back(double(norm));
    return out;
  };
  const auto once = losses(1);
  for (const int64_t parts : {2, 3, 24}) {
    const auto split = losses(parts);
    REQUIRE(split.size() == once.size());
    for (size_t i = 0; i < once.size(); ++i) CHECK(split[i] == doctest::Approx(once[i]).epsilon(2e-4));
  }
  TrainerOptions uneven;
  uneven.accumulate = 3;
  CHECK(!Trainer::open("zoo:mnist_fc", data, uneven).ok());
}

TEST_CASE("less activation memory costs operations and trains to the same loss") {
  const ImageData data = stripes(64, 5);
  TrainerOptions options;
  options.batch = 32;
  options.run.threads = 1;
  options.run.budget_seconds = 0.05;
  auto points = checkpoint_frontier("zoo:mnist_cnn", options);
  REQUIRE_MESSAGE(points.ok(), (points.ok() ? "" : points.error().message));
  REQUIRE(points->size() > 1);
  CHECK((*points)[0].extra_flops == 0);
  for (size_t i = 1; i < points->size(); ++i) {
    CHECK((*points)[i].arena < (*points)[i - 1].arena);
    CHECK((*points)[i].extra_flops > 0);
  }
  const auto losses = [&](std::optional<Bytes> capacity) {
    options.run.capacity = capacity;
    auto trainer = opened("zoo:mnist_cnn", data, options);
    REQUIRE(trainer->epoch(data, 1e-3).ok());
    if (capacity) CHECK(trainer->step().plan().memory.arena_bytes <= *capacity);
    return trainer->losses();
  };
  const auto all = losses({}), spared = losses((*points)[1].arena);
  REQUIRE(all.size() == spared.size());
  CHECK(spared == all);  // bit by bit: what is computed again is computed from the same weights
  CHECK(losses(points->back().arena) == all);
  CHECK(!checkpoint_frontier("zoo:mul_mat", options).ok());
}

TEST_CASE("sorting data: digits, then the same digits sorted") {
  auto task = SortTask::create(3, 11, 3, 50);
  REQUIRE(task.ok());
  CHECK(task->count() == 50);
  std::vector<int64_t> numbers(11), targets(11), first;
  for (int64_t i = 0; i < 50; ++i) {
    task->put(i, reinterpret_cast<std::byte*>(numbers.data()), targets.data());
    std::vector<int64_t> sorted(numbers.begin(), numbers.begin() + 6);
    std::sort(sorted.begin(), sorted.end());
    for (size_t t = 0; t < 11; ++t) {
      CHECK(targets[t] == (t < 5 ? -1 : sorted[t - 5]));
      if (t > 5) CHECK(numbers[t] == sorted[t - 6]);
    }
    if (i == 0)
      first = numbers;
    else if (i == 1)
      CHECK(first != numbers);
  }
  CHECK(!SortTask::create(1, 10, 3).ok());
  CHECK(!SortTask::create(1, 1, 3).ok());
  CHECK(!open_dataset("sort:x", {11, 3}).ok());
  CHECK(!open_dataset("sort:1", {}).ok());
  CHECK(open_dataset("sort:1", {11, 3}).ok());
}

TEST_CASE("a GPT learns to sort") {
  auto data = SortTask::create(1, 11, 3, 512);
  auto other = SortTask::create(2, 11, 3, 128);
  REQUIRE((data.ok() && other.ok()));
  TrainerOptions options;
  options.batch = 64;
  options.run.fuse = true;
  options.optimizer.clip = 1;
  options.run.budget_seconds = 0.05;
  options.run.threads = 1;
  auto trainer = Trainer::open("zoo:nano_gpt", *data, options);
  REQUIRE_MESSAGE(trainer.ok(), (trainer.ok() ? "" : trainer.error().message));
  const double before = (*trainer)->measure(*other)->loss;
  CHECK(before > 0.9);
  for (int i = 0; i < 16; ++i) REQUIRE((*trainer)->epoch(*data, 3e-3).ok());
  CHECK((*trainer)->measure(*other)->loss < before / 3);
}

TEST_CASE("token data is cut into sequences, and faults are reported") {
  const auto path = scratch("tokens.bin");
  write(path, {0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 1, 0, 1, 0, 2, 0});
  auto text = TokenText::read(path.string(), 3);
  REQUIRE(text.ok());
  CHECK(text->count() == 2);
  std::vector<int64_t> numbers(3), targets(3);
  text->put(1, reinterpret_cast<std::byte*>(numbers.data()), targets.data());
  CHECK(numbers == std::vector<int64_t>{0, 2, 1});
  CHECK(targets == std::vector<int64_t>{2, 1, 1});
  TrainerOptions options;
  options.batch = 2;
  options.tokens = 3;
  options.run.threads = 1;
  options.run.budget_seconds = 0.05;
  auto trainer = Trainer::open("zoo:nano_gpt", *text, options);
  REQUIRE_MESSAGE(trainer.ok(), (trainer.ok() ? "" : trainer.error().message));
  auto measured = (*trainer)->epoch(*text, 1e-3);
  REQUIRE(measured.ok());
  CHECK(measured->loss > 0);
  const auto said = [&](const std::vector<uint8_t>& bytes, int64_t tokens) {
    write(path, bytes);
    auto read = TokenText::read(path.string(), tokens);
    if (!read) return read.error().message;
    auto opened = Trainer::open("zoo:nano_gpt", *read, options);
    return opened.ok() ? std::string("fine") : opened.error().message;
  };
  CHECK(said({0, 0, 1, 0, 2, 0, 9, 0}, 3).find("token 9 at position 3") != std::string::npos);
  CHECK(said({0, 0, 1}, 3).find("3 bytes") != std::string::npos);
  CHECK(said({0, 0, 1, 0}, 3).find("too few") != std::string::npos);
  options.tokens = 12;
  CHECK(said({0, 0, 1, 0, 2, 0, 0, 0}, 3).find("context length of 11 tokens") != std::string::npos);
  CHECK(!TokenText::read("/nonexistent/a.bin", 3).ok());
  std::filesystem::remove(path);
}

TEST_CASE("a NaN loss ends training, names the node and keeps the parameters") {
  const ImageData data = stripes(64, 5);
  TrainerOptions options;
  options.batch = 32;
  options.optimizer.kind = OptimizerKind::Sgd;
  auto trainer = opened("zoo:mnist_fc", data, options);
  const double rate = 1e30;
  Result<Measure> measured = trainer->epoch(data, rate);
  REQUIRE(!measured.ok());
  CHECK(measured.error().message.find("is not finite is") != std::string::npos);
  CHECK(measured.error().message.find('\n') == std::string::npos);
}

TEST_CASE("untrainable models are errors") {
  const ImageData data = stripes(40, 1);
  ImageData labelled = data;
  labelled.labels[7] = 10;
  auto outside = Trainer::open("zoo:mnist_fc", labelled, {});
  REQUIRE(!outside.ok());
  CHECK(outside.error().message.find("label 10 of image 7") != std::string::npos);
  ImageData small = data;
  small.sizes = {14, 28};
  small.labels.resize(80);
  CHECK(!Trainer::open("zoo:mnist_fc", small, {}).ok());
  CHECK(!Trainer::open("zoo:mul_mat", data, {}).ok());
  CHECK(!Trainer::open("zoo:unet", data, {}).ok());
  TrainerOptions bad;
  bad.optimizer.learning_rate = -1;
  CHECK(!Trainer::open("zoo:mnist_fc", data, bad).ok());
}

TEST_CASE("truncated or missing data is an error") {
  const auto images = scratch("images"), labels = scratch("labels");
  const auto said = [&](const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
    write(images, a), write(labels, b);
    auto data = read_images(images, labels);
    return data.ok() ? std::string("fine") : data.error().message;
  };
  CHECK(said(idx({10, 2, 3}, 60), idx({10}, 10)) == "fine");
  CHECK(said(idx({10, 2, 3}, 59), idx({10}, 10)).find("59 bytes of data for [10, 2, 3]") != std::string::npos);
  CHECK(said(idx({10, 2, 3}, 60), idx({9}, 9)).find("9 labels for the 10 images") != std::string::npos);
  CHECK(said(idx({0, 2, 3}, 0), idx({0}, 0)).find("it has no images") != std::string::npos);
  CHECK(said({0, 0, 8}, idx({9}, 9)).find("not an idx file") != std::string::npos);
  CHECK(said({0, 0, 8, 3, 0}, idx({9}, 9)).find("within its header") != std::string::npos);
  CHECK(said({0, 0, 13, 1, 0, 0, 0, 0}, idx({9}, 9)).find("not an idx file") != std::string::npos);
  CHECK(said({0x1F, 0x8B, 8, 0, 0}, idx({9}, 9)).find("arenascope_train_images") != std::string::npos);
  CHECK(said(idx({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, 4), idx({9}, 9)) != "fine");
  CHECK(!read_image_pair("one").ok());
  CHECK(!read_image_pair("/nonexistent/a,/nonexistent/b").ok());
  std::filesystem::remove(images);
  std::filesystem::remove(labels);
}

TEST_CASE("MNIST files are read, also compressed") {
  ARENASCOPE_NEEDS_DATA("models/mnist/t10k-images-idx3-ubyte.gz");
  const auto folder = data_folder() / "models" / "mnist";
  auto data = read_images(folder / "t10k-images-idx3-ubyte.gz", folder / "t10k-labels-idx1-ubyte.gz");
  REQUIRE_MESSAGE(data.ok(), (data.ok() ? "" : data.error().message));
  CHECK(data->count() == 10000);
  CHECK(data->numbers_each() == 784);
  CHECK(data->labels[0] == 7);
}
