// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/space_menu.h>

#include <QActionGroup>
#include <QCoreApplication>
#include <QMenu>
#include <set>

namespace arenascope::views {

namespace {
struct SpaceMenuTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Spaces)
};
}  // namespace

void add_space_choices(QMenu& menu, const QString& title, const SessionSource& source, ArenaMode show,
                       const SpaceChoice& choice, const std::function<void(ArenaMode, const SpaceChoice&)>& chosen) {
  const trace::Snapshot& s = *source.snapshot();
  std::set<uint32_t> allocators;
  for (size_t i = 0; i < s.spaces.size(); ++i) allocators.insert(s.spaces[i].allocator);
  for (const trace::Space& space : s.open_spaces) allocators.insert(space.allocator);
  QMenu* spaces = menu.addMenu(title);
  auto* group = new QActionGroup(spaces);
  const auto add = [&](const QString& text, ArenaMode to_show, const SpaceChoice& to_choose) {
    QAction* action = spaces->addAction(text);
    action->setCheckable(true);
    action->setChecked(to_show == show && to_choose == choice);
    group->addAction(action);
    QObject::connect(action, &QAction::triggered, spaces, [=] { chosen(to_show, to_choose); });
  };
  using Of = SpaceChoice::Of;
  add(SpaceMenuTexts::tr("Memory of the Run's Tensors"), ArenaMode::Auto, {});
  if (source.plan() != nullptr) add(SpaceMenuTexts::tr("Plan Arena"), ArenaMode::Arena, {});
  if (allocators.empty()) return;
  add(SpaceMenuTexts::tr("All Spaces Except Weights"), ArenaMode::Spaces, {Of::Working, 0});
  add(SpaceMenuTexts::tr("All Spaces"), ArenaMode::Spaces, {Of::All, 0});
  spaces->addSeparator();
  for (const uint32_t id : allocators) add(allocator_name(s, id), ArenaMode::Spaces, {Of::Allocator, id});
}

}  // namespace arenascope::views
