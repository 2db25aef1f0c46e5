#include "ui/widgets/empty_state.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/base/theme.h"

namespace cospadi::ui {

EmptyState::EmptyState(QWidget* parent)
    : QWidget(parent), m_words(new QLabel), m_row(new QHBoxLayout) {
    m_words->setObjectName(QStringLiteral("muted"));
    m_words->setAlignment(Qt::AlignCenter);
    m_words->setWordWrap(true);
    m_row->setSpacing(8);
    m_row->addStretch(1);
    m_row->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->setSpacing(8);
    column->addStretch(1);
    column->addWidget(m_words);
    column->addLayout(m_row);
    column->addStretch(1);
}

EmptyState::EmptyState(const char* name, const Action& action, QWidget* parent)
    : EmptyState(parent) {
    setObjectName(QString::fromLatin1(name));
    m_action = addAction(action);
    connect(m_action, &QPushButton::clicked, this, &EmptyState::wanted);
}

EmptyState::Action EmptyState::smallRun() {
    return {"tryOneBlock", tr("Try &one block first"),
            tr("Takes seconds, and explains the result")};
}

EmptyState::Action EmptyState::chooseModel() {
    return {"chooseModel", tr("Choose a &model"), tr("On the Model page")};
}

void EmptyState::setWords(const QString& title, const QString& text) {
    m_title = title;
    m_text = text;
    showWords();
}

QString EmptyState::text() const { return m_title + QLatin1Char('\n') + m_text; }

QPushButton* EmptyState::addAction(const Action& action) {
    auto* button = new QPushButton(action.words);
    button->setObjectName(QString::fromLatin1(action.name));
    button->setToolTip(action.tip);
    m_row->insertWidget(m_row->count() - 1, button);
    return button;
}

void EmptyState::showAction(bool shows) { m_action->setVisible(shows); }

void EmptyState::showWords() {
    m_words->setText(QStringLiteral("<p style='font-size:large; color:%1'>%2</p><p>%3</p>")
                         .arg(theme().text.name(), m_title, m_text));
}

void EmptyState::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        showWords();
    }
}

}  // namespace cospadi::ui
