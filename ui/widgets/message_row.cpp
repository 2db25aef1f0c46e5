#include "ui/widgets/message_row.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <utility>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

constexpr double kTint = 0.1;  // of the kind's colour in the background

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

// Opaque: the page goes on below it.
QColor tinted(const QColor& paper, const QColor& colour) {
    const auto mix = [](int a, int b) { return static_cast<int>(a + kTint * (b - a)); };
    return {mix(paper.red(), colour.red()), mix(paper.green(), colour.green()),
            mix(paper.blue(), colour.blue())};
}

}  // namespace

MessageRow::MessageRow(const Message& message, QWidget* parent)
    : QFrame(parent), m_message(message), m_text(new QLabel), m_actions(new QHBoxLayout) {
    setObjectName(QStringLiteral("message"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 8, 8, 8);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* closeButton = new QToolButton;
    closeButton->setIcon(icon(QStringLiteral("close")));
    closeButton->setAutoRaise(true);
    closeButton->setToolTip(tr("Close this message"));
    closeButton->setAccessibleName(tr("Close message"));
    row->addWidget(m_text, 1);
    row->addLayout(m_actions);
    row->addWidget(closeButton, 0, Qt::AlignTop);
    connect(closeButton, &QToolButton::clicked, this, &MessageRow::ended);
    showColours();
}

void MessageRow::showColours() {
    const QColor colour = m_message.kind == Message::Kind::Problem   ? theme().error
                          : m_message.kind == Message::Kind::Success ? theme().good
                                                                     : theme().accent;
    const QString style =
        QStringLiteral(
            "QFrame#message { background: %1; border: 1px solid %2; "
            "border-left: 4px solid %3; }")
            .arg(tinted(theme().panel, colour).name(), theme().line.name(), colour.name());
    if (styleSheet() != style) {
        setStyleSheet(style);
        showWords();
    }
}

void MessageRow::showWords() {
    QString html = QStringLiteral("<b>%1</b>").arg(breakable(m_message.what).toHtmlEscaped());
    if (!m_message.hint.isEmpty()) {
        html += QStringLiteral("<br>") + breakable(m_message.hint).toHtmlEscaped();
    }
    if (!m_message.where.isEmpty()) {
        html += QStringLiteral(" <span style='color:%1'>(%2)</span>")
                    .arg(theme().muted.name(), breakable(m_message.where).toHtmlEscaped());
    }
    m_text->setText(html);
}

void MessageRow::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        showColours();
    }
}

QString MessageRow::text() const { return m_text->text(); }

void MessageRow::retell(const QString& what, const QString& hint) {
    m_message.what = what;
    m_message.hint = hint;
    showWords();
}

void MessageRow::offer(const QString& label, std::function<void()> action) {
    auto* button = new QPushButton(label);
    m_actions->addWidget(button);
    button->show();  // at once, not with the next turn of the event loop
    // The row goes with its end, and this closure with it.
    connect(button, &QPushButton::clicked, this, [this, act = std::move(action)] {
        const auto then = act;
        emit ended();
        then();
    });
}

}  // namespace cospadi::ui
