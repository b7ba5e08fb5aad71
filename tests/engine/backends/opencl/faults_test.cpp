// SPDX-License-Identifier: MIT
// Device failures are reported as errors, and the program continues.
#include <fstream>
#include <map>

#include "engine/backends/opencl/tuner.h"

#include "network.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

const OpCase& case_of(Op op) {
  for (const OpCase& c : op_cases())
    if (c.op == op) return c;
  FAIL("no such case");
  return op_cases().front();
}

// The sentence that a case ends with.
std::string failure(Opened& device, Op op) {
  const auto d = difference(device, case_of(op));
  return d ? "" : d.error().message;
}

bool contains(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("arenascope_opencl_" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("a device out of memory reports the requested size, and continues when memory is free again") {
  auto faults = std::make_shared<opencl::Faults>();
  Opened device = open_device({}, faults);
  faults->allocations = 0;
  const std::string sentence = failure(device, Op::Relu);
  CHECK(contains(sentence, "out of memory while allocating"));
  CHECK(contains(sentence, "CL_MEM_OBJECT_ALLOCATION_FAILURE"));
  faults->allocations = -1;
  CHECK(failure(device, Op::Relu) == "");
}

TEST_CASE("a request above the device's largest allocation is an error") {
  Opened device = open_device();
  auto block = device.memory->allocate(device.backend->device(), MemoryKind::Workspace, Bytes{1} << 46, 64);
  REQUIRE(!block);
  CHECK(says(block.error(), "the largest allocation of"));
}

TEST_CASE("a lost device stays lost and another backend continues") {
  auto faults = std::make_shared<opencl::Faults>();
  Opened device = open_device({}, faults);
  faults->launches = 0;
  CHECK(contains(failure(device, Op::Relu), "is lost"));
  faults->launches = -1;
  CHECK(contains(failure(device, Op::Relu), "reopen the backend"));
  Opened another = open_device();
  CHECK(failure(another, Op::Relu) == "");
}

TEST_CASE("a kernel build failure is reported with the compiler log, and other kernels run") {
  auto faults = std::make_shared<opencl::Faults>();
  faults->broken_program = "windows";
  Opened device = open_device({}, faults);
  const std::string sentence = failure(device, Op::Lrn);
  CHECK(contains(sentence, "'windows'"));
  CHECK(contains(sentence, "does not build"));
  CHECK(contains(sentence, "broken by a test"));
  CHECK(failure(device, Op::Relu) == "");
}

TEST_CASE("an index out of range is one error with its value") {
  Opened device = open_device();
  auto context = Context::create({.mem_size = 1 << 20});
  REQUIRE(context);
  GraphBuilder g(*context);
  const Tensor table = g.input("table", {5, 2}), index = g.input("index", {2}, DType::I64);
  index.data_as<int64_t>()[0] = 4;
  index.data_as<int64_t>()[1] = 77;
  const Tensor out = g.op_with(Op::Gather, {table, index}, AxisParams{0});
  REQUIRE(g.ok());
  auto got = compute_on_device(*device.backend, *device.memory, {out, {{table}, {index}}});
  REQUIRE(!got);
  CHECK(says(got.error(), "77"));
  CHECK(failure(device, Op::Gather) == "");
}

TEST_CASE("unknown options are an error that lists the known ones") {
  for (const auto& [name, value, said] :
       {std::tuple("colour", "red", "tuning"), std::tuple("tuning", "very", "heavy"),
        std::tuple("device", "99", "no OpenCL device 99"), std::tuple("device", "x", "expected a number"),
        std::tuple("platform", "nobody's", "nobody's")}) {
    auto backend = opencl::open_opencl({{name, value}});
    REQUIRE(!backend);
    CHECK_MESSAGE(says(backend.error(), said), backend.error().message);
  }
}

TEST_CASE("compiled programs are cached on disk; damaged ones are rebuilt") {
  Folder folder;
  const BackendOptions options{{"cache", folder.path.string()}};
  const auto files = [&] {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path))
      if (entry.is_regular_file() && entry.path().filename().string().find("fast_pointwise") == 0)
        out.push_back(entry.path());
    return out;
  };
  {
    Opened device = open_device(options);
    CHECK(failure(device, Op::Relu) == "");
  }
  REQUIRE(files().size() == 1);
  const auto size = std::filesystem::file_size(files()[0]);
  {
    Opened device = open_device(options);
    CHECK(failure(device, Op::Relu) == "");
  }
  // Truncated, with flipped bits, and missing.
  for (int damage = 0; damage < 3; ++damage) {
    CAPTURE(damage);
    if (damage == 0) std::filesystem::resize_file(files()[0], size / 2);
    if (damage == 1) {
      std::fstream file(files()[0], std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(size / 2));
      file.write("damaged", 7);
    }
    if (damage == 2) std::ofstream(files()[0], std::ios::trunc) << "x";
    {
      Opened device = open_device(options);
      CHECK(failure(device, Op::Relu) == "");
    }
    REQUIRE(files().size() == 1);
    CHECK(std::filesystem::file_size(files()[0]) > size / 2);
  }
}

