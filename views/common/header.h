// SPDX-License-Identifier: GPL-3.0-or-later
// The strip above a plot: title, key facts and legend. Legend entries show the second code (hatch or outline) of each
// colour. A legend that does not fit next to the facts gets rows of its own if the plot is tall enough.
#pragma once
#include <qcustomplot.h>
#include <views/common/figure.h>
#include <views/common/rect_plottable.h>

namespace arenascope::views {

struct LegendChip {
  enum class Shape : uint8_t { Box, Line, DashedLine, Triangle };
  QString text;
  RectStyle style;
  Shape shape = Shape::Box;
};

struct HeaderContent {
  QString title;      // bold
  QStringList facts;  // most important first; those that do not fit are omitted from the end
  std::vector<LegendChip> legend;
  std::vector<Figure> figures;  // every number in `facts`

  void add(FigureText fact) {
    facts << std::move(fact.text);
    figures.insert(figures.end(), fact.figures.begin(), fact.figures.end());
  }
};

class Header : public QCPLayoutElement {
 public:
  explicit Header(QCustomPlot* plot);
  void set_content(HeaderContent content);
  const HeaderContent& content() const { return content_; }
  void set_colours(const ThemeColours& colours) { colours_ = colours; }
  void update(UpdatePhase phase) override;

 protected:
  void applyDefaultAntialiasingHint(QCPPainter*) const override {}
  void draw(QCPPainter* painter) override;

 private:
  QFont bold() const;
  int facts_width() const;
  int chip_width(const LegendChip& chip) const;
  std::vector<int> rows_of_legend(QSize plot) const;  // per entry: 0 next to the facts, negative if it does not fit
  void draw_facts(QCPPainter* painter, int left, int right) const;
  void draw_chip(QCPPainter* painter, const QRect& box, const LegendChip& chip) const;
  HeaderContent content_;
  ThemeColours colours_ = ThemeColours::light();
};

}  // namespace arenascope::views
