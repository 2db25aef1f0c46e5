// Charts and maps as files: SVG for papers, PNG for slides, and the dialog that asks where to.
#pragma once

#include <QString>

class QGraphicsView;
class QWidget;

namespace cospadi::ui {

// Writes what the view shows, at its size in pixels, as vectors. False and *problem where it
// cannot.
bool writeSvg(QGraphicsView& view, const QString& path, const QString& title, QString* problem);

// The same as pixels, scale times as fine.
bool writePng(QWidget& view, const QString& path, QString* problem, int scale = 2);

// Asks for a file name and writes what its ending says (.svg or .png). Empty when the user changed
// their mind; otherwise the path, or *problem is set.
QString exportWithDialog(QGraphicsView& view, const QString& suggestedName, QString* problem);

}  // namespace cospadi::ui
