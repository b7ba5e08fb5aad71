// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/tables/object_parts.h>

#include <views/common/format.h>
#include <QCoreApplication>

namespace arenascope::views {
namespace {

using Kind = trace::ObjectPartKind;

struct PartTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

// Groups of four bytes, in memory order.
QString hex(const std::string& bytes) {
  QString out;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && i % 4 == 0) out += QLatin1Char(' ');
    out += QStringLiteral("%1").arg(static_cast<uint8_t>(bytes[i]), 2, 16, QLatin1Char('0'));
  }
  return out;
}

template <class List>
QString numbers(const List& list) {
  QStringList texts;
  for (size_t i = list.size(); i-- > 0;) texts << QString::number(list[i]);  // innermost first
  return texts.join(QStringLiteral(", "));
}

QString of_tensor(Kind kind, const trace::TensorInfo& t, const trace::GraphInfo* graph) {
  switch (kind) {
    case Kind::Type: return QString::fromStdString(t.dtype);
    case Kind::Op: return t.op.empty() ? QStringLiteral("NONE") : QString::fromStdString(t.op);
    case Kind::Flags: return DisplayNames::role(t);
    case Kind::Sizes: return numbers(t.shape);
    case Kind::Strides: return numbers(t.strides);
    case Kind::OpParams: {
      const QString text = QString::fromStdString(t.parameters), bytes = hex(t.op_params);
      return text.isEmpty() || bytes.isEmpty() ? text + bytes : text + QStringLiteral(" · ") + bytes;
    }
    case Kind::Sources: {
      QStringList texts;
      for (const trace::TensorRef source : t.sources) texts << tensor_text(source, graph);
      return texts.join(QStringLiteral(", "));
    }
    case Kind::Name: return QString::fromStdString(t.name);
    case Kind::View:
      return t.view_source.valid()
                 ? tensor_text(t.view_source, graph) + QStringLiteral(" + ") + QString::number(t.view_offset)
                 : QString();
    case Kind::Data: return format_bytes(t.bytes);
    default: return {};
  }
}

}  // namespace

QString tensor_text(trace::TensorRef ref, const trace::GraphInfo* graph) {
  if (graph != nullptr) {
    const auto& list = ref.is_leaf() ? graph->leafs : graph->nodes;
    if (ref.index() < list.size() && !list[ref.index()].name.empty())
      return QString::fromStdString(list[ref.index()].name);
  }
  return DisplayNames::node(ref);
}

QString part_name(Kind kind) {
  switch (kind) {
    case Kind::Type: return QStringLiteral("type");
    case Kind::Op: return QStringLiteral("op");
    case Kind::Flags: return QStringLiteral("flags");
    case Kind::Sizes: return QStringLiteral("ne");
    case Kind::Strides: return QStringLiteral("nb");
    case Kind::OpParams: return QStringLiteral("op_params");
    case Kind::Sources: return QStringLiteral("src");
    case Kind::Name: return QStringLiteral("name");
    case Kind::View: return QStringLiteral("view_src, view_offs");
    case Kind::Storage: return QStringLiteral("buffer, data");
    case Kind::References: return PartTexts::tr("references");
    case Kind::Data: return PartTexts::tr("data");
    case Kind::Padding: return PartTexts::tr("padding");
    case Kind::Nodes: return QStringLiteral("nodes");
    case Kind::Leafs: return QStringLiteral("leafs");
    case Kind::Gradients: return QStringLiteral("grads");
    case Kind::Accumulators: return QStringLiteral("grad_accs");
    case Kind::UseCounts: return QStringLiteral("use_counts");
    case Kind::HashSet: return QStringLiteral("visited_hash_set");
    case Kind::Counts: return PartTexts::tr("sizes and pointers");
    case Kind::Other: break;
  }
  return PartTexts::tr("other");
}

QString part_value(const trace::ObjectPart& part, const trace::TensorInfo* tensor, const trace::GraphInfo* graph) {
  const bool array = part.kind >= Kind::Nodes && part.kind <= Kind::HashSet;
  if (array) return PartTexts::tr("%1 used").arg(format_bytes(part.used));
  return tensor != nullptr ? of_tensor(part.kind, *tensor, graph) : QString();
}

QString parts_text(const trace::ObjectInfo& object, const trace::TensorInfo* tensor, const trace::GraphInfo* graph) {
  QStringList lines;
  for (const trace::ObjectPart& part : object.parts) {
    QString line =
        PartTexts::tr("+%1 %2: %3").arg(QString::number(part.offset), part_name(part.kind), format_bytes(part.bytes));
    if (const QString value = part_value(part, tensor, graph); !value.isEmpty()) line += QStringLiteral(", ") + value;
    lines << line;
  }
  return lines.join(QLatin1Char('\n'));
}

Bytes bytes_of(const trace::ObjectInfo& object, Kind kind) {
  Bytes sum = 0;
  for (const trace::ObjectPart& part : object.parts)
    if (part.kind == kind) sum += part.bytes;
  return sum;
}

}  // namespace arenascope::views
