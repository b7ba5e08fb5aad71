// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of a model's inputs that its file leaves open: what the user gave them, remembered by file, and what is assumed
// where nobody has. Thread-safe.
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
  QString label;    // "x, dimension 2 of 4", with what the file calls it
  std::string key;  // as models::OpenOptions::dims has it; empty of an input's value, which only a file tells
  int64_t size = 1;
  bool assumed = false;  // nobody said it
  bool operator==(const InputSize&) const = default;
};

// Where settings keep what is remembered of a file or a built-in model.
QString settings_group(const QString& prefix, const QString& spec);

// By key; empty for a file of which nothing is remembered.
std::map<std::string, int64_t> remembered_sizes(const QString& spec);
void remember_sizes(const QString& spec, const std::map<std::string, int64_t>& sizes);

// What an open model leaves open, one for each key, and what it has now.
std::vector<InputSize> input_sizes(const models::Model& model);

// "x: dimension 2 = 224, …": for a message.
QString sizes_text(const std::vector<InputSize>& sizes);

}  // namespace arenascope::app
