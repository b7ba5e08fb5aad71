// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors of a model file as `info` shows them: totals, a histogram by type and one by layer, and a list.
#pragma once
#include <arenascope/models/model.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

// True for formats that store tensors and metadata without a graph of operators.
bool lists_file_tensors(const models::Model& model);

// Adds "tensor_count", "tensor_bytes", "metadata_keys", "tensor_types", "tensor_layers" and "tensors".
void add_file_tensors(Json& object, const models::Model& model);

// One line per type and layer; with `list` also one per tensor.
void print_file_tensors(const models::Model& model, bool list);

}  // namespace arenascope::cli
