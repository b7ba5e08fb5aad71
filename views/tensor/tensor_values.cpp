// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/tensor/tensor_values.h>

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace arenascope::views {

TensorStats stats_of(std::span<const float> values, const std::stop_token& stop) {
  TensorStats s;
  s.count = static_cast<int64_t>(values.size());
  double sum = 0, squares = 0, min = std::numeric_limits<double>::infinity(), max = -min;
  double shift =
      0;  // squares are taken relative to the first finite value, so that a large mean does not cancel digits
  bool any = false;
  for (size_t i = 0; i < values.size(); ++i) {
    if ((i & 0xfffff) == 0 && stop.stop_requested()) return {};
    const auto v = static_cast<double>(values[i]);
    if (std::isnan(v)) {
      ++s.nan;
    } else if (std::isinf(v)) {
      ++(v > 0 ? s.plus_inf : s.minus_inf);
    } else {
      if (!any) shift = v;
      any = true;
      if (v == 0) ++s.zeros;
      min = std::min(min, v);
      max = std::max(max, v);
      sum += v - shift;
      squares += (v - shift) * (v - shift);
    }
  }
  if (!any) return s;
  const auto n = static_cast<double>(s.finite());
  s.min = min;
  s.max = max;
  s.mean = shift + sum / n;
  s.deviation = std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0));
  return s;
}

int64_t Histogram::most() const { return bins.empty() ? 0 : *std::max_element(bins.begin(), bins.end()); }

double Histogram::edge(size_t bin) const {
  return bins.empty() ? lo : lo + (hi - lo) * static_cast<double>(bin) / static_cast<double>(bins.size());
}

Histogram histogram_of(std::span<const float> values, const TensorStats& stats, int bins, const std::stop_token& stop) {
  Histogram h;
  if (stats.finite() <= 0 || bins <= 0) return h;
  h.lo = stats.min;
  h.hi = stats.max;
  if (!(h.hi > h.lo)) {  // all values are equal
    const double half = std::max(std::abs(h.lo) * 0.01, 1e-6);
    h.lo -= half;
    h.hi += half;
    bins = 1;
  }
  h.bins.assign(static_cast<size_t>(bins), 0);
  const double scale = bins / (h.hi - h.lo);
  for (size_t i = 0; i < values.size(); ++i) {
    if ((i & 0xfffff) == 0 && stop.stop_requested()) return {};
    const auto v = static_cast<double>(values[i]);
    if (!std::isfinite(v)) continue;
    const double bin = std::clamp((v - h.lo) * scale, 0.0, static_cast<double>(bins - 1));
    ++h.bins[static_cast<size_t>(bin)];
  }
  return h;
}

TensorValues::TensorValues(std::vector<float> values, std::vector<int64_t> shape)
    : values_(std::move(values)), shape_(std::move(shape)) {
  const auto have = static_cast<int64_t>(values_.size());
  int64_t product = 1;
  for (const int64_t d : shape_) {
    if (d < 0 || (d > 0 && product > have / d)) {
      product = -1;
      break;
    }
    product *= d;
  }
  if (product < 0 || product > have) {
    shape_ = {have};
  } else {
    values_.resize(static_cast<size_t>(product));
  }
  const auto total = static_cast<int64_t>(values_.size());
  columns_ = shape_.empty() ? total : shape_.back();
  rows_ = shape_.size() >= 2 ? shape_[shape_.size() - 2] : (total > 0 ? 1 : 0);
  if (columns_ == 0 || rows_ == 0) columns_ = rows_ = 0;
  slices_ = rows_ > 0 ? total / (rows_ * columns_) : 0;
}

QString TensorValues::slice_name(int64_t slice) const {
  QStringList parts;
  for (size_t d = shape_.size(); d-- > 0;) {
    if (d + 2 >= shape_.size()) {
      parts.prepend(QStringLiteral(":"));
    } else {
      const int64_t n = std::max<int64_t>(shape_[d], 1);
      parts.prepend(QString::number(slice % n));
      slice /= n;
    }
  }
  return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

namespace {

struct Stop {
  double at;
  int r, g, b;
};

// A sequential scale with even lightness steps, and a diverging scale of two hues that meet in a neutral one.
constexpr std::array<Stop, 5> kRising = {
    {{0, 12, 20, 60}, {0.3, 0, 90, 140}, {0.6, 0, 158, 115}, {0.85, 200, 200, 60}, {1, 252, 246, 190}}};
constexpr std::array<Stop, 5> kBothLight = {
    {{0, 0, 75, 130}, {0.25, 86, 180, 233}, {0.5, 246, 246, 246}, {0.75, 230, 130, 40}, {1, 150, 50, 0}}};
constexpr std::array<Stop, 5> kBothDark = {
    {{0, 120, 200, 250}, {0.25, 0, 114, 178}, {0.5, 28, 30, 34}, {0.75, 190, 80, 0}, {1, 255, 180, 90}}};

QRgb along(const std::array<Stop, 5>& stops, double t) {
  t = std::clamp(t, 0.0, 1.0);
  size_t i = 1;
  while (i + 1 < stops.size() && stops[i].at < t) ++i;
  const Stop &a = stops[i - 1], &b = stops[i];
  const double f = (t - a.at) / (b.at - a.at);
  const auto mix = [f](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * f)); };
  return qRgb(mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b));
}

}  // namespace

QRgb heat_colour(double value, const TensorStats& stats, const ThemeColours& colours) {
  if (std::isnan(value)) return qRgb(255, 0, 255);
  if (std::isinf(value)) return value > 0 ? qRgb(255, 0, 0) : qRgb(0, 0, 255);
  if (stats.min < 0 && stats.max > 0) {
    const double most = std::max(-stats.min, stats.max);
    return along(colours.dark ? kBothDark : kBothLight, 0.5 + value / most / 2);
  }
  return along(kRising, stats.max > stats.min ? (value - stats.min) / (stats.max - stats.min) : 0.5);
}

QImage heat_map(const TensorValues& values, int64_t slice, const TensorStats& stats, const ThemeColours& colours,
                int most) {
  if (slice < 0 || slice >= values.slices() || most <= 0) return {};
  const auto width = static_cast<int>(std::min<int64_t>(values.columns(), most));
  const auto height = static_cast<int>(std::min<int64_t>(values.rows(), most));
  QImage image(width, height, QImage::Format_RGB32);
  if (image.isNull()) return image;
  for (int y = 0; y < height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    const int64_t r0 = values.rows() * y / height, r1 = std::max(values.rows() * (y + 1) / height, r0 + 1);
    for (int x = 0; x < width; ++x) {
      const int64_t c0 = values.columns() * x / width, c1 = std::max(values.columns() * (x + 1) / width, c0 + 1);
      double sum = 0;
      double odd = 0;  // a NaN or infinity takes precedence over its neighbours
      bool any_odd = false;
      for (int64_t r = r0; r < r1; ++r) {
        for (int64_t c = c0; c < c1; ++c) {
          const auto v = static_cast<double>(values.at(slice, r, c));
          if (!std::isfinite(v)) {
            odd = v;
            any_odd = true;
          }
          sum += v;
        }
      }
      line[x] = heat_colour(any_odd ? odd : sum / static_cast<double>((r1 - r0) * (c1 - c0)), stats, colours);
    }
  }
  return image;
}

}  // namespace arenascope::views