TEST_CASE("programs and tuning results of a device are saved in one file; the file of another device is refused") {
  Folder folder;
  const std::string from = (folder.path / "from").string(), to = (folder.path / "to").string(),
                    file = (folder.path / "cache.bin").string();
  const auto reported_by = [](Opened& device) {
    Network network;
    run(*on_device(device, network));
    return device.backend->drain_diagnostics().tunings;
  };
  std::vector<trace::TuningInfo> found;
  {
    Opened device = open_device({{"cache", from}, {"export-cache", file}, {"tuning", "normal"}});
    found = reported_by(device);
  }
  REQUIRE(!found.empty());
  for (const trace::TuningInfo& tuning : found) CHECK(!tuning.remembered);
  REQUIRE(std::filesystem::exists(file));
  const auto contents = [](const std::string& root) {
    std::map<std::string, uintmax_t> sizes;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
      if (entry.is_regular_file()) sizes[entry.path().filename().string()] = entry.file_size();
    return sizes;
  };
  {
    Opened device = open_device({{"cache", to}, {"import-cache", file}, {"tuning", "normal"}});
    CHECK(contents(to) == contents(from));
    // Every choice is the imported one: nothing is measured again.
    const auto used = reported_by(device);
    REQUIRE(used.size() == found.size());
    for (size_t i = 0; i < used.size(); ++i) {
      CHECK(used[i].remembered);
      CHECK(used[i].kernel == found[i].kernel);
      CHECK(used[i].local == found[i].local);
      CHECK(used[i].seconds == found[i].seconds);
    }
  }
  // Damaged in the middle, cut short, not there.
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(500).write("damaged", 7);
  for (int i = 0; i < 3; ++i) {
    auto refused = opencl::open_opencl({{"cache", to}, {"import-cache", file}}, nullptr);
    REQUIRE(!refused);
    CHECK(contains(refused.error().message, "cache.bin"));
    if (i == 0) std::filesystem::resize_file(file, 30);
    if (i == 1) std::filesystem::remove(file);
  }
}

TEST_CASE("queue power hints are used if the device supports them") {
  opencl::DeviceFacts facts;
  using Properties = std::vector<cl_queue_properties>;
  CHECK(opencl::queue_properties(facts, true, opencl::Power::High) ==
        Properties{CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0});
  facts.priority_hints = facts.throttle_hints = true;
  CHECK(opencl::queue_properties(facts, false, opencl::Power::Normal) == Properties{CL_QUEUE_PROPERTIES, 0, 0});
  CHECK(opencl::queue_properties(facts, false, opencl::Power::Low) ==
        Properties{CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_THROTTLE_KHR,
                   CL_QUEUE_THROTTLE_LOW_KHR, 0});
  for (const char* power : {"high", "low"}) {
    Opened device = open_device({{"power", power}});
    CHECK(failure(device, Op::Relu) == "");
  }
}

