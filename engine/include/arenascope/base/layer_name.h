// SPDX-License-Identifier: MIT
// Names of layers, the groups of nodes that the window can collapse. The name of a nested layer is prefixed with that
// of the enclosing layer: "Loop x / iteration 3".
#pragma once
#include <string_view>

namespace arenascope {

constexpr std::string_view kWithinLayer = " / ";

// The enclosing layer; empty for a top-level layer.
constexpr std::string_view layer_around(std::string_view layer) {
  const size_t at = layer.rfind(kWithinLayer);
  return at == std::string_view::npos ? std::string_view() : layer.substr(0, at);
}

// A layer's own name: "iteration 3".
constexpr std::string_view layer_itself(std::string_view layer) {
  const size_t at = layer.rfind(kWithinLayer);
  return at == std::string_view::npos ? layer : layer.substr(at + kWithinLayer.size());
}

}  // namespace arenascope
