// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <arenascope/runtime/backend_module.h>

using namespace arenascope;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kFolders = {"/nowhere", TOY_MODULE_FOLDER};

bool says(const Error& error, const char* what) { return error.message.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("a module is found, lists its devices and opens one") {
  auto module = load_backend_module("toy", kFolders);
  REQUIRE(module);
  CHECK(module->backend() == "toy");
  const auto devices = module->devices();
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].device == "toy:0");
  CHECK(devices[0].facts == std::vector<std::pair<std::string, std::string>>{{"colour", "red"}});
  CHECK(devices[1].missing == "it is broken");
  auto backend = module->open({{"device", "0"}});
  REQUIRE(backend);
  CHECK((*backend)->name() == "toy");
  CHECK((*backend)->alignment() == 64);
  auto broken = module->open({{"device", "1"}});
  REQUIRE(!broken);
  CHECK(says(broken.error(), "toy:1 is broken"));
}

TEST_CASE("a probe lists the same devices, and survives a driver that ends the process") {
  auto module = load_backend_module("toy", kFolders);
  REQUIRE(module);
  const auto devices = module->devices();
  const auto probed = module->probe_devices();
  REQUIRE_MESSAGE(probed, (probed ? "" : probed.error().message));
  REQUIRE(probed->size() == devices.size());
  for (size_t i = 0; i < devices.size(); ++i) {
    CHECK((*probed)[i].device == devices[i].device);
    CHECK((*probed)[i].description == devices[i].description);
    CHECK((*probed)[i].missing == devices[i].missing);
    CHECK((*probed)[i].facts == devices[i].facts);
  }
  ::setenv("TOY_DRIVER", "abort", 1);
  const auto aborted = module->probe_devices();
  ::setenv("TOY_DRIVER", "exit", 1);
  const auto exited = module->probe_devices();
  ::unsetenv("TOY_DRIVER");
  REQUIRE(!aborted);
  CHECK(says(aborted.error(), "its driver crashed: signal 6"));
  REQUIRE(!exited);
  CHECK(says(exited.error(), "its driver ended the process with status 3"));
}

TEST_CASE("a module's device measurements are returned, or the reason for none") {
  auto module = load_backend_module("toy", kFolders);
  REQUIRE(module);
  for (const bool quick : {true, false}) {
    int figures = 0;
    const Status done = module->measure({}, quick, [&](const arenascope_measurement& figure) {
      ++figures;
      CHECK(std::string_view(figure.name) == "sums");
      CHECK(figure.value == (quick ? 1 : 2));
      CHECK(std::string_view(figure.peer) == "a peer");
    });
    CHECK(done.ok());
    CHECK(figures == 1);
  }
  const Status refused = module->measure({{"device", "0"}}, true, [](const arenascope_measurement&) { CHECK(false); });
  REQUIRE(!refused);
  CHECK(says(refused.error(), "a toy is measured without options"));
}

TEST_CASE("a missing or invalid module is an error with its name") {
  auto missing = load_backend_module("toy", {"/nowhere"});
  REQUIRE(!missing);
  CHECK(says(missing.error(), "arenascope-toy.so"));
  CHECK(says(missing.error(), "/nowhere"));

  const fs::path folder = fs::temp_directory_path() / ("arenascope_modules_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "arenascope-text.so") << "not a library";
  auto text = load_backend_module("text", {folder.string()});
  REQUIRE(!text);
  CHECK(says(text.error(), "cannot be loaded"));
  // A module under another backend's name.
  fs::copy_file(fs::path(TOY_MODULE_FOLDER) / "arenascope-toy.so", folder / "arenascope-other.so");
  auto other = load_backend_module("other", {folder.string()});
  REQUIRE(!other);
  CHECK(says(other.error(), "is for toy"));
  fs::remove_all(folder);
}

TEST_CASE("folders of the environment come first, then the program's own") {
  ::setenv("ARENASCOPE_MODULES", "/first::/second", 1);
  const auto folders = backend_module_folders();
  ::unsetenv("ARENASCOPE_MODULES");
  REQUIRE(folders.size() >= 4);
  CHECK(folders[0] == "/first");
  CHECK(folders[1] == "/second");
  CHECK(backend_module_folders().size() == folders.size() - 2);
}
