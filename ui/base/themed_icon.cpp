#include "ui/base/themed_icon.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QRegularExpression>
#include <QSvgRenderer>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

QByteArray inOneColour(const QByteArray& drawing, const QColor& colour) {
    static const QRegularExpression colours(QStringLiteral("#[0-9a-fA-F]{6}"));
    return QString::fromUtf8(drawing).replace(colours, colour.name()).toUtf8();
}

}  // namespace

void ThemedIcon::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode,
                       QIcon::State /*state*/) {
    QFile file(QStringLiteral(":/workbench/icons/%1.svg").arg(m_name));
    if (!file.open(QIODevice::ReadOnly)) {
        return;
    }
    QByteArray drawing = file.readAll();
    if (mode == QIcon::Disabled) {
        drawing = inOneColour(drawing, theme().faint);
    }
    drawing.replace("#3a4654", theme().text.name().toLatin1());
    if (mode == QIcon::Disabled) {
        // What cannot be pressed has no colour of its own.
    } else if (m_name == QLatin1String("play")) {  // stands on the primary button
        drawing.replace("#ffffff", theme().accentText.name().toLatin1());
    } else if (m_name != QLatin1String("cospadi-workbench")) {
        drawing.replace("#ffffff", theme().panel.name().toLatin1());
    }
    QSvgRenderer(drawing).render(painter, rect);
}

QPixmap ThemedIcon::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) {
    QPixmap picture(size);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    return picture;
}

}  // namespace cospadi::ui
