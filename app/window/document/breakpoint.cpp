// SPDX-License-Identifier: GPL-3.0-or-later
#include "breakpoint.h"

#include <views/common/format.h>
#include <QCoreApplication>
#include <QRegularExpression>

namespace arenascope::app {
namespace {
struct Texts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::Breakpoint)
};
}  // namespace

QString Breakpoint::describe() const {
  switch (kind) {
    case Kind::Node: return Texts::tr("node %1").arg(text);
    case Kind::Op: return Texts::tr("every %1").arg(text);
    case Kind::Name: return Texts::tr("names like %1").arg(text);
    case Kind::Bytes: return Texts::tr("results of %1 or more").arg(views::format_bytes(bytes));
    case Kind::NaN: return Texts::tr("NaN or infinity in a result");
  }
  return {};
}

QString Breakpoint::to_setting() const {
  const QString off = on ? QString() : QStringLiteral("-");
  switch (kind) {
    case Kind::Node: return off + QStringLiteral("node=") + text;
    case Kind::Op: return off + QStringLiteral("op=") + text;
    case Kind::Name: return off + QStringLiteral("name=") + text;
    case Kind::Bytes: return off + QStringLiteral("bytes>=%1").arg(bytes);
    case Kind::NaN: return off + QStringLiteral("nan");
  }
  return {};
}

std::optional<Breakpoint> Breakpoint::from_setting(const QString& setting) {
  Breakpoint b;
  QString text = setting.trimmed();
  if (text.startsWith(u'-')) {
    b.on = false;
    text = text.mid(1);
  }
  if (text.compare(u"nan", Qt::CaseInsensitive) == 0) {
    b.kind = Kind::NaN;
    return b;
  }
  if (text.startsWith(u"bytes>=")) {
    bool ok = false;
    b.kind = Kind::Bytes;
    b.bytes = text.mid(7).toLongLong(&ok);
    return ok && b.bytes >= 0 ? std::optional(b) : std::nullopt;
  }
  const qsizetype equals = text.indexOf(u'=');
  if (equals <= 0 || equals + 1 >= text.size()) return std::nullopt;
  const QString kind = text.first(equals);
  b.text = text.mid(equals + 1);
  if (kind == u"node")
    b.kind = Kind::Node;
  else if (kind == u"op")
    b.kind = Kind::Op;
  else if (kind == u"name")
    b.kind = Kind::Name;
  else
    return std::nullopt;
  return b;
}

namespace {

// The parts of a fused node, or the node itself.
std::vector<trace::PartInfo> parts_of(const trace::TensorInfo& node) {
  std::vector<trace::PartInfo> parts = node.parts;
  parts.push_back({node.op, node.op_number, node.name});
  return parts;
}

}  // namespace

std::set<NodeId> nodes_to_break(const trace::GraphInfo& graph, const std::vector<Breakpoint>& breakpoints) {
  std::set<NodeId> nodes;
  for (const Breakpoint& b : breakpoints) {
    if (!b.on || b.kind == Breakpoint::Kind::NaN) continue;
    const std::string name = b.text.toStdString(), op = b.text.toUpper().toStdString();
    // * and ? also match slashes, since node names are paths in many models.
    const QString escaped = QRegularExpression::escape(b.text)
                                .replace(QStringLiteral("\\*"), QStringLiteral(".*"))
                                .replace(QStringLiteral("\\?"), QStringLiteral("."));
    const QRegularExpression pattern(QRegularExpression::anchoredPattern(escaped),
                                     QRegularExpression::CaseInsensitiveOption);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const trace::TensorInfo& node = graph.nodes[i];
      bool hit = b.kind == Breakpoint::Kind::Bytes && node.bytes >= b.bytes;
      if (b.kind != Breakpoint::Kind::Bytes)
        for (const trace::PartInfo& part : parts_of(node))
          hit = hit || (b.kind == Breakpoint::Kind::Node ? part.name == name
                        : b.kind == Breakpoint::Kind::Op ? part.op == op
                                                         : pattern.match(QString::fromStdString(part.name)).hasMatch());
      if (hit) nodes.insert(NodeId(i));
    }
  }
  return nodes;
}

bool wants_nan(const std::vector<Breakpoint>& breakpoints) {
  for (const Breakpoint& b : breakpoints)
    if (b.on && b.kind == Breakpoint::Kind::NaN) return true;
  return false;
}

trace::Problem not_finite(NodeId node, trace::RunId run, const std::string& name) {
  trace::Problem problem;
  problem.kind = trace::ProblemKind::NotFinite;
  problem.sentence = "'" + name + "' holds NaN or infinities";
  problem.run = run;
  problem.node = node;
  return problem;
}

std::set<NodeId> nodes_not_finite(const trace::Snapshot& snapshot) {
  std::set<NodeId> nodes;
  for (size_t i = 0; i < snapshot.problems.size(); ++i)
    if (snapshot.problems[i].node.valid() && snapshot.problems[i].kind == trace::ProblemKind::NotFinite)
      nodes.insert(snapshot.problems[i].node);
  return nodes;
}

}  // namespace arenascope::app
