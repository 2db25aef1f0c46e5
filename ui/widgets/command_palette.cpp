#include "ui/widgets/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/base/font_units.h"

namespace cospadi::ui {

CommandPalette::CommandPalette(QList<QAction*> actions, QWidget* parent)
    : QDialog(parent, Qt::Popup), m_actions(std::move(actions)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(QStringLiteral("commandPalette"));
    setAccessibleName(tr("Command palette"));
    m_search = new QLineEdit;
    m_search->setPlaceholderText(tr("What do you want to do?"));
    m_search->setAccessibleName(tr("Search the commands"));
    m_search->setClearButtonEnabled(true);
    m_list = new QListWidget;
    m_list->setAccessibleName(tr("Commands"));
    m_list->setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->addWidget(m_search);
    column->addWidget(m_list);
    resizeToWords(*this, 86, 24);
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, &CommandPalette::search);
    connect(m_search, &QLineEdit::returnPressed, this, &CommandPalette::choose);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::choose);
    search({});
    m_search->setFocus();
}

void CommandPalette::search(const QString& text) {
    m_list->clear();
    m_matches.clear();
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (QAction* action : m_actions) {
        const QString name = QString(action->text()).remove(QLatin1Char('&'));
        const bool fits = std::all_of(words.begin(), words.end(), [&](const QString& word) {
            return name.contains(word, Qt::CaseInsensitive);
        });
        if (!fits || name.isEmpty() || !action->isEnabled()) {
            continue;
        }
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        m_list->addItem(keys.isEmpty() ? name : QStringLiteral("%1    (%2)").arg(name, keys));
        m_matches.append(action);
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::choose() {
    const int row = m_list->currentRow();
    QAction* action = row >= 0 && row < m_matches.size() ? m_matches[row] : nullptr;
    close();
    if (action != nullptr) {
        action->trigger();
    }
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            const int step = key == Qt::Key_Down ? 1 : -1;
            m_list->setCurrentRow(
                std::clamp(m_list->currentRow() + step, 0, std::max(0, m_list->count() - 1)));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace cospadi::ui
