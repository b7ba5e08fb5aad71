// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/settings.h>

#include <QMutex>
#include <QSettings>
#include <QThreadPool>

#include <map>

namespace arenascope::views {
namespace {

// The only store of settings; QSettings' file is a singleton, too.
class Store {
 public:
  Store() {
    writer_.setMaxThreadCount(1);  // keeps the order of writes
    const QSettings file;
    for (const QString& key : file.allKeys()) values_[key] = file.value(key);
  }
  QVariant value(const QString& key) {
    const QMutexLocker lock(&mutex_);
    const auto at = values_.find(key);
    return at == values_.end() ? QVariant() : at->second;
  }
  void set(const QString& key, const QVariant& value) {
    const QMutexLocker lock(&mutex_);
    QVariant& kept = values_[key];
    if (kept == value) return;
    kept = value;
    change(key, value);
  }
  void remove(const QString& key) {
    const QMutexLocker lock(&mutex_);
    std::erase_if(values_, [&](const auto& entry) { return entry.first == key || entry.first.startsWith(key + u'/'); });
    change(key, {});
  }
  QStringList below(const QString& group) {
    const QMutexLocker lock(&mutex_);
    QStringList keys;
    const QString start = group + u'/';
    for (auto at = values_.lower_bound(start); at != values_.end() && at->first.startsWith(start); ++at)
      keys << at->first.sliced(start.size());
    return keys;
  }
  void flush() { writer_.waitForDone(); }
  void clear() {
    flush();
    const QMutexLocker lock(&mutex_);
    values_.clear();
    QSettings().clear();
  }

 private:
  // An invalid value removes the key and its children.
  void change(const QString& key, const QVariant& value) {
    changes_.emplace_back(key, value);
    if (changes_.size() == 1) writer_.start([this] { write(); });
  }
  void write() {
    std::vector<std::pair<QString, QVariant>> changes;
    {
      const QMutexLocker lock(&mutex_);
      changes.swap(changes_);
    }
    QSettings file;
    for (const auto& [key, value] : changes) value.isValid() ? file.setValue(key, value) : file.remove(key);
    file.sync();
  }

  QMutex mutex_;  // not held during disk access, except in clear()
  std::map<QString, QVariant> values_;
  std::vector<std::pair<QString, QVariant>> changes_;  // not yet written
  QThreadPool writer_;                                 // destroyed first; waits for pending writes
};

Store& store() {
  static Store all;
  return all;
}

}  // namespace

QVariant Settings::value(const QString& key, const QVariant& otherwise) {
  const QVariant value = store().value(key);
  return value.isValid() ? value : otherwise;
}
void Settings::set(const QString& key, const QVariant& value) { store().set(key, value); }
void Settings::remove(const QString& key) { store().remove(key); }
QStringList Settings::below(const QString& group) { return store().below(group); }
void Settings::clear() { store().clear(); }
void Settings::flush() { store().flush(); }

}  // namespace arenascope::views
