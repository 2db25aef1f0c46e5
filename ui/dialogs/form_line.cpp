#include "ui/dialogs/form_line.h"

#include <QFormLayout>
#include <QLineEdit>

namespace cospadi::ui {

QLineEdit* makeLine(const char* name, const QString& placeholder, const QString& tip) {
    auto* line = new QLineEdit;
    line->setObjectName(QString::fromLatin1(name));
    line->setPlaceholderText(placeholder);
    line->setToolTip(tip);
    return line;
}

QLineEdit* addLine(QFormLayout* form, const QString& label, const char* name,
                   const QString& placeholder, const QString& tip) {
    QLineEdit* line = makeLine(name, placeholder, tip);
    form->addRow(label, line);
    return line;
}

}  // namespace cospadi::ui
