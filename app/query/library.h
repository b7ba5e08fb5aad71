// SPDX-License-Identifier: GPL-3.0-or-later
// Named queries: the built-in ones, and the user's own, each a file NAME.sql in a folder. A file with the name of a
// built-in query replaces it.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/base/result.h>

namespace arenascope::query {

struct StoredQuery {
  std::string name;
  std::string meaning;  // of a file: its first line, if that is a comment
  std::string sql;
  bool own = false;
};

// $XDG_CONFIG_HOME/arenascope/queries, or ~/.config/arenascope/queries.
std::filesystem::path query_folder();
// The built-in queries, then those of the folder, sorted by name. Files that cannot be read are skipped.
std::vector<StoredQuery> stored_queries(const std::filesystem::path& folder);
// Errors: unknown name; the message lists the known ones.
Result<StoredQuery> find_query(std::string_view name, const std::filesystem::path& folder);
// Writes NAME.sql and creates the folder. Errors: a name with characters other than letters, digits, - and _; a file
// that cannot be written.
Status store_query(std::string_view name, std::string_view sql, const std::filesystem::path& folder);

}  // namespace arenascope::query
