// SPDX-License-Identifier: MIT
// What a recording says of the machine that a run ran on.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace arenascope {

std::string processor_name();               // as the system names it; empty where it does not
std::vector<int32_t> allowed_processors();  // those that the calling thread may run on
std::string build_text();                   // version, compiler, with or without assertions
// Tasks that run or want to, averaged over a minute; negative: not known. A read of a file: not for every short run.
double machine_load();

}  // namespace arenascope
