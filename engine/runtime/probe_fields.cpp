// SPDX-License-Identifier: MIT
#include "engine/runtime/probe_fields.h"

#include <charconv>

namespace arenascope {
namespace {

void append_field(std::string& out, const std::string& field) {
  out += field.c_str();  // up to its first zero byte
  out += '\0';
}

class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}
  std::string string() {
    const size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      complete_ = false;
      return {};
    }
    std::string field(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return field;
  }
  size_t number() {
    const std::string field = string();
    size_t value = 0;
    const auto read = std::from_chars(field.data(), field.data() + field.size(), value);
    if (read.ec != std::errc() || read.ptr != field.data() + field.size()) complete_ = false;
    return complete_ ? value : 0;
  }
  bool complete() const { return complete_; }

 private:
  std::string_view rest_;
  bool complete_ = true;
};

}  // namespace

std::string probe_fields(const std::vector<DeviceStatus>& devices) {
  std::string out;
  append_field(out, std::to_string(devices.size()));
  for (const DeviceStatus& device : devices) {
    for (const std::string& field : {device.device, device.description, device.missing}) append_field(out, field);
    append_field(out, std::to_string(device.facts.size()));
    for (const auto& [name, value] : device.facts) append_field(out, name), append_field(out, value);
  }
  return out;
}

std::optional<std::vector<DeviceStatus>> parse_probe_fields(std::string_view text) {
  FieldReader fields(text);
  std::vector<DeviceStatus> out;
  const size_t devices = fields.number();
  for (size_t i = 0; i < devices && fields.complete(); ++i) {
    DeviceStatus device{fields.string(), fields.string(), fields.string(), {}};
    const size_t facts = fields.number();
    for (size_t k = 0; k < facts && fields.complete(); ++k) {
      std::string name = fields.string();
      device.facts.emplace_back(std::move(name), fields.string());
    }
    out.push_back(std::move(device));
  }
  if (!fields.complete()) return std::nullopt;
  return out;
}

}  // namespace arenascope
