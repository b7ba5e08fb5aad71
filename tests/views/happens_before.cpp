// SPDX-License-Identifier: GPL-3.0-or-later
// For programs built with ThreadSanitizer. Qt itself is not instrumented, so the sanitizer does not see that posting a
// call happens before its execution, and reports every result passed to another thread as a race. This file overrides
// the Qt functions with which our code passes data between threads and adds the missing happens-before edges. All edges
// share one token: a race between unrelated threads may be missed, but none is invented.
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <QCoreApplication>
#include <QObject>
#include <QThreadPool>

#include <functional>

namespace {

char token;
void before() { __tsan_release(&token); }
void after() { __tsan_acquire(&token); }

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

// Sees each event of the UI thread before its delivery.
class Listener : public QObject {
 public:
  bool eventFilter(QObject*, QEvent*) override {
    after();
    return false;
  }
};

void listen() {
  static Listener listener;
  QCoreApplication::instance()->installEventFilter(&listener);
}
Q_COREAPP_STARTUP_FUNCTION(listen)

}  // namespace

void QMetaObject::activate(QObject* sender, const QMetaObject* of, int signal, void** arguments) {
  using F = void (*)(QObject*, const QMetaObject*, int, void**);
  static const F real = next<F>("_ZN11QMetaObject8activateEP7QObjectPKS_iPPv");
  before();
  real(sender, of, signal, arguments);
}

bool QMetaObject::invokeMethodImpl(QObject* object, QtPrivate::QSlotObjectBase* slot, Qt::ConnectionType type,
                                   void* result) {
  using F = bool (*)(QObject*, QtPrivate::QSlotObjectBase*, Qt::ConnectionType, void*);
  static const F real =
      next<F>("_ZN11QMetaObject16invokeMethodImplEP7QObjectPN9QtPrivate15QSlotObjectBaseEN2Qt14ConnectionTypeEPv");
  before();
  return real(object, slot, type, result);
}

void QThreadPool::start(std::function<void()> job, int priority) {
  using F = void (*)(QThreadPool*, std::function<void()>, int);
  static const F real = next<F>("_ZN11QThreadPool5startESt8functionIFvvEEi");
  before();
  std::function<void()> wrapped = [job = std::move(job)]() mutable {
    after();
    job();
    job = nullptr;
    before();
  };
  before();
  real(this, std::move(wrapped), priority);
}
