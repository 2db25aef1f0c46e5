#include "ui/widgets/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <utility>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

// A word as long as a path must not make the window wider than a small screen: it may be broken.
QString breakable(const QString& text) {
    constexpr int kLongestWord = 70;
    const QChar mayBreak(0x200b);
    QString result;
    int length = 0;
    for (const QChar character : text) {
        length = character.isSpace() ? 0 : length + 1;
        result += character;
        if (length >= kLongestWord) {
            result += mayBreak;
            length = 0;
        }
    }
    return result;
}

}  // namespace

MessageBar::MessageBar(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("messageBar"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 8, 8, 8);
    m_text = new QLabel;
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_actions = new QHBoxLayout;
    auto* closeButton = new QToolButton;
    closeButton->setIcon(icon(QStringLiteral("close")));
    closeButton->setAutoRaise(true);
    closeButton->setToolTip(tr("Close this message"));
    closeButton->setAccessibleName(tr("Close message"));
    row->addWidget(m_text, 1);
    row->addLayout(m_actions);
    row->addWidget(closeButton, 0, Qt::AlignTop);
    connect(closeButton, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void MessageBar::show(Kind kind, const QString& what, const QString& where, const QString& hint) {
    const QColor colour = kind == Kind::Problem   ? theme().error
                          : kind == Kind::Success ? theme().good
                                                  : theme().accent;
    setStyleSheet(QStringLiteral("QFrame#messageBar { background: rgba(%1,%2,%3,24); border: 0; "
                                 "border-left: 4px solid %4; }")
                      .arg(colour.red())
                      .arg(colour.green())
                      .arg(colour.blue())
                      .arg(colour.name()));
    QString html = QStringLiteral("<b>%1</b>").arg(breakable(what).toHtmlEscaped());
    if (!hint.isEmpty()) {
        html += QStringLiteral("<br>") + breakable(hint).toHtmlEscaped();
    }
    if (!where.isEmpty()) {
        html += QStringLiteral(" <span style='color:%1'>(%2)</span>")
                    .arg(theme().muted.name(), breakable(where).toHtmlEscaped());
    }
    m_text->setText(html);
    clearActions();
    QFrame::show();
}

void MessageBar::clearActions() {
    while (QLayoutItem* item = m_actions->takeAt(0)) {
        item->widget()->deleteLater();  // one of them may be what was pressed
        item->widget()->hide();
        delete item;
    }
}

void MessageBar::offer(const QString& label, std::function<void()> action) {
    auto* button = new QPushButton(label);
    m_actions->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, action = std::move(action)] {
        hide();
        action();
    });
}

QString MessageBar::text() const { return m_text->text(); }

}  // namespace cospadi::ui
