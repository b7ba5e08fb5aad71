// SPDX-License-Identifier: MIT
// Runs a generated ONNX file like the command line and returns its results as numbers.
#pragma once
#include <map>
#include <string>
#include <vector>

#include <arenascope/tensor/shape.h>

#include "tests/engine/models/onnx_maker.h"

namespace arenascope::test {

struct Given {
  std::string name;
  std::vector<double> numbers;
};
struct Results {
  std::string refused;  // why it cannot be opened or run; empty where it ran
  std::map<std::string, Dims> sizes;
  std::map<std::string, std::vector<double>> numbers;       // for strings: their indices into strings
  std::map<std::string, std::vector<std::string>> strings;  // results that are strings
};

// Numbers as the inputs' types have them; inputs that are not given have the values that a run gives them.
Results run_file(const models::test::OnnxMaker& maker, const std::vector<Given>& inputs,
                 const std::map<std::string, int64_t>& dims = {});

// Fails if a number deviates by more than `bound` times the largest expected one, or if the counts differ.
void check_near(const std::vector<double>& made, const std::vector<double>& expected, double bound = 1e-5);

}  // namespace arenascope::test
