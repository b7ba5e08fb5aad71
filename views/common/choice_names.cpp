// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/choice_names.h>

#include <QCoreApplication>
#include <QtGlobal>

#include <algorithm>
#include <array>

namespace arenascope::views {

namespace {

constexpr auto kPlanners = std::to_array<const char*>({
    QT_TRANSLATE_NOOP("Planner", "none"),
    QT_TRANSLATE_NOOP("Planner", "given"),
    QT_TRANSLATE_NOOP("Planner", "max-block"),
    QT_TRANSLATE_NOOP("Planner", "binary-block"),
    QT_TRANSLATE_NOOP("Planner", "two-level"),
    QT_TRANSLATE_NOOP("Planner", "best-fit-online"),
    QT_TRANSLATE_NOOP("Planner", "greedy-by-size"),
    QT_TRANSLATE_NOOP("Planner", "first-fit-by-time"),
    QT_TRANSLATE_NOOP("Planner", "first-fit-by-size"),
    QT_TRANSLATE_NOOP("Planner", "first-fit-by-area"),
    QT_TRANSLATE_NOOP("Planner", "first-fit-by-length"),
    QT_TRANSLATE_NOOP("Planner", "best-fit-by-time"),
    QT_TRANSLATE_NOOP("Planner", "best-fit-by-area"),
    QT_TRANSLATE_NOOP("Planner", "global-decreasing-size-best-fit"),
    QT_TRANSLATE_NOOP("Planner", "hybrid"),
    QT_TRANSLATE_NOOP("Planner", "search"),
});
constexpr auto kOrders = std::to_array<const char*>({
    QT_TRANSLATE_NOOP("Order", "depth-first"),
    QT_TRANSLATE_NOOP("Order", "breadth-first"),
    QT_TRANSLATE_NOOP("Order", "reverse-depth-first"),
    QT_TRANSLATE_NOOP("Order", "ge"),
    QT_TRANSLATE_NOOP("Order", "least-peak-first"),
    QT_TRANSLATE_NOOP("Order", "least-peak-late"),
    QT_TRANSLATE_NOOP("Order", "search"),
});

QString text_of(const char* context, std::string_view name, const auto& known) {
  const auto found = std::ranges::find(known, name, [](const char* each) { return std::string_view(each); });
  return found != known.end() ? QCoreApplication::translate(context, *found)
                              : QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

}  // namespace

QString planner_text(std::string_view name) { return text_of("Planner", name, kPlanners); }
QString order_text(std::string_view name) { return text_of("Order", name, kOrders); }

}  // namespace arenascope::views
