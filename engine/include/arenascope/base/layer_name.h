// SPDX-License-Identifier: MIT
// Names of layers, the groups of nodes that the window collapses. One that lies within another has the other's name
// before its own: "Loop x / turn 3".
#pragma once
#include <string_view>

namespace arenascope {

constexpr std::string_view kWithinLayer = " / ";

// The layer that a layer lies in; empty: in none.
constexpr std::string_view layer_around(std::string_view layer) {
  const size_t at = layer.rfind(kWithinLayer);
  return at == std::string_view::npos ? std::string_view() : layer.substr(0, at);
}

// A layer's own name: "turn 3".
constexpr std::string_view layer_itself(std::string_view layer) {
  const size_t at = layer.rfind(kWithinLayer);
  return at == std::string_view::npos ? layer : layer.substr(at + kWithinLayer.size());
}

}  // namespace arenascope
