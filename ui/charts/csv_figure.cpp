#include "ui/charts/csv_figure.h"

#include <QHash>
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/base/translated.h"
#include "ui/charts/axis_ticks.h"
#include "ui/charts/curve_chart.h"
#include "ui/models/series_look.h"

namespace cospadi::ui {

namespace {

constexpr int kNamedTicks = 10;  // so many values of x are all named on its axis

// The cells of one line, RFC 4180; a cell holds no line break.
QStringList cellsOf(const QString& line) {
    QStringList cells{QString()};
    bool quoted = false;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            cells.last() += c;
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            cells.append(QString());
        } else {
            cells.last() += c;
        }
    }
    return cells;
}

class FigureTable {
  public:
    explicit FigureTable(const QString& text) {
        const QStringList lines = text.split('\n');
        for (qsizetype i = 0; i < lines.size(); ++i) {
            const QString line = lines[i].trimmed();
            if (line.isEmpty()) {
                continue;
            }
            if (m_header.isEmpty()) {
                m_header = cellsOf(line);
            } else {
                m_rows.append({i + 1, cellsOf(line)});
            }
        }
    }

    // Empty where all columns are there and all rows have as many cells.
    QString checked(const QStringList& columns) const {
        for (const QString& column : columns) {
            if (!m_header.contains(column)) {
                return Words::tr("there is no column \"%1\"; available: %2")
                    .arg(column, m_header.join(QStringLiteral(", ")));
            }
        }
        for (const Row& row : m_rows) {
            if (row.cells.size() != m_header.size()) {
                return Words::tr("line %1 has %2 cells, the header %3")
                    .arg(row.line)
                    .arg(row.cells.size())
                    .arg(m_header.size());
            }
        }
        return {};
    }

    qsizetype rows() const { return m_rows.size(); }
    qsizetype lineOf(qsizetype row) const { return m_rows[row].line; }
    QString cell(qsizetype row, const QString& column) const {
        return m_rows[row].cells[m_header.indexOf(column)].trimmed();
    }

  private:
    struct Row {
        qsizetype line = 0;  // of the text
        QStringList cells;
    };
    QStringList m_header;
    QList<Row> m_rows;
};

struct Condition {
    QString column;
    QString value;
};

// The cell as a number in `value`; otherwise why it is none. An empty cell is NaN.
QString numberIn(const FigureTable& table, qsizetype row, const QString& column, bool logarithmic,
                 double& value) {
    const QString cell = table.cell(row, column);
    bool isNumber = true;
    value = cell.isEmpty() ? std::nan("") : cell.toDouble(&isNumber);
    if (!isNumber) {
        return Words::tr("line %1, column \"%2\": \"%3\" is not a number")
            .arg(table.lineOf(row))
            .arg(column, cell);
    }
    if (logarithmic && value <= 0) {
        return Words::tr("line %1, column \"%2\": %3 has no logarithm")
            .arg(table.lineOf(row))
            .arg(column, cell);
    }
    return {};
}

QString curveName(const CsvFigure& figure, const QString& series, const QString& y) {
    if (figure.series.isEmpty()) {
        return figure.y.size() > 1 ? y : QString();
    }
    return figure.y.indexOf(y) > 0 ? series + ", " + y : series;
}

void nameXValues(const std::set<double>& values, bool logarithmic, CurveChart& chart) {
    QList<QPair<double, QString>> ticks;
    if (logarithmic || static_cast<int>(values.size()) <= kNamedTicks) {
        const QStringList labels = tickLabels(QList<double>(values.begin(), values.end()));
        for (const double value : values) {
            ticks.append({logarithmic ? std::log10(value) : value, labels[ticks.size()]});
        }
    }
    const double width = logarithmic ? std::log10(*values.rbegin() / *values.begin())
                                     : *values.rbegin() - *values.begin();
    chart.setXTicks(ticks, width > 0 ? 0.05 * width : 0.5);
}

}  // namespace

QString drawCsvFigure(const QString& text, const CsvFigure& figure, CurveChart& chart) {
    const FigureTable table(text);
    QList<Condition> conditions;
    QStringList columns = QStringList{figure.x} + figure.y;
    for (const QString& condition : figure.where) {
        const qsizetype equals = condition.indexOf('=');
        if (equals < 1) {
            return Words::tr("\"%1\" is not a condition: use COLUMN=VALUE").arg(condition);
        }
        conditions.append({condition.left(equals), condition.mid(equals + 1)});
        columns.append(conditions.last().column);
    }
    if (!figure.series.isEmpty()) {
        columns.append(figure.series);
    }
    if (QString problem = table.checked(columns); !problem.isEmpty()) {
        return problem;
    }

    QList<Curve> curves;
    QHash<QString, qsizetype> places;  // of the curves, by name
    QStringList families;              // values of the series, in their order
    std::set<double> xValues;
    for (qsizetype row = 0; row < table.rows(); ++row) {
        if (!std::all_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
                return table.cell(row, condition.column) == condition.value;
            })) {
            continue;
        }
        const QString series = figure.series.isEmpty() ? QString() : table.cell(row, figure.series);
        if (!families.contains(series)) {
            families.append(series);
        }
        for (const QString& column : figure.y) {
            double x = 0, y = 0;
            QString problem = numberIn(table, row, figure.x, figure.logX, x);
            problem = problem.isEmpty() ? numberIn(table, row, column, figure.logY, y) : problem;
            if (!problem.isEmpty()) {
                return problem;
            }
            if (!std::isfinite(x) || !std::isfinite(y)) {
                continue;
            }
            x *= figure.xScale;
            y *= figure.yScale;
            const QString name = curveName(figure, series, column);
            if (!places.contains(name)) {
                places.insert(name, curves.size());
                const bool first = column == figure.y.first();
                Curve curve;
                curve.name = name;
                setSeriesLook(curve,
                              static_cast<int>(figure.series.isEmpty() ? curves.size()
                                                                       : families.indexOf(series)));
                if (!figure.series.isEmpty() && figure.y.size() > 1) {
                    curve.pen = first ? leadingPen(curve.colour)
                                      : companionPen(curve.colour,
                                                     static_cast<int>(figure.y.indexOf(column)));
                }
                curve.style = first ? Curve::Style::LineAndPoints : Curve::Style::Line;
                curves.append(curve);
            }
            xValues.insert(x);
            curves[places[name]].points.append({figure.logX ? std::log10(x) : x, y});
        }
    }
    if (curves.isEmpty()) {
        return table.rows() == 0 ? Words::tr("there are no rows")
                                 : Words::tr("no row has values and meets the conditions");
    }
    for (Curve& curve : curves) {
        std::stable_sort(curve.points.begin(), curve.points.end(),
                         [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    }
    nameXValues(xValues, figure.logX, chart);
    chart.setTitles(CurveChart::Titles::Stay);
    chart.setAxisTitles(figure.xTitle.isEmpty() ? figure.x : figure.xTitle,
                        figure.yTitle.isEmpty() ? figure.y.first() : figure.yTitle);
    chart.setLogarithmic(figure.logY);
    chart.setCurves(curves);
    return {};
}

}  // namespace cospadi::ui
