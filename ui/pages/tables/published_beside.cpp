#include "ui/pages/tables/published_beside.h"

#include <QMenu>

#include "core/report/published_values.h"

namespace cospadi::ui {

PublishedBeside::PublishedBeside(const std::vector<PublishedTable>& tables, QWidget* parent)
    : QToolButton(parent), m_tables(tables) {
    setObjectName(QStringLiteral("tableBeside"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Tables of the paper to compare with"));
    setMenu(new QMenu(this));
}

// Only tables that print the value: the paper's perplexity of words is not ours of tokens.
void PublishedBeside::showFor(const std::string& metric) {
    menu()->clear();
    QStringList shown;
    for (const PublishedTable& table : m_tables) {
        if (publishedValues({table}, metric).empty()) {
            continue;
        }
        const QString number = QString::fromStdString(table.number);
        const QString name = QString::fromStdString(table.name);
        QAction* action = menu()->addAction(tr("Table %1: %2").arg(number, name));
        action->setToolTip(QString::fromStdString(table.caption));
        action->setCheckable(true);
        action->setChecked(m_names.contains(number) || m_names.contains(name));
        shown << (action->isChecked() ? QStringList{number} : QStringList{});
        connect(action, &QAction::toggled, this, [this, number, name](bool on) {
            m_names.removeAll(number);
            m_names.removeAll(name);
            m_names << (on ? QStringList{number} : QStringList{});
            // The menu that sends this signal is made anew.
            QMetaObject::invokeMethod(this, &PublishedBeside::chosen, Qt::QueuedConnection);
        });
    }
    menu()->setToolTipsVisible(true);
    showWords(shown);
}

void PublishedBeside::showWords(const QStringList& shown) {
    const bool any = !menu()->isEmpty();
    setEnabled(any);
    setText(!any                ? tr("none in the paper")
            : shown.isEmpty()   ? tr("tables of the paper …")
            : shown.size() == 1 ? tr("table %1 of the paper").arg(shown.first())
                                : tr("tables %1 of the paper").arg(shown.join(", ")));
    setToolTip(any ? tr("Rows of the paper's tables below your own, with their source")
                   : tr("The paper reports accuracies and perplexities of lm-eval's tasks: choose "
                        "such a value, for example piqa/acc_norm (cospadi lm-eval measures them)"));
}

}  // namespace cospadi::ui
