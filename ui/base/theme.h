// Colours of the window in one place: a calm light palette over Qt's Fusion style, and the
// colour-blind-safe series colours (after Okabe and Ito) of every chart.
// GUI thread only.
#pragma once

#include <QColor>
#include <QIcon>
#include <QList>
#include <QString>

class QApplication;

namespace cospadi::ui {

struct Theme {
    QColor window;  // behind panels
    QColor panel;   // cards, charts, tables
    QColor text;
    QColor muted;       // secondary text, axis labels
    QColor line;        // borders and grid lines
    QColor background;  // curves that are not highlighted
    QColor accent;      // the primary action, selections
    QColor good;
    QColor warning;
    QColor error;
    QColor dictionary;  // parts of the byte bar
    QColor values;
    QColor mask;
    QList<QColor> series;
};

const Theme& theme();

// Sets style, palette, fonts, style sheet and icon; loads the resources of this library.
void applyTheme(QApplication& application);

// An icon of resources/ui/icons by its file's base name, e.g. "play".
QIcon icon(const QString& name);

}  // namespace cospadi::ui
