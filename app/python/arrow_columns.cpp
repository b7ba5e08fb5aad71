// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/arrow_columns.h"

#include <array>

#include <fmt/format.h>

namespace arenascope::python {
namespace {

using query::Type;

constexpr int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

// Owned by the exported structures.
struct SchemaData {
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  std::string name;
};
struct ArrayData {
  std::shared_ptr<const ArrowColumns> columns;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  std::array<const void*, 3> buffers{};
};

// A child that was moved elsewhere has no release function.
template <class Structure, class Data>
void release(Structure* structure) {
  for (int64_t i = 0; i < structure->n_children; ++i)
    if (Structure* child = structure->children[i]; child->release != nullptr) child->release(child);
  delete static_cast<Data*>(structure->private_data);
  structure->release = nullptr;
}

const char* format_of(Type type) { return type == Type::Integer ? "l" : type == Type::Real ? "g" : "U"; }

template <class Structure, class Data>
void add_children(Structure* parent, Data* data, size_t count) {
  data->children.resize(count);
  for (Structure& child : data->children) data->pointers.push_back(&child);
  parent->n_children = static_cast<int64_t>(count);
  parent->children = data->pointers.data();
}

}  // namespace

void ArrowColumns::begin(std::vector<Head> columns) {
  for (Head& head : columns) {
    Column& column = columns_.emplace_back();
    column.name = std::move(head.name);
    column.typed = head.type.has_value();
    if (head.type) column.type = *head.type;
  }
}

void ArrowColumns::append_valid(Column& column, bool valid) {
  if (column.rows % 8 == 0) column.valid.push_back(0);
  if (valid) column.valid.back() = static_cast<uint8_t>(column.valid.back() | (1u << (column.rows % 8)));
  column.nulls += valid ? 0 : 1;
  ++column.rows;
}

void ArrowColumns::append_text(Column& column, std::string_view text) {
  column.bytes += text;
  column.ends.push_back(static_cast<int64_t>(column.bytes.size()));
}

// A column without values takes any type. After that the type only widens: integer to real, number to text.
void ArrowColumns::become(Column& column, Type type) {
  const bool empty = column.nulls == static_cast<int64_t>(column.rows) && !column.typed;
  column.typed = true;
  if (column.type == type || (!empty && column.type > type)) return;
  const auto is_valid = [&](size_t row) { return (column.valid[row / 8] >> (row % 8) & 1) != 0; };
  if (type == Type::Real) {
    column.reals.assign(column.integers.begin(), column.integers.end());
  } else if (type == Type::Text) {
    for (size_t row = 0; row < column.rows; ++row)
      append_text(column, !is_valid(row)                 ? std::string()
                          : column.type == Type::Integer ? fmt::format("{}", column.integers[row])
                                                         : fmt::format("{}", column.reals[row]));
  }
  column.integers = {};
  if (type == Type::Text) column.reals = {};
  column.type = type;
}

void ArrowColumns::null(size_t index) {
  Column& column = columns_[index];
  switch (column.type) {
    case Type::Integer: column.integers.push_back(0); break;
    case Type::Real: column.reals.push_back(0); break;
    case Type::Text: append_text(column, {}); break;
  }
  append_valid(column, false);
}

void ArrowColumns::integer(size_t index, int64_t value) {
  Column& column = columns_[index];
  become(column, Type::Integer);
  switch (column.type) {
    case Type::Integer: column.integers.push_back(value); break;
    case Type::Real: column.reals.push_back(static_cast<double>(value)); break;
    case Type::Text: append_text(column, fmt::format("{}", value)); break;
  }
  append_valid(column, true);
}

void ArrowColumns::real(size_t index, double value) {
  Column& column = columns_[index];
  become(column, Type::Real);
  column.type == Type::Real ? column.reals.push_back(value) : append_text(column, fmt::format("{}", value));
  append_valid(column, true);
}

void ArrowColumns::text(size_t index, std::string_view value) {
  Column& column = columns_[index];
  become(column, Type::Text);
  append_text(column, value);
  append_valid(column, true);
}

void ArrowColumns::export_column(const Column& column, ArrowSchema* schema, ArrowArray* array) {
  auto* names = new SchemaData{.children = {}, .pointers = {}, .name = column.name};
  *schema = {.format = format_of(column.type),
             .name = names->name.c_str(),
             .metadata = nullptr,
             .flags = kNullable,
             .n_children = 0,
             .children = nullptr,
             .dictionary = nullptr,
             .release = release<ArrowSchema, SchemaData>,
             .private_data = names};
  auto* data = new ArrayData;
  data->buffers[0] = column.nulls > 0 ? column.valid.data() : nullptr;
  if (column.type == Type::Text) {
    data->buffers[1] = column.ends.data();
    data->buffers[2] = column.bytes.data();
  } else {
    data->buffers[1] = column.type == Type::Integer ? static_cast<const void*>(column.integers.data())
                                                    : static_cast<const void*>(column.reals.data());
  }
  *array = {.length = static_cast<int64_t>(column.rows),
            .null_count = column.nulls,
            .offset = 0,
            .n_buffers = column.type == Type::Text ? 3 : 2,
            .n_children = 0,
            .buffers = data->buffers.data(),
            .children = nullptr,
            .dictionary = nullptr,
            .release = release<ArrowArray, ArrayData>,
            .private_data = data};
}

void ArrowColumns::export_to(const std::shared_ptr<const ArrowColumns>& columns, ArrowSchema* schema,
                             ArrowArray* array) {
  auto* names = new SchemaData;
  *schema = {};
  schema->format = "+s";
  schema->name = names->name.c_str();
  schema->release = release<ArrowSchema, SchemaData>;
  schema->private_data = names;
  add_children(schema, names, columns->columns_.size());
  auto* data = new ArrayData;
  *array = {};
  array->length = columns->rows_;
  array->n_buffers = 1;  // the bitmap of a struct: all rows are valid
  array->buffers = data->buffers.data();
  array->release = release<ArrowArray, ArrayData>;
  array->private_data = data;
  add_children(array, data, columns->columns_.size());
  for (size_t c = 0; c < columns->columns_.size(); ++c) {
    export_column(columns->columns_[c], schema->children[c], array->children[c]);
    // A consumer may move a child out of the batch and release it later.
    static_cast<ArrayData*>(array->children[c]->private_data)->columns = columns;
  }
  data->columns = columns;
}

}  // namespace arenascope::python
