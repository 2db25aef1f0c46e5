// tr() for functions outside of classes with Q_OBJECT, which have no context of their own.
#pragma once

#include <QCoreApplication>
#include <QString>

namespace cospadi::ui {

inline QString tr(const char* words) { return QCoreApplication::translate("cospadi", words); }

}  // namespace cospadi::ui
