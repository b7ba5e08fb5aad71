// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/verify_folder.h"

#include <algorithm>

#include <fmt/format.h>

namespace arenascope::app {
namespace {

namespace fs = std::filesystem;

bool is_test_case(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "model.onnx", error)) return false;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with("test_data_set_")) return true;
  return false;
}

}  // namespace

const char* name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed: return "passed";
    case Outcome::Rejected: return "rejected";
    case Outcome::Failed: break;
  }
  return "failed";
}

Result<std::vector<std::string>> find_test_cases(const fs::path& root) {
  std::error_code error;
  if (!fs::is_directory(root, error)) return Error{fmt::format("{} is not a directory", root.string())};
  std::vector<std::string> out;
  if (is_test_case(root)) out.emplace_back(".");
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error))
    if (at->is_directory(error) && !at->is_symlink(error) && is_test_case(at->path()))
      out.push_back(fs::relative(at->path(), root, error).string());
  if (error) return Error{fmt::format("{} cannot be read: {}", root.string(), error.message())};
  std::sort(out.begin(), out.end());
  return out;
}

FolderCase verify_case(const fs::path& root, const std::string& name, const VerifyOptions& options) {
  FolderCase out{name, Outcome::Rejected, ""};
  auto task = read_task((root / name).lexically_normal().string(), options);
  if (!task) {
    out.why = task.error().message;
    return out;
  }
  auto report = verify_model(std::move(*task));
  if (!report) {
    out.why = report.error().message;
    return out;
  }
  out.outcome = Outcome::Passed;
  for (const VerifiedCase& one : *report) {
    if (one.passed) continue;
    out.outcome = Outcome::Failed;
    out.why = one.note.empty() ? fmt::format("{}: max error {:.3g}", one.name, one.max_abs_error)
                               : fmt::format("{}: {}", one.name, one.note);
    break;
  }
  return out;
}

Result<FolderReport> verify_folder(const fs::path& root, const VerifyOptions& options,
                                   const std::function<void(size_t number, size_t count)>& begun) {
  auto names = find_test_cases(root);
  if (!names) return names.error();
  if (names->empty())
    return Error{
        fmt::format("{} contains no test cases (directories with model.onnx and test_data_set_0)", root.string())};
  FolderReport out;
  for (size_t i = 0; i < names->size(); ++i) {
    if (begun) begun(i, names->size());
    out.cases.push_back(verify_case(root, (*names)[i], options));
    const Outcome outcome = out.cases.back().outcome;
    ++(outcome == Outcome::Passed ? out.passed : outcome == Outcome::Rejected ? out.rejected : out.failed);
  }
  return out;
}

}  // namespace arenascope::app
