// SPDX-License-Identifier: GPL-3.0-or-later
#include "value_reader.h"

#include <QCoreApplication>

#include <arenascope/run/runner.h>
#include <arenascope/tensor/floats.h>

namespace arenascope::app {
namespace {

struct ValueReader {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::ValueReader)
};

// Explains why a tensor of the arena has no values now: its memory is valid from its step to its last use only.
QString not_now(const Runner& runner, NodeId owner, int32_t next) {
  const int32_t steps = static_cast<int32_t>(runner.plan().steps.size());
  for (const PlannedTensor& planned : runner.plan().memory.tensors) {
    if (planned.node != owner) continue;
    if (next >= 0 && planned.first.value >= next) return ValueReader::tr("Not computed yet.");
    if (next < 0 ? planned.last.value < steps : planned.last.value < next)
      return ValueReader::tr("This memory has been reused. Pause right after this node to see its values.");
  }
  return {};
}

}  // namespace

ValuesAnswer read_values(Runner& runner, trace::TensorRef ref, int32_t paused_before) {
  const auto refuse = [](const QString& why) { return ValuesAnswer{nullptr, why}; };
  const Graph& graph = runner.plan().graph;
  const auto list = ref.is_leaf() ? graph.leafs() : graph.nodes();
  if (ref.index() >= list.size()) return refuse(ValueReader::tr("Unknown tensor."));
  const TensorImpl& tensor = *list[ref.index()];
  if (!floats_of(tensor.dtype, {})) return refuse(ValueReader::tr("Values of this type cannot be shown."));
  if (tensor.element_count() == 0 || tensor.data() == nullptr)
    return refuse(ValueReader::tr("The tensor has no memory at this point."));
  const NodeId owner = graph.find_node(tensor.is_view() ? *tensor.view_source : tensor);
  if (owner.valid() && runner.options().strategy == MemoryStrategy::Planned)
    if (const QString why = not_now(runner, owner, paused_before); !why.isEmpty()) return refuse(why);
  auto bytes = runner.read(tensor);
  if (!bytes) return refuse(QString::fromStdString(bytes.error().message));
  std::vector<int64_t> shape;
  for (int d = 0; d < tensor.rank(); ++d) shape.push_back(tensor.sizes[d]);
  auto numbers = floats_of(tensor.dtype, *bytes);
  return {std::make_shared<const views::TensorValues>(std::move(*numbers), std::move(shape)),
          QString::fromStdString(tensor.name.str())};
}

}  // namespace arenascope::app
