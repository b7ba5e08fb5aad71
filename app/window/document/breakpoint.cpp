// SPDX-License-Identifier: GPL-3.0-or-later
#include "breakpoint.h"

#include <views/common/format.h>
#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

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

// The names by which a node can be found: those of its tensor, of its fused parts and of its nodes in the file.
std::vector<std::string> names_of(const trace::TensorInfo& node) {
  std::vector<std::string> names{node.name};
  for (const trace::PartInfo& part : node.parts) names.push_back(part.name);
  for (const trace::FileNodeInfo& file_node : node.file_nodes) names.push_back(file_node.name);
  return names;
}

// Its ops, by the engine's name (SOFT_MAX) and by the file's (Softmax).
std::vector<std::string> ops_of(const trace::TensorInfo& node) {
  std::vector<std::string> ops{node.op};
  for (const trace::PartInfo& part : node.parts) ops.push_back(part.op);
  for (const trace::FileNodeInfo& file_node : node.file_nodes) ops.push_back(file_node.op);
  return ops;
}

// * and ? also match slashes, since node names are paths in many models.
QRegularExpression pattern_of(const QString& text) {
  const QString escaped = QRegularExpression::escape(text)
                              .replace(QStringLiteral("\\*"), QStringLiteral(".*"))
                              .replace(QStringLiteral("\\?"), QStringLiteral("."));
  return QRegularExpression(QRegularExpression::anchoredPattern(escaped), QRegularExpression::CaseInsensitiveOption);
}

}  // namespace

std::set<NodeId> nodes_to_break(const trace::GraphInfo& graph, const std::vector<Breakpoint>& breakpoints) {
  using Kind = Breakpoint::Kind;
  std::set<NodeId> nodes;
  for (const Breakpoint& b : breakpoints) {
    if (!b.on || b.kind == Kind::NaN) continue;
    const QRegularExpression pattern = pattern_of(b.text);
    const auto matches = [&](const std::string& name) {
      const QString text = QString::fromStdString(name);
      return b.kind == Kind::Node ? text == b.text
             : b.kind == Kind::Op ? text.compare(b.text, Qt::CaseInsensitive) == 0
                                  : pattern.match(text).hasMatch();
    };
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const trace::TensorInfo& node = graph.nodes[i];
      if (b.kind == Kind::Bytes ? node.bytes >= b.bytes
                                : std::ranges::any_of(b.kind == Kind::Op ? ops_of(node) : names_of(node), matches))
        nodes.insert(NodeId(i));
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
