#include "ui/widgets/text_question.h"

#include <QInputDialog>

namespace cospadi::ui {

void askForText(QWidget* parent, const TextQuestion& question,
                const std::function<void(const QString&)>& answered) {
    auto* dialog = new QInputDialog(parent);
    dialog->setObjectName(QString::fromLatin1(question.name));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(question.title);
    dialog->setLabelText(question.label);
    dialog->setTextValue(question.text);
    QObject::connect(dialog, &QInputDialog::textValueSelected, parent,
                     [answered, mayBeEmpty = question.mayBeEmpty](const QString& typed) {
                         const QString text = typed.trimmed();
                         if (mayBeEmpty || !text.isEmpty()) {
                             answered(text);
                         }
                     });
    dialog->open();
}

}  // namespace cospadi::ui
