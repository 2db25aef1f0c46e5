#include "ui/widgets/chart_export.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QGraphicsView>
#include <QPainter>
#include <QPixmap>
#include <QSaveFile>
#include <QSvgGenerator>

namespace cospadi::ui {

bool writeSvg(QGraphicsView& view, const QString& path, const QString& title, QString* problem) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        *problem = file.errorString();
        return false;
    }
    const QRect area(QPoint(0, 0), view.viewport()->size());
    QSvgGenerator generator;
    generator.setOutputDevice(&file);
    generator.setSize(area.size());
    generator.setViewBox(area);
    generator.setTitle(title);
    generator.setDescription(QStringLiteral("CoSpaDi Workbench"));
    QPainter painter;
    if (!painter.begin(&generator)) {
        *problem = QCoreApplication::translate("chartExport", "the SVG writer did not start");
        return false;
    }
    view.render(&painter, area, area);
    painter.end();
    if (!file.commit()) {
        *problem = file.errorString();
        return false;
    }
    return true;
}

bool writePng(QWidget& view, const QString& path, QString* problem, int scale) {
    QPixmap pixmap(view.size() * scale);
    pixmap.setDevicePixelRatio(scale);
    pixmap.fill(Qt::white);
    view.render(&pixmap);
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || !pixmap.save(&file, "PNG") || !file.commit()) {
        *problem = file.errorString();
        return false;
    }
    return true;
}

QString exportWithDialog(QGraphicsView& view, const QString& suggestedName, QString* problem) {
    const QString path = QFileDialog::getSaveFileName(
        &view, QCoreApplication::translate("chartExport", "Export the chart"),
        suggestedName + QStringLiteral(".svg"),
        QCoreApplication::translate("chartExport",
                                    "Vector graphics (*.svg);;Portable network graphics (*.png)"));
    if (path.isEmpty()) {
        return {};
    }
    const bool pixels = QFileInfo(path).suffix().toLower() == QLatin1String("png");
    const bool done =
        pixels ? writePng(view, path, problem) : writeSvg(view, path, suggestedName, problem);
    return done ? path : QString();
}

}  // namespace cospadi::ui
