// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a recording, trace or model that an answer does not cover.
#pragma once
#include <string>

#include <arenascope/models/model.h>
#include <arenascope/trace/snapshot.h>

namespace arenascope::app {

// One message about events that are missing: damaged, unreadable or lost while they were recorded; "" for none. Notes
// about a sound file are none.
std::string left_out(const trace::Snapshot& snapshot);
// The same as an error of a command, which names the file.
std::string left_out(const trace::Snapshot& snapshot, const std::string& file);

// Nodes that cannot be computed and tensors of unknown size: "1 of 8 nodes cannot be computed, 2 tensors of unknown size";
// empty for a complete model.
std::string left_out(const models::Model& model);

}  // namespace arenascope::app
