// A line to type into, with the words that stand in it while it is empty and its tip.
#pragma once

#include <QString>

class QFormLayout;
class QLineEdit;

namespace cospadi::ui {

QLineEdit* makeLine(const char* name, const QString& placeholder, const QString& tip);
// The same as the last row of a form.
QLineEdit* addLine(QFormLayout* form, const QString& label, const char* name,
                   const QString& placeholder, const QString& tip);

}  // namespace cospadi::ui
