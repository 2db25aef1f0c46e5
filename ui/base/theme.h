// Colours of the window in one place: a calm light palette and a dark one over Qt's Fusion style,
// and the colour-blind-safe series colours (after Okabe and Ito) of every chart. Widgets that keep
// colours of their own take them again at QEvent::StyleChange. GUI thread only.
#pragma once

#include <QColor>
#include <QIcon>
#include <QList>
#include <QString>

class QApplication;

namespace cospadi::ui {

struct Theme {
    bool dark = false;
    QColor window;  // behind panels
    QColor panel;   // cards, charts, tables
    QColor stripe;  // every second row of a table
    QColor button;
    QColor text;
    QColor muted;       // secondary text, axis labels, placeholders
    QColor faint;       // what is disabled: contrast ≥ 3 on all of the above
    QColor outline;     // of what can be ticked: ≥ 3 as well
    QColor line;        // borders and grid lines
    QColor background;  // curves that are not highlighted: ≥ 3 on a panel
    QColor accent;      // the primary action, selections
    QColor accentText;  // on it
    QColor accentSoft;  // behind what is chosen but not in front
    QColor good;
    QColor warning;
    QColor error;
    QColor dictionary;  // parts of the byte bar
    QColor values;
    QColor mask;
    QList<QColor> series;
};

// Text, muted, accent, good, warning and error are read: contrast ≥ 4.5 on window, panel and stripe
// (WCAG 2.1).
const Theme& theme();

// Sets style, palette, style sheet and icon; loads the resources of this library. May be called
// again to change between light and dark.
void applyTheme(QApplication& application, bool dark = false);

// An icon of resources/ui/icons by its file's base name, e.g. "play", in the colour of the text.
QIcon icon(const QString& name);

}  // namespace cospadi::ui
