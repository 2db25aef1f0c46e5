#include "ui/widgets/save_text.h"

#include <QFileDialog>
#include <QSaveFile>

#include "core/base/error.h"

namespace cospadi::ui {

void saveTextAs(QWidget* parent, const TextToSave& what,
                const std::function<void(const QString& path)>& saved,
                const std::function<void(const QString& problem)>& failed) {
    auto* dialog = new QFileDialog(parent, what.title);
    dialog->setObjectName(QStringLiteral("exportTableDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(what.suffix);
    dialog->selectFile(what.name);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                     [text = what.text, saved, failed](const QString& path) {
                         try {
                             QSaveFile file(path);
                             const QByteArray bytes = text().toUtf8();
                             if (!file.open(QIODevice::WriteOnly) ||
                                 file.write(bytes) != bytes.size() || !file.commit()) {
                                 failed(file.errorString());
                                 return;
                             }
                             saved(path);
                         } catch (const Error& error) {
                             failed(QString::fromUtf8(error.what()));
                         }
                     });
    dialog->open();
}

}  // namespace cospadi::ui
