// A chart from a table of values in a CSV file, as `cospadi bench growth --csv` and `cospadi report
// --format csv` write them: the figures of a paper, without a window and the same every time.
#pragma once

#include <QString>
#include <QStringList>

namespace cospadi::ui {

class CurveChart;

struct CsvFigure {
    QString x;          // column
    QStringList y;      // columns; with more than one, all but the first have other dashes
    QString series;     // column whose values tell the curves apart; empty: one curve a column of y
    QStringList where;  // COLUMN=VALUE: only these rows
    bool logX = false;
    bool logY = false;
    QString xTitle;     // empty: the column's name
    QString yTitle;     // empty: the first column's name
    double xScale = 1;  // what values are multiplied by, for an axis in another unit
    double yScale = 1;
};

// Fills `chart` from text, a header line and a row a point; rows whose x or y is empty are left
// out. Returns why it cannot be drawn, naming line and column, or nothing.
QString drawCsvFigure(const QString& text, const CsvFigure& figure, CurveChart& chart);

}  // namespace cospadi::ui
