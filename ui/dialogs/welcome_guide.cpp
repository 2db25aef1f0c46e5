#include "ui/dialogs/welcome_guide.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include "ui/base/font_units.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

constexpr int kGuideCharacters = 69;  // a comfortable line

}  // namespace

WelcomeGuide::WelcomeGuide(const QList<GuideStep>& steps, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("welcomeGuide"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("First steps"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(22, 18, 22, 16);
    column->setSpacing(14);
    auto* head = new QLabel(
        tr("<span style='font-size:large; font-weight:600'>CoSpaDi Workbench</span><br>"
           "<span style='color:%1'>Replaces the weights W of a language model by a dictionary D "
           "and sparse codes S, W&nbsp;≈&nbsp;D&nbsp;S, and shows what it costs and saves.</span>")
            .arg(theme().muted.name()));
    head->setWordWrap(true);
    column->addWidget(head);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(14);
    grid->setVerticalSpacing(12);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const GuideStep& step : steps) {
        auto* number = new QLabel(
            QStringLiteral("<span style='font-size:x-large; font-weight:600; color:%1'>%2</span>")
                .arg(theme().accent.name())
                .arg(row + 1));
        auto* text = new QLabel(QStringLiteral("<b>%1</b><br>%2").arg(step.title, step.text));
        text->setWordWrap(true);
        text->setMinimumWidth(charactersWide(font(), kGuideCharacters));
        grid->addWidget(number, row, 0, Qt::AlignTop);
        grid->addWidget(text, row, 1);
        if (!step.button.isEmpty()) {
            auto* button = new QPushButton(step.button);
            button->setAccessibleName(QStringLiteral("%1: %2").arg(step.title, step.button));
            connect(button, &QPushButton::clicked, this, [this, action = step.action] {
                close();
                action();
            });
            grid->addWidget(button, row, 2, Qt::AlignTop);
        }
        ++row;
    }
    column->addLayout(grid);
    auto* foot = new QLabel(tr("Help → First steps shows this again. Ctrl+K finds every command."));
    foot->setObjectName(QStringLiteral("muted"));
    column->addWidget(foot);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QWidget::close);
    column->addWidget(buttons);
    column->setSizeConstraint(QLayout::SetFixedSize);
}

bool WelcomeGuide::isDue() {
    QSettings settings;
    const QString key = QStringLiteral("guide/shown");
    const bool due = !settings.value(key).toBool();
    settings.setValue(key, true);
    return due;
}

}  // namespace cospadi::ui
