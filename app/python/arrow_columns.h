// SPDX-License-Identifier: GPL-3.0-or-later
// The result of a query as columns, exported through the Arrow C data interface without a copy.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/python/arrow.h"
#include "app/query/database.h"

namespace arenascope::python {

// Integers become int64, reals float64, texts large_utf8. A column of a table has its declared type. A computed column
// has the most general type of its values (text, then real, then integer), or int64 if it has none.
class ArrowColumns : public query::CellSink {
 public:
  void begin(std::vector<Head> columns) override;
  void begin_row() override { ++rows_; }
  void null(size_t column) override;
  void integer(size_t column, int64_t value) override;
  void real(size_t column, double value) override;
  void text(size_t column, std::string_view value) override;

  int64_t rows() const { return rows_; }

  // Both are released by the consumer; the array keeps `columns` alive.
  static void export_to(const std::shared_ptr<const ArrowColumns>& columns, ArrowSchema* schema, ArrowArray* array);

 private:
  struct Column {
    std::string name;
    query::Type type = query::Type::Integer;
    bool typed = false;  // from then on the type only becomes more general
    std::vector<int64_t> integers;
    std::vector<double> reals;
    std::vector<int64_t> ends = {0};  // of the texts, with a leading 0
    std::string bytes;
    std::vector<uint8_t> valid;  // a bitmap
    int64_t nulls = 0;
    size_t rows = 0;
  };
  static void append_valid(Column& column, bool valid);
  static void append_text(Column& column, std::string_view text);
  static void become(Column& column, query::Type type);
  static void export_column(const Column& column, ArrowSchema* schema, ArrowArray* array);

  std::vector<Column> columns_;
  int64_t rows_ = 0;
};

}  // namespace arenascope::python
