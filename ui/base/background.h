// Work off the GUI thread: runInBackground(context, work, done) calls work() on a pool thread and
// then done(result) on the context's thread. A context destroyed meanwhile simply hears nothing.
// Exceptions of work are caught and handed to failed(Error) on the context's thread.
#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QPointer>
#include <QThreadPool>
#include <exception>
#include <memory>
#include <utility>

#include "core/base/error.h"

namespace cospadi::ui {

template <typename Work, typename Done, typename Failed>
void runInBackground(QObject* context, Work work, Done done, Failed failed) {
    QPointer<QObject> guard(context);
    // Delivered through the application object, which outlives every page: the guard is only read
    // on the GUI thread.
    const auto deliver = [](auto function) {
        if (QCoreApplication* application = QCoreApplication::instance()) {
            QMetaObject::invokeMethod(application, std::move(function), Qt::QueuedConnection);
        }
    };
    QThreadPool::globalInstance()->start([=]() mutable {
        using Result = decltype(work());
        try {
            auto result = std::make_shared<Result>(work());
            deliver([=]() mutable {
                if (guard) {
                    done(std::move(*result));
                }
            });
        } catch (const Error& error) {
            deliver([=]() mutable {
                if (guard) {
                    failed(error);
                }
            });
        } catch (const std::exception& error) {
            const Error wrapped(error.what(), "background work", "report this as a bug");
            deliver([=]() mutable {
                if (guard) {
                    failed(wrapped);
                }
            });
        }
    });
}

}  // namespace cospadi::ui
