#include "ui/widgets/elided_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

#include "ui/base/theme.h"

namespace cospadi::ui {

ElidedLabel::ElidedLabel(const QString& words, QWidget* parent) : QLabel(words, parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::showProblem(const QString& problem) {
    m_isProblem = true;
    setText(problem);
    update();
}

void ElidedLabel::showWords(const QString& words) {
    m_isProblem = false;
    setText(words);
    update();
}

bool ElidedLabel::isCut() const {
    return fontMetrics().horizontalAdvance(text()) > contentsRect().width();
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    drawFrame(&painter);
    QPalette colours = palette();
    if (m_isProblem) {
        colours.setColor(foregroundRole(), theme().error);
    }
    style()->drawItemText(
        &painter, contentsRect(),
        static_cast<int>(QStyle::visualAlignment(layoutDirection(), alignment())) |
            Qt::TextSingleLine,
        colours, isEnabled(),
        fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()), foregroundRole());
}

bool ElidedLabel::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && isCut()) {
        const QString more = toolTip() == text() ? QString() : toolTip();
        QToolTip::showText(static_cast<const QHelpEvent*>(event)->globalPos(),
                           more.isEmpty() ? text() : text() + QLatin1Char('\n') + more, this);
        return true;
    }
    return QLabel::event(event);
}

}  // namespace cospadi::ui
