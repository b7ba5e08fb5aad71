// SPDX-License-Identifier: MIT
#include <arenascope/memory/available_memory.h>
#include <arenascope/memory/execution_context.h>
#include <arenascope/memory/page_range.h>
#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

using namespace arenascope;

namespace {

namespace fs = std::filesystem;

// A folder that stands for the root of a machine.
struct Machine {
  fs::path root = fs::temp_directory_path() / ("arenascope_machine_" + std::to_string(getpid()));
  Machine() { fs::remove_all(root); }
  ~Machine() { fs::remove_all(root); }
  void file(const std::string& path, const std::string& text) const {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  AvailableMemory available(Bytes addresses = kUnknownMemory) const { return available_memory(root, addresses); }
};

constexpr Bytes kMiB = Bytes{1} << 20;
const char* const kMeminfo = "MemTotal:       24000000 kB\nMemFree:         1000000 kB\nMemAvailable:   20000000 kB\n";

}  // namespace

TEST_CASE("available memory is the minimum over the machine, its cgroups and the address space") {
  const Machine machine;
  CHECK(machine.available().bytes == kUnknownMemory);  // no file is there
  machine.file("proc/meminfo", kMeminfo);
  CHECK(machine.available().bytes == Bytes{20000000} * 1024);
  CHECK(machine.available().limit == Bytes{24000000} * 1024);

  SUBCASE("version 2: the limit of a group above holds, and pages of files can be dropped") {
    machine.file("proc/self/cgroup", "0::/user.slice/app.scope\n");
    machine.file("sys/fs/cgroup/user.slice/app.scope/memory.max", "max\n");
    machine.file("sys/fs/cgroup/user.slice/app.scope/memory.current", "1000\n");
    machine.file("sys/fs/cgroup/user.slice/memory.max", std::to_string(512 * kMiB) + "\n");
    machine.file("sys/fs/cgroup/user.slice/memory.current", std::to_string(200 * kMiB) + "\n");
    machine.file("sys/fs/cgroup/user.slice/memory.stat",
                 "anon 5\ninactive_file " + std::to_string(50 * kMiB) + "\nactive_file 7\n");
    CHECK(machine.available().bytes == 362 * kMiB);
    CHECK(machine.available().limit == 512 * kMiB);
    CHECK(std::string(machine.available().source) == "cgroup limit");
  }
  SUBCASE("version 2 in a container, whose own group is the root") {
    machine.file("proc/self/cgroup", "0::/\n");
    machine.file("sys/fs/cgroup/memory.max", std::to_string(512 * kMiB) + "\n");
    machine.file("sys/fs/cgroup/memory.current", std::to_string(600 * kMiB) + "\n");
    CHECK(machine.available().bytes == 0);
  }
  SUBCASE("version 1") {
    machine.file("proc/self/cgroup", "12:cpu,cpuacct:/docker/1\n9:memory:/docker/1\n");
    machine.file("sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", std::to_string(300 * kMiB) + "\n");
    machine.file("sys/fs/cgroup/memory/docker/1/memory.usage_in_bytes", std::to_string(100 * kMiB) + "\n");
    machine.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
    machine.file("sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n");
    CHECK(machine.available().bytes == 200 * kMiB);
  }
  SUBCASE("address space") {
    machine.file("proc/self/status", "Name:\tx\nVmSize:\t  102400 kB\n");
    CHECK(machine.available(400 * kMiB).bytes == 300 * kMiB);
    CHECK(std::string(machine.available(400 * kMiB).source) == "address-space limit");
  }
  SUBCASE("files that make no sense limit nothing") {
    machine.file("proc/self/cgroup", "nonsense\n0::/../../etc\n");
    machine.file("sys/fs/cgroup/memory.max", "-5\n");
    machine.file("sys/fs/cgroup/memory.current", "many\n");
    CHECK(machine.available().bytes == Bytes{20000000} * 1024);
  }
}

TEST_CASE("a request beyond the available memory is an error with all figures") {
  const AvailableMemory available{Bytes{21'300'000'000}, Bytes{24'000'000'000}, "memory of the machine"};
  CHECK(check_available("llama_7b", Bytes{21'300'000'000}, available).ok());
  const auto refused = check_available("llama_7b", Bytes{26'950'000'000}, available);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message ==
        "llama_7b needs 25.1 GiB of memory, and 19.8 GiB are free (memory of the machine, 22.4 GiB in all)");
  CHECK(check_available("x", INT64_MAX - 1, AvailableMemory{}).ok());
}

TEST_CASE("all address ranges together stay within a quarter of the address-space limit") {
  const pid_t child = fork();  // a limit cannot be taken back
  if (child == 0) {
    const Bytes limit = 4096 * kMiB;
    rlimit given{static_cast<rlim_t>(limit), static_cast<rlim_t>(limit)};
    if (setrlimit(RLIMIT_AS, &given) != 0) _exit(0);
    Bytes sum = 0;
    for (int i = 0; i < 4; ++i) {
      const Bytes capacity = (new PageRange(Bytes{1} << 38))->capacity();
      if (capacity <= 0) _exit(3);
      sum += capacity;
    }
    if (sum > limit / 4) _exit(1);
    void* much = std::malloc(static_cast<size_t>(limit / 2));  // the rest is there for others
    _exit(sum > 0 && much != nullptr ? 0 : 2);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a stopped context refuses memory until the stop token is reset") {
  const auto context = make_cpu_context();
  std::stop_source stop;
  context->set_stop(stop.get_token());
  CHECK(context->allocate({}, MemoryKind::Default, 100).ok());
  stop.request_stop();
  const auto refused = context->allocate({}, MemoryKind::Persistent, 100);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "it was cancelled");
  context->set_stop({});
  CHECK(context->allocate({}, MemoryKind::Persistent, 100).ok());
}
