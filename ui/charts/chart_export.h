// Charts and maps as files: SVG, PDF and pgfplots for papers, PNG for slides, CSV for other
// programs. What can be exported describes itself as an ExportSource; the writers here do the rest.
// Files appear under their name only when they are complete.
#pragma once

#include <QSize>
#include <QSizeF>
#include <QString>
#include <functional>

class QFont;
class QPainter;

namespace cospadi::ui {

struct ExportSource {
    QString name;      // suggested file name without its ending, and the title inside the file
    QSize screenSize;  // in pixels of 1/96 inch, as it stands on the screen
    // Draws it at (0, 0) in the given size, in pixels of 1/96 inch. print: white background, line
    // styles as well as colours.
    std::function<void(QPainter& painter, const QSize& size, bool print)> draw;
    std::function<QString()> csv;  // its data: a header line, then a row a point
    // A tikzpicture of this size with the data in it; empty: it has none.
    std::function<QString(const QSize& size)> tikz;
};

enum class ExportFormat { Svg, Pdf, Png, Csv, Tikz };

struct ExportOptions {
    ExportFormat format = ExportFormat::Svg;
    QSize size;             // in pixels of 1/96 inch; empty: as on the screen
    bool print = true;      // the print look
    double fontPoints = 0;  // words as large as this on paper; 0: as on the screen
    double pngScale = 3;    // PNG pixels a pixel of 1/96 inch: 3 is 288 dpi
};

// "svg", "pdf", "png", "csv", "tex"
QString suffixOf(ExportFormat format);

QSize pixelsOfMillimetres(const QSizeF& millimetres);
QSizeF millimetresOfPixels(const QSize& pixels);

// A font of the screen for an ExportSource to draw with: as large in every file as it stands there.
// Sizes in points would grow with the resolution of the file, on top of its scale.
QFont exportFont(QFont font);

// Draws it at (0, 0) as the options say; all of it grows and shrinks with its words.
void drawExport(const ExportSource& source, const ExportOptions& options, const QSize& size,
                QPainter& painter);

// Empty where it was written; otherwise why not.
QString writeExport(const ExportSource& source, const ExportOptions& options, const QString& path);

// One cell of a CSV line, quoted where RFC 4180 asks for it.
QString csvCell(const QString& text);

}  // namespace cospadi::ui
