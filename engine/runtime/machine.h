// SPDX-License-Identifier: MIT
// Properties of the machine that are stored in a recording.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace arenascope {

std::string processor_name();               // model name; empty if unknown
std::vector<int32_t> allowed_processors();  // affinity of the calling thread
std::string build_text();                   // version, compiler, with or without assertions
// Load average over one minute; negative: unknown. Reads a file: too slow for every short run.
double machine_load();

}  // namespace arenascope
