// SPDX-License-Identifier: MIT
// arenascope-probe NAME FOLDER: writes the devices of the backend module in the folder to file descriptor 3, as fields
// that end with a zero byte (engine/runtime/probe_devices.cpp reads them). A driver that aborts ends this process only.
#include <arenascope/runtime/backend_module.h>

#include <cstdio>

#include "engine/runtime/probe_fields.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto module = arenascope::load_backend_module(argv[1], {argv[2]});
  if (!module) return 2;
  std::FILE* out = ::fdopen(arenascope::kProbeStream, "w");
  if (out == nullptr) return 2;
  const std::string fields = arenascope::probe_fields(module->devices());
  const bool written = std::fwrite(fields.data(), 1, fields.size(), out) == fields.size() && std::fclose(out) == 0;
  std::_Exit(written ? 0 : 2);  // the driver's exit handlers are not run
}
