// SPDX-License-Identifier: MIT
// The built-in architectures in their real sizes, with seeded weights that are generated when they are needed.
// To add one: a function in a zoo_*.cpp that fills a ModelBuilder, declared in model_builder.h, and a line in zoo.cpp.
#pragma once
#include <arenascope/models/model.h>

#include <span>
#include <string_view>

namespace arenascope::models {

struct ZooEntry {
  const char* name;
  const char* description;
  Result<Model> (*build)(const OpenOptions& options);
  bool trains = false;  // OpenOptions::training makes it a training step
};

std::span<const ZooEntry> zoo();

// Errors: no such name (the message lists them), invalid options for it.
Result<Model> open_zoo(std::string_view name, const OpenOptions& options = {});

}  // namespace arenascope::models
