// SPDX-License-Identifier: GPL-3.0-or-later
// The strip above a plot: what the view is, the facts of the moment, and the legend with each meaning's second code. A
// legend that does not fit beside the facts has rows of its own, where the plot is tall enough for them.
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
  QStringList facts;  // the most important first; what does not fit is left out from the end
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
  std::vector<int> rows_of_legend(QSize plot) const;  // of each entry: 0 beside the facts, below nought: no room
  void draw_facts(QCPPainter* painter, int left, int right) const;
  void draw_chip(QCPPainter* painter, const QRect& box, const LegendChip& chip) const;
  HeaderContent content_;
  ThemeColours colours_ = ThemeColours::light();
};

}  // namespace arenascope::views
