#include "ui/pages/model/open_model_button.h"

#include <QMenu>

#include "ui/base/font_units.h"
#include "ui/base/recent_models.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

OpenModelButton::OpenModelButton(QWidget* parent)
    : QPushButton(cospadi::ui::icon(QStringLiteral("open")), QString(), parent) {
    setObjectName(QStringLiteral("openModel"));
    setMenu(new QMenu(this));
    showReady();
    connect(menu(), &QMenu::aboutToShow, this, &OpenModelButton::fillMenu);
}

void OpenModelButton::fillMenu() {
    menu()->clear();
    menu()->addAction(tr("GGUF file…"), this, &OpenModelButton::openFileRequested);
    menu()->addAction(tr("Hugging Face folder…"), this, &OpenModelButton::openFolderRequested);
    menu()->addAction(tr("The default model"), this,
                      [this] { emit openRequested(QStringLiteral("default")); });
    const QStringList recent = recentModels();
    if (!recent.isEmpty()) {
        menu()->addSection(tr("Recent"));
    }
    for (const QString& path : recent) {
        menu()->addAction(
            fontMetrics().elidedText(path, Qt::ElideMiddle, charactersWide(font(), 77)), this,
            [this, path] { emit openRequested(path); });
    }
}

void OpenModelButton::showReading(const QString& word) {
    setText(tr("Reading …"));
    setToolTip(tr("Reading %1").arg(word));
}

void OpenModelButton::showReady() {
    setText(tr("Open"));
    setToolTip(tr("Open another model, or drop a file or folder onto the window"));
}

}  // namespace cospadi::ui
