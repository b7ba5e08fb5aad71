// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstring>
#include <mutex>

#include "app/common/planned_session.h"
#include "app/python/arrow_columns.h"
#include "app/python/python_api.h"
#include "app/query/database.h"

namespace arenascope::python {

struct Tables {
  std::shared_ptr<trace::Session> session;
  std::unique_ptr<query::Database> database;
  std::mutex mutex;
  std::stop_source stop;  // of the running query; guarded by the mutex
};

struct Batch {
  std::shared_ptr<const ArrowColumns> columns;
};

void write_message(std::string_view text, char* message, size_t size) {
  if (message == nullptr || size == 0) return;
  const size_t length = std::min(text.size(), size - 1);
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

}  // namespace arenascope::python

using namespace arenascope;
using namespace arenascope::python;

Tables* arenascope_tables_open(const char* file, char* problem, size_t problem_size, char* message, size_t size) {
  return guarded<Tables*>(message, size, nullptr, [&]() -> Tables* {
    std::string missing;
    auto session = app::open_session(file, {}, missing);
    if (!session) {
      write_message(session.error().message, message, size);
      return nullptr;
    }
    auto database = query::Database::open(query::tables_of((*session)->snapshot()));
    if (!database) {
      write_message(database.error().message, message, size);
      return nullptr;
    }
    write_message(missing, problem, problem_size);
    auto tables = std::make_unique<Tables>();
    tables->session = std::move(*session);
    tables->database = std::move(*database);
    return tables.release();
  });
}

void arenascope_tables_close(Tables* tables) { delete tables; }

const char* arenascope_tables_name(const Tables* tables, size_t index) {
  const auto& all = tables->database->tables();
  return index < all.size() ? all[index].name : nullptr;
}

Batch* arenascope_tables_query(Tables* tables, const char* sql, char* message, size_t size) {
  return guarded<Batch*>(message, size, nullptr, [&]() -> Batch* {
    query::Limits limits;
    {
      const std::lock_guard lock(tables->mutex);
      tables->stop = std::stop_source();
      limits.stop = tables->stop.get_token();
    }
    auto columns = std::make_shared<ArrowColumns>();
    if (const auto done = tables->database->run(sql, limits, *columns); !done) {
      write_message(done.error().message, message, size);
      return nullptr;
    }
    return new Batch{std::move(columns)};
  });
}

void arenascope_tables_stop(Tables* tables) {
  const std::lock_guard lock(tables->mutex);
  tables->stop.request_stop();
}

int64_t arenascope_batch_rows(const Batch* batch) { return batch->columns->rows(); }

int arenascope_batch_export(const Batch* batch, ArrowSchema* schema, ArrowArray* array) {
  return guarded(nullptr, 0, 1, [&] {
    ArrowColumns::export_to(batch->columns, schema, array);
    return 0;
  });
}

void arenascope_batch_free(Batch* batch) { delete batch; }
