// SPDX-License-Identifier: MIT
// Streams the records of JSON traces and profiles: objects whose members, and the members of whose object members, are
// scalars. Memory is bounded by the largest record, and no tree is built: the destructor of nlohmann::json allocates, so
// that a tree cannot be destroyed after memory has run out.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::trace {

struct JsonScalar {
  enum class Type : uint8_t { None, Text, Boolean, Integer, Real };
  Type type = Type::None;
  std::string text;     // of a Real, the number as written
  int64_t integer = 0;  // of a Boolean, 0 or 1
  double real = 0;

  bool is_number() const { return type == Type::Integer || type == Type::Real; }
  double number() const { return type == Type::Integer ? static_cast<double>(integer) : real; }
  std::string as_text() const;  // "" for None and Boolean
};

// The decimal number times 10^power, rounded to nearest; none if `number` is not a number or does not fit. Exact, unlike
// a double, which cannot hold nanoseconds since 1970.
std::optional<int64_t> scaled_decimal(std::string_view number, int power);

class JsonRecord {
 public:
  struct Member {
    std::string parent, key;  // `parent`: the object member that contains it; "": the record itself
    JsonScalar value;
  };
  // The last member of that name; a scalar without a type if there is none.
  const JsonScalar& operator[](std::string_view key) const { return of({}, key); }
  const JsonScalar& of(std::string_view parent, std::string_view key) const;
  const std::vector<Member>& members() const { return members_; }

  void clear() { members_.clear(); }
  // False: the record has too many members.
  bool add(std::string_view parent, std::string_view key, JsonScalar value);

 private:
  std::vector<Member> members_;
};

using JsonRecordHandler = std::function<void(const JsonRecord&)>;

struct JsonScan {
  bool found = false;           // the list of records
  bool complete = false;        // the text was valid, after repairs, up to its end
  size_t position = 0;          // where it is truncated or malformed
  int64_t dropped = 0;          // members beyond the limit per record
  std::set<std::string> names;  // of the members of the outermost object, except very many
};

// Passes each object of the outermost array, or of the array `list` of the outermost object. Records before a malformed
// byte are passed.
JsonScan scan_json_list(std::string_view text, std::string_view list, const JsonRecordHandler& handle);
// Reads a single object; false if the text is not one.
bool read_json_record(std::string_view text, JsonRecord& record);

}  // namespace arenascope::trace
