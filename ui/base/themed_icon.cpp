#include "ui/base/themed_icon.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include "ui/base/theme.h"

namespace cospadi::ui {

void ThemedIcon::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode,
                       QIcon::State /*state*/) {
    QFile file(QStringLiteral(":/workbench/icons/%1.svg").arg(m_name));
    if (!file.open(QIODevice::ReadOnly)) {
        return;
    }
    QByteArray drawing = file.readAll();
    const QColor ink = mode == QIcon::Disabled ? theme().faint : theme().text;
    drawing.replace("#3a4654", ink.name().toLatin1());
    if (m_name == QLatin1String("play")) {  // stands on the primary button
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
