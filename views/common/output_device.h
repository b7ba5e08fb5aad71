// SPDX-License-Identifier: GPL-3.0-or-later
// An OutputFile (arenascope/base/output_file.h) as a QIODevice for Qt's writers.
#pragma once
#include <arenascope/base/output_file.h>
#include <QFile>
#include <QIODevice>

namespace arenascope::views {

class OutputDevice : public QIODevice {
 public:
  // Errors: those of OutputFile::open().
  Status begin(const QString& path, OutputFile::Paths inputs = {}) {
    auto file = OutputFile::open(QFile::encodeName(path).toStdString(), OutputForm::Whole, inputs);
    if (!file) return file.error();
    file_ = std::move(*file);
    open(QIODevice::WriteOnly);
    return {};
  }
  // Completes the file. Reports any failed write, whether or not the writer noticed it.
  Status commit() {
    close();
    return file_->close();
  }
  // The first error so far.
  Status status() const { return file_->write({}); }

 protected:
  bool isSequential() const override { return true; }
  qint64 readData(char*, qint64) override { return -1; }
  qint64 writeData(const char* bytes, qint64 size) override {
    (void)file_->write({bytes, static_cast<size_t>(size)});  // otherwise Qt's writers print messages of their own
    return size;
  }

 private:
  std::unique_ptr<OutputFile> file_;
};

inline Status write_bytes(const QByteArray& bytes, const QString& path, OutputFile::Paths inputs = {}) {
  return OutputFile::write_all(QFile::encodeName(path).toStdString(),
                               {bytes.constData(), static_cast<size_t>(bytes.size())}, inputs);
}

}  // namespace arenascope::views
