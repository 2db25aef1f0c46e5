#include "ui/widgets/message_bar.h"

#include <QEvent>
#include <QLabel>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace cospadi::ui {

namespace {

constexpr int kAroundMessages = 8;  // pixels around and between messages

}  // namespace

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), m_waiting(new QLabel) {
    setObjectName(QStringLiteral("messageBar"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kAroundMessages / 2);
    m_waiting->setObjectName(QStringLiteral("muted"));
    m_waiting->setAutoFillBackground(true);
    column->addWidget(m_waiting, 0, Qt::AlignLeft);
    if (parent != nullptr) {
        parent->installEventFilter(this);
    }
    hide();
}

void MessageBar::show(Kind kind, const QString& what, const QString& where, const QString& hint,
                      const QString& topic) {
    auto* row = new MessageRow({kind, what, where, hint, topic}, this);
    const QList<MessageRow*> before = m_rows;
    for (MessageRow* other : before) {
        const bool isAboutTheSame = !topic.isEmpty() && other->topic() == topic;
        if (isAboutTheSame || other->text() == row->text()) {
            remove(other);
        }
    }
    m_rows.append(row);
    layout()->addWidget(row);
    connect(row, &MessageRow::ended, this, [this, row] {
        remove(row);
        showRows();
    });
    showRows();
}

void MessageBar::showProblem(const EngineError& error, const QString& topic) {
    show(Kind::Problem, error.message, error.where, error.hint, topic);
}

void MessageBar::offer(const QString& label, std::function<void()> action) {
    m_rows.last()->offer(label, std::move(action));
    showRows();
}

MessageRow* MessageBar::rowAbout(const QString& topic) const {
    const auto found = std::find_if(m_rows.begin(), m_rows.end(),
                                    [&](const MessageRow* row) { return row->topic() == topic; });
    return found == m_rows.end() ? nullptr : *found;
}

void MessageBar::retell(const QString& topic, const QString& what, const QString& hint) {
    if (MessageRow* row = rowAbout(topic)) {
        row->retell(what, hint);
        place();
    }
}

void MessageBar::withdraw(const QString& topic) {
    if (MessageRow* row = rowAbout(topic)) {
        remove(row);
        showRows();
    }
}

bool MessageBar::stands(const QString& topic) const { return rowAbout(topic) != nullptr; }

void MessageBar::remove(MessageRow* row) {
    m_rows.removeOne(row);
    layout()->removeWidget(row);
    row->setParent(nullptr);  // nobody finds it any more
    row->deleteLater();       // one of its buttons may be what was pressed
}

void MessageBar::showRows() {
    const auto hidden = std::max<qsizetype>(0, m_rows.size() - kMostSeen);
    for (qsizetype i = 0; i < m_rows.size(); ++i) {
        m_rows[i]->setVisible(i >= hidden);
    }
    m_waiting->setVisible(hidden > 0);
    m_waiting->setText(tr("and %1 earlier").arg(hidden));
    setVisible(!m_rows.isEmpty());
    place();
}

QString MessageBar::text() const {
    QStringList texts;
    for (const MessageRow* row : m_rows) {
        texts << row->text();
    }
    return texts.join(QStringLiteral("<hr>"));
}

void MessageBar::place() {
    if (parentWidget() == nullptr || m_rows.isEmpty()) {
        return;
    }
    const QRect room = parentWidget()->rect().adjusted(kAroundMessages, kAroundMessages,
                                                       -kAroundMessages, -kAroundMessages);
    layout()->activate();
    const int wanted = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(room.width())
                                                     : sizeHint().height();
    const int height = std::min(wanted, room.height());
    setGeometry(room.left(), room.bottom() - height + 1, room.width(), height);
    raise();
}

bool MessageBar::event(QEvent* event) {
    const bool taken = QFrame::event(event);
    if (event->type() == QEvent::LayoutRequest) {
        place();
    }
    return taken;
}

bool MessageBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize) {
        place();
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace cospadi::ui
