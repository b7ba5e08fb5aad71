// SPDX-License-Identifier: MIT
#include <arenascope/trace/json_records.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/trace/json_repair.h"

namespace arenascope::trace {

namespace {

constexpr size_t kMaxJsonMembers = 4096, kMaxJsonNames = 256;

class JsonRecordSax : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Type = JsonScalar::Type;
  // `list`: as for scan_json_list(); null: the outermost object is the only record.
  JsonRecordSax(const std::string_view* list, const JsonRecordHandler& handle) : list_(list), handle_(handle) {
    in_list_ = list == nullptr;
  }
  JsonScan scan;

  bool null() override { return true; }
  bool boolean(bool v) override { return value({Type::Boolean, {}, v ? 1 : 0, 0}); }
  bool number_integer(number_integer_t v) override { return value({Type::Integer, {}, v, 0}); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v > INT64_MAX) return value({Type::Real, std::to_string(v), 0, static_cast<double>(v)});
    return value({Type::Integer, {}, static_cast<int64_t>(v), 0});
  }
  bool number_float(number_float_t v, const string_t& written) override {
    return is_needed() ? value({Type::Real, written, 0, v}) : true;
  }
  bool string(string_t& v) override { return is_needed() ? value({Type::Text, std::move(v), 0, 0}) : true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    if (in_list_ && depth_ == record_depth_) record_.clear(), in_record_ = true;
    if (depth_ == record_depth_ + 1) nested_ = true;
    ++depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == record_depth_ + 1) nested_ = false;
    const bool outermost = depth_ == 0, named = depth_ == 1 && list_ != nullptr && top_key_ == *list_;
    if (!in_list_ && (outermost || named)) {
      in_list_ = scan.found = true;
      record_depth_ = depth_ + 1;
    }
    ++depth_;
    return true;
  }
  bool key(string_t& k) override {
    if (in_record_ && depth_ == record_depth_ + 1) {
      key_ = k;
    } else if (in_record_ && depth_ == record_depth_ + 2) {
      nested_key_ = k;
    } else if (depth_ == 1 && !in_list_) {
      top_key_ = k;
      if (scan.names.size() < kMaxJsonNames) scan.names.insert(k);
    }
    return true;
  }
  bool end_object() override {
    --depth_;
    if (!in_record_ || depth_ != record_depth_) return true;
    in_record_ = false;
    handle_(record_);
    return true;
  }
  bool end_array() override {
    --depth_;
    if (in_list_ && depth_ + 1 == record_depth_) in_list_ = false;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool is_needed() const {
    return in_record_ && (depth_ == record_depth_ + 1 || (depth_ == record_depth_ + 2 && nested_));
  }
  bool value(JsonScalar scalar) {
    if (!is_needed()) return true;
    const bool own = depth_ == record_depth_ + 1;
    if (!record_.add(own ? std::string_view() : key_, own ? key_ : nested_key_, std::move(scalar))) ++scan.dropped;
    return true;
  }

  const std::string_view* list_;
  const JsonRecordHandler& handle_;
  JsonRecord record_;
  std::string top_key_, key_, nested_key_;
  size_t depth_ = 0, record_depth_ = 0;
  bool in_list_ = false, in_record_ = false;
  bool nested_ = false;  // the member being read is an object
};

JsonScan parse_records(std::string_view text, JsonRecordSax& sax) {
  JsonRepair repair(text);
  sax.scan.complete = nlohmann::json::sax_parse(repair.begin(), JsonRepair::end(), &sax);
  sax.scan.position = repair.position();
  return std::move(sax.scan);
}

bool multiply(int64_t& value, int64_t factor) { return !__builtin_mul_overflow(value, factor, &value); }

}  // namespace

std::string JsonScalar::as_text() const {
  switch (type) {
    case Type::Text:
    case Type::Real: return text;
    case Type::Integer: return std::to_string(integer);
    case Type::None:
    case Type::Boolean: break;
  }
  return {};
}

std::optional<int64_t> scaled_decimal(std::string_view number, int power) {
  const bool negative = !number.empty() && number[0] == '-';
  if (negative) number.remove_prefix(1);
  int64_t digits = 0;
  bool any = false, fraction = false, dropped = false, round_up = false;
  size_t i = 0;
  for (; i < number.size() && power < 400; ++i) {
    const char c = number[i];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    int64_t longer = digits;
    if (!dropped && multiply(longer, 10) && !__builtin_add_overflow(longer, c - '0', &longer)) {
      digits = longer;
      if (fraction) --power;
    } else {
      if (!fraction) ++power;
      if (!std::exchange(dropped, true)) round_up = c >= '5';
    }
  }
  if (!any) return std::nullopt;
  if (i < number.size()) {
    if (number[i] != 'e' && number[i] != 'E') return std::nullopt;
    i += i + 1 < number.size() && number[i + 1] == '+' ? 2 : 1;
    int exponent = 0;
    const char* const end = number.data() + number.size();
    const auto read = std::from_chars(number.data() + i, end, exponent);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    power += std::clamp(exponent, -1000, 1000);
  }
  if (digits == 0 || power < -19) return 0;
  if (power == 0 && round_up && digits < INT64_MAX) ++digits;
  if (power > 0 && dropped) return std::nullopt;
  for (; power > 0; --power)
    if (!multiply(digits, 10)) return std::nullopt;
  int64_t divisor = 1;
  for (; power < 0; ++power)
    if (!multiply(divisor, 10)) return 0;
  digits = digits / divisor + (digits % divisor >= divisor - digits % divisor ? 1 : 0);
  return negative ? -digits : digits;
}

const JsonScalar& JsonRecord::of(std::string_view parent, std::string_view key) const {
  static const JsonScalar none;
  for (auto m = members_.rbegin(); m != members_.rend(); ++m)
    if (m->key == key && m->parent == parent) return m->value;
  return none;
}

bool JsonRecord::add(std::string_view parent, std::string_view key, JsonScalar value) {
  if (members_.size() >= kMaxJsonMembers) return false;
  members_.push_back({std::string(parent), std::string(key), std::move(value)});
  return true;
}

JsonScan scan_json_list(std::string_view text, std::string_view list, const JsonRecordHandler& handle) {
  JsonRecordSax sax(&list, handle);
  return parse_records(text, sax);
}

bool read_json_record(std::string_view text, JsonRecord& record) {
  bool found = false;
  const JsonRecordHandler keep = [&](const JsonRecord& read) {
    record = read;
    found = true;
  };
  JsonRecordSax sax(nullptr, keep);
  return parse_records(text, sax).complete && found;
}

}  // namespace arenascope::trace
