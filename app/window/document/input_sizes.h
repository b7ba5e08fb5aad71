// SPDX-License-Identifier: GPL-3.0-or-later
// Dynamic input dimensions of a model: values entered by the user, saved per file, and assumed values otherwise.
// Thread-safe.
#pragma once
#include <QString>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace arenascope::models {
struct Model;
}

namespace arenascope::app {

struct InputSize {
  QString label;    // "x, dimension 2 of 4", with the symbolic name of the file
  std::string key;  // as in models::OpenOptions::dims; empty for a value of an input, which only a file can set
  int64_t size = 1;
  bool assumed = false;  // not specified by the user
  bool operator==(const InputSize&) const = default;
};

// Settings group for a file or built-in model.
QString settings_group(const QString& prefix, const QString& spec);

// By key; empty if nothing is saved for the file.
std::map<std::string, int64_t> remembered_sizes(const QString& spec);
void remember_sizes(const QString& spec, const std::map<std::string, int64_t>& sizes);

// The dynamic dimensions of an open model, one per key, with their current values.
std::vector<InputSize> input_sizes(const models::Model& model);

// "x: dimension 2 = 224, …", for messages.
QString sizes_text(const std::vector<InputSize>& sizes);

}  // namespace arenascope::app
