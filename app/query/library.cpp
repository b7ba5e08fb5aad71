// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/library.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <arenascope/base/folder_entries.h>
#include <arenascope/base/output_file.h>
#include <arenascope/base/printable.h>
#include <fmt/format.h>

#include "app/query/tables.h"

namespace arenascope::query {
namespace {

constexpr size_t kMaxQueryBytes = size_t{1} << 20;

bool is_query_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (std::isalnum(byte) != 0) || c == '-' || c == '_';
  });
}

std::vector<StoredQuery> own_queries(const std::filesystem::path& folder) {
  std::vector<StoredQuery> out;
  std::error_code unreadable;
  for (const std::filesystem::directory_entry& entry : folder_entries(folder)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".sql" || !is_query_name(name) || !entry.is_regular_file(unreadable) ||
        entry.file_size(unreadable) > kMaxQueryBytes)
      continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string sql((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.good() && !file.eof()) continue;
    std::string meaning;
    if (sql.starts_with("--")) {
      meaning = sql.substr(2, sql.find('\n') - 2);
      meaning.erase(0, meaning.find_first_not_of(" -"));
      meaning.erase(meaning.find_last_not_of(" \t\r") + 1);
    }
    sql.erase(sql.find_last_not_of(" \n\r\t") + 1);
    if (!sql.empty()) out.push_back({name, meaning, std::move(sql), true});
  }
  std::ranges::sort(out, {}, &StoredQuery::name);
  return out;
}

}  // namespace

std::filesystem::path query_folder() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path base = config != nullptr && config[0] == '/'
                                         ? std::filesystem::path(config)
                                         : std::filesystem::path(home != nullptr ? home : "") / ".config";
  return base / "arenascope" / "queries";
}

std::vector<StoredQuery> stored_queries(const std::filesystem::path& folder) {
  const std::vector<StoredQuery> own = own_queries(folder);
  std::vector<StoredQuery> out;
  for (const NamedQuery& named : named_queries())
    if (std::ranges::find(own, named.name, &StoredQuery::name) == own.end())
      out.push_back({named.name, named.meaning, named.sql, false});
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

Result<StoredQuery> find_query(std::string_view name, const std::filesystem::path& folder) {
  const std::vector<StoredQuery> all = stored_queries(folder);
  const auto found = std::ranges::find(all, name, &StoredQuery::name);
  if (found != all.end()) return *found;
  std::string names;
  for (const StoredQuery& query : all) names += " " + query.name;
  return Error{fmt::format("unknown query '{}'; available:{}", printable(name), names)};
}

Status store_query(std::string_view name, std::string_view sql, const std::filesystem::path& folder) {
  if (!is_query_name(name))
    return Error{fmt::format("name of a query: expected letters, digits, - and _, found '{}'", printable(name))};
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{fmt::format("cannot create the folder {}: {}", folder.string(), failed.message())};
  std::string text(sql);
  if (!text.ends_with('\n')) text += '\n';
  return OutputFile::write_all(folder / (std::string(name) + ".sql"), text);
}

}  // namespace arenascope::query