TEST_CASE("tuning results are kept, and damaged ones are measured again") {
  Folder folder;
  const std::string path = (folder.path / "tuning.bin").string();
  opencl::Tuner tuner(opencl::TuneLevel::Normal, path, "a device");
  CHECK(tuner.load());
  CHECK(tuner.choose_variant({"product", "64x64"}, 3, 0, [](int v) {
    return v == 1 ? 0.5 : v == 2 ? -1.0 : 0.75;
  }) == 1);
  CHECK(tuner.save());
  opencl::Tuner again(opencl::TuneLevel::Normal, path, "a device");
  CHECK(again.load());
  CHECK(again.choose_variant({"product", "64x64"}, 3, 0, [](int) { return 1.0; }) == 1);
  REQUIRE(again.results().size() == 1);
  const TuningResult kept = again.results()[0];
  CHECK(kept.kernel == "product");
  CHECK(kept.sizes == "64x64");
  CHECK(kept.choice == "way 2");  // counted from 1
  CHECK(kept.level == "normal");
  CHECK(kept.seconds == 0.5);
  CHECK(kept.tried == 3);
  // With what was tried, in the order in which it was.
  const auto notes = again.drain_diagnostics();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].remembered);
  REQUIRE(notes[0].candidates.size() == 3);
  CHECK(notes[0].candidates[0].seconds == 0.75);
  CHECK(notes[0].candidates[1].way == 1);
  CHECK(notes[0].candidates[2].seconds == -1.0);
  // Another level measures its own results, which are stored separately.
  opencl::Tuner wide(opencl::TuneLevel::Wide, path, "a device");
  CHECK(wide.load());
  CHECK(wide.choose_variant({"product", "64x64"}, 3, 0, [](int v) { return v == 2 ? 0.25 : 1.0; }) == 2);
  CHECK(wide.results().size() == 2);
  opencl::Tuner other(opencl::TuneLevel::Normal, path, "another device");
  CHECK(!other.load());
  std::filesystem::resize_file(path, 20);
  opencl::Tuner damaged(opencl::TuneLevel::Normal, path, "a device");
  CHECK(!damaged.load());
  CHECK(damaged.results().empty());
}

TEST_CASE("fast tuning reuses results of similar sizes") {
  auto runtime = opencl::Runtime::create({});
  REQUIRE(runtime.ok());
  cl_int code = CL_SUCCESS;
  const char* source = "__kernel void fill(__global float* to) { to[get_global_id(0)] = 1; }";
  opencl::ProgramHandle program(clCreateProgramWithSource((*runtime)->context(), 1, &source, nullptr, &code));
  REQUIRE(code == CL_SUCCESS);
  const cl_device_id id = (*runtime)->facts().device;
  REQUIRE(clBuildProgram(program.get(), 1, &id, "", nullptr, nullptr) == CL_SUCCESS);
  opencl::KernelHandle kernel(clCreateKernel(program.get(), "fill", &code));
  opencl::MemHandle buffer(clCreateBuffer((*runtime)->context(), CL_MEM_READ_WRITE, 1 << 20, nullptr, &code));
  cl_mem memory = buffer.get();
  REQUIRE(clSetKernelArg(kernel.get(), 0, sizeof memory, &memory) == CL_SUCCESS);
  opencl::Tuner tuner(opencl::TuneLevel::Fast, "", "a device");
  const auto choose = [&](size_t items) {
    const size_t sizes[3] = {items, 1, 1};
    size_t local[3] = {0, 0, 0};
    tuner.choose(**runtime, kernel.get(), "fill", 1, sizes, local);
    const auto notes = tuner.drain_diagnostics();
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].local[0] == local[0]);
    return notes[0];
  };
  const auto first = choose(4096), near = choose(5000), far = choose(16384);
  CHECK(first.nearest.empty());
  CHECK(first.tried == 2);
  REQUIRE(first.candidates.size() == 2);
  CHECK(near.nearest == "4096x1x1");
  CHECK(near.tried == 0);
  CHECK(near.local == first.local);
  CHECK(far.nearest.empty());
  CHECK(far.tried == 2);
}

TEST_CASE("higher tuning levels try more group sizes, all supported by the device") {
  const auto devices = opencl::find_devices();
  REQUIRE(devices);
  opencl::DeviceFacts facts = devices->front();
  for (bool cpu : {true, false}) {
    facts.type = cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
    facts.max_work_group = 256;
    size_t before = 0;
    for (int level = 0; level < 5; ++level) {
      const size_t sizes[3] = {100, 60, 1};
      const auto tried = opencl::Tuner::candidates(facts, static_cast<opencl::TuneLevel>(level), 2, sizes, 128);
      CHECK(tried.size() >= before);
      before = tried.size();
      for (const auto& c : tried) CHECK(c[0] * c[1] * c[2] <= 128);
    }
    CHECK(before > 3);
  }
}
