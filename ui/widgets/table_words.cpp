#include "ui/widgets/table_words.h"

#include <QAbstractItemModel>
#include <QEvent>
#include <QTableView>

namespace cospadi::ui {

namespace {

constexpr int kAroundTableWords = 12;  // pixels

}  // namespace

TableWords::TableWords(QTableView& table, const QString& words)
    : QLabel(words, table.viewport()), m_table(table) {
    setObjectName(QStringLiteral("muted"));
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setMargin(kAroundTableWords);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    const QAbstractItemModel* model = table.model();
    connect(model, &QAbstractItemModel::modelReset, this, &TableWords::follow);
    connect(model, &QAbstractItemModel::rowsInserted, this, &TableWords::follow);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &TableWords::follow);
    table.viewport()->installEventFilter(this);
    follow();
}

bool TableWords::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        follow();
    }
    return QLabel::eventFilter(watched, event);
}

void TableWords::follow() {
    setGeometry(m_table.viewport()->rect());
    setVisible(m_table.model()->rowCount() == 0);
}

}  // namespace cospadi::ui
