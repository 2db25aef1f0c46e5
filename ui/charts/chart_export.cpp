#include "ui/charts/chart_export.h"

#include <QApplication>
#include <QBuffer>
#include <QFont>
#include <QImage>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

#include "ui/base/point_numbers.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

constexpr double kDotsPerInch = 96;
constexpr double kMillimetresPerInch = 25.4;

QString creator() { return QStringLiteral("CoSpaDi Workbench"); }

bool drawSvg(const ExportSource& source, const ExportOptions& options, const QSize& size,
             QIODevice* device) {
    QSvgGenerator generator;
    generator.setOutputDevice(device);
    generator.setResolution(static_cast<int>(kDotsPerInch));
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(source.name);
    generator.setDescription(creator());
    QPainter painter;
    if (!painter.begin(&generator)) {
        return false;
    }
    drawExport(source, options, size, painter);
    return painter.end();
}

bool drawPdf(const ExportSource& source, const ExportOptions& options, const QSize& size,
             QIODevice* device) {
    QPdfWriter writer(device);
    writer.setTitle(source.name);
    writer.setCreator(creator());
    writer.setPageSize(
        QPageSize(QSizeF(size) / kDotsPerInch, QPageSize::Inch, {}, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setResolution(1200);
    QPainter painter;
    if (!painter.begin(&writer)) {
        return false;
    }
    painter.scale(1200 / kDotsPerInch, 1200 / kDotsPerInch);
    drawExport(source, options, size, painter);
    return painter.end();
}

bool drawPng(const ExportSource& source, const ExportOptions& options, const QSize& size,
             QIODevice* device) {
    const double scale = options.pngScale;
    QImage image(QSize(static_cast<int>(std::lround(size.width() * scale)),
                       static_cast<int>(std::lround(size.height() * scale))),
                 QImage::Format_ARGB32_Premultiplied);
    if (image.isNull()) {
        return false;
    }
    image.fill(Qt::white);
    const int dotsPerMetre = static_cast<int>(std::lround(kDotsPerInch * scale / 0.0254));
    image.setDotsPerMeterX(dotsPerMetre);
    image.setDotsPerMeterY(dotsPerMetre);
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.scale(scale, scale);
    drawExport(source, options, size, painter);
    painter.end();
    // QPainter set the image's resolution to the screen's where fonts are concerned; the file's
    // stays as it was set.
    return image.save(device, "PNG");
}

}  // namespace

void drawExport(const ExportSource& source, const ExportOptions& options, const QSize& size,
                QPainter& painter) {
    const double own = exportFont(QApplication::font()).pixelSize();
    const double wanted = options.fontPoints * kDotsPerInch / 72;
    const double scale = options.fontPoints > 0 && own > 0 ? wanted / own : 1;
    painter.save();
    painter.scale(scale, scale);
    source.draw(painter, (QSizeF(size) / scale).toSize(), options.print);
    painter.restore();
}

QFont exportFont(QFont font) {
    if (font.pointSizeF() > 0) {
        font.setPixelSize(static_cast<int>(std::lround(font.pointSizeF() * kDotsPerInch / 72)));
    }
    return font;
}

QString suffixOf(ExportFormat format) {
    switch (format) {
        case ExportFormat::Svg:
            return QStringLiteral("svg");
        case ExportFormat::Pdf:
            return QStringLiteral("pdf");
        case ExportFormat::Png:
            return QStringLiteral("png");
        case ExportFormat::Csv:
            return QStringLiteral("csv");
        case ExportFormat::Tikz:
            return QStringLiteral("tex");
    }
    return {};
}

QSize pixelsOfMillimetres(const QSizeF& millimetres) {
    return (millimetres / kMillimetresPerInch * kDotsPerInch).toSize();
}

QSizeF millimetresOfPixels(const QSize& pixels) {
    return QSizeF(pixels) / kDotsPerInch * kMillimetresPerInch;
}

QString csvCell(const QString& text) {
    if (!text.contains(',') && !text.contains('"') && !text.contains('\n')) {
        return text;
    }
    return '"' + QString(text).replace('"', QLatin1String("\"\"")) + '"';
}

QString writeExport(const ExportSource& source, const ExportOptions& options, const QString& path) {
    const PointNumbers numbers;
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return file.errorString();
    }
    const QSize size =
        (options.size.isEmpty() ? source.screenSize : options.size).expandedTo(QSize(40, 30));
    bool drawn = false;
    switch (options.format) {
        case ExportFormat::Svg:
            drawn = drawSvg(source, options, size, &file);
            break;
        case ExportFormat::Pdf:
            drawn = drawPdf(source, options, size, &file);
            break;
        case ExportFormat::Png:
            drawn = drawPng(source, options, size, &file);
            break;
        case ExportFormat::Csv:
        case ExportFormat::Tikz: {
            const QByteArray text = (options.format == ExportFormat::Csv ? source.csv()
                                     : source.tikz                       ? source.tikz(size)
                                                                         : QString())
                                        .toUtf8();
            drawn = !text.isEmpty() && file.write(text) == text.size();
            break;
        }
    }
    if (!drawn || !file.commit()) {
        return file.error() != QFileDevice::NoError ? file.errorString()
                                                    : Words::tr("the picture could not be drawn");
    }
    return {};
}

}  // namespace cospadi::ui
