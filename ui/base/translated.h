// Words::tr() is for functions outside of classes with Q_OBJECT, which have no context of their
// own.
#pragma once

#include <QCoreApplication>

namespace cospadi::ui {

class Words {
    Q_DECLARE_TR_FUNCTIONS(cospadi)
};

}  // namespace cospadi::ui
