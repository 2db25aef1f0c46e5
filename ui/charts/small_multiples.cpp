#include "ui/charts/small_multiples.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/curve_look.h"
#include "ui/charts/pgfplots.h"
#include "ui/charts/shared_legend.h"

namespace cospadi::ui {

namespace {

constexpr double kShape = 1.5;  // of a chart that reads well: width by height

// Of all numbers of columns that which leaves charts nearest to that shape.
int columnsFor(qsizetype count, const QSize& size) {
    int best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (int columns = 1; columns <= static_cast<int>(count); ++columns) {
        const double rows = std::ceil(static_cast<double>(count) / columns);
        const double shape = (size.width() / double(columns)) / (size.height() / rows);
        const double off = std::abs(std::log(shape / kShape)) +
                           0.2 * (rows * columns - static_cast<double>(count)) / columns;
        if (off < least) {
            least = off;
            best = columns;
        }
    }
    return best;
}

QLabel* mutedLabel() {
    auto* label = new QLabel;
    label->setObjectName(QStringLiteral("muted"));
    return label;
}

}  // namespace

SmallMultiples::SmallMultiples(QWidget* parent)
    : QWidget(parent),
      m_legend(new SharedLegend),
      m_yTitle(mutedLabel()),
      m_xTitle(mutedLabel()),
      m_grid(new QGridLayout) {
    m_xTitle->setAlignment(Qt::AlignCenter);
    m_grid->setSpacing(2);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(m_legend);
    column->addWidget(m_yTitle);
    column->addLayout(m_grid, 1);
    column->addWidget(m_xTitle);
}

void SmallMultiples::setMultiples(const QList<Multiple>& multiples, const PlotAxes& axes) {
    m_multiples = multiples;
    m_axes = axes;
    while (m_cells.size() < multiples.size()) {
        auto* cell = new QWidget;
        auto* column = new QVBoxLayout(cell);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        auto* title = new QLabel;
        title->setAlignment(Qt::AlignCenter);
        auto* chart = new CurveChart;
        chart->setMinimumSize(80, 60);
        chart->setLegendShown(false);
        chart->setTitles(CurveChart::Titles::Hidden);
        column->addWidget(title);
        column->addWidget(chart, 1);
        m_cells.append(cell);
        m_charts.append(chart);
    }
    while (m_cells.size() > multiples.size()) {
        delete m_cells.takeLast();
        m_charts.removeLast();
    }
    CurveExtent all;
    for (qsizetype i = 0; i < multiples.size(); ++i) {
        CurveChart* chart = m_charts[i];
        m_cells[i]
            ->findChild<QLabel*>(QString(), Qt::FindDirectChildrenOnly)
            ->setText(multiples[i].title);
        chart->setAccessibleName(multiples[i].title);
        chart->setAxes(axes);
        chart->setCurves(multiples[i].curves);
        all.add(chart->extent());
    }
    for (CurveChart* chart : m_charts) {
        chart->setSharedExtent(all);
    }
    m_legend->setCurves(multiples.isEmpty() ? QList<Curve>() : multiples.first().curves);
    m_yTitle->setText(axes.yTitle);
    m_xTitle->setText(axes.xTitle);
    m_columns = 0;
    place();
}

void SmallMultiples::place() {
    const int columns = columnsFor(m_cells.size(), size());
    if (columns == m_columns) {
        return;
    }
    m_columns = columns;
    for (QWidget* cell : m_cells) {
        m_grid->removeWidget(cell);
    }
    for (int i = 0; i < static_cast<int>(m_cells.size()); ++i) {
        m_grid->addWidget(m_cells[i], i / columns, i % columns);
    }
    for (int i = 0; i < std::max(m_grid->columnCount(), columns); ++i) {
        m_grid->setColumnStretch(i, i < columns ? 1 : 0);
    }
    const int rows = (static_cast<int>(m_cells.size()) + columns - 1) / columns;
    for (int i = 0; i < std::max(m_grid->rowCount(), rows); ++i) {
        m_grid->setRowStretch(i, i < rows ? 1 : 0);
    }
}

void SmallMultiples::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

ExportSource SmallMultiples::exportSource(const QString& name) const {
    ExportSource source;
    source.name = name;
    source.screenSize = size();
    QList<ExportSource> charts;
    for (const CurveChart* chart : m_charts) {
        charts.append(chart->exportSource(name));
    }
    source.draw = [charts, multiples = m_multiples, axes = m_axes, screenFont = font()](
                      QPainter& painter, const QSize& size, bool print) {
        const QFont words = exportFont(screenFont);
        const int line = QFontMetrics(words).height() + 4;
        const ChartColours colours = ChartColours::of(print);
        const QList<Curve> curves = multiples.isEmpty() ? QList<Curve>() : multiples[0].curves;
        const int legend = sharedLegendHeight(curves, size.width(), words, print);
        painter.fillRect(QRect(QPoint(0, 0), size), colours.paper);
        drawSharedLegend(painter, curves, size.width(), words, print);
        painter.setFont(words);
        painter.setPen(colours.words);
        painter.drawText(QRect(0, legend, size.width(), line), Qt::AlignLeft, axes.yTitle);
        painter.drawText(QRect(0, size.height() - line, size.width(), line), Qt::AlignHCenter,
                         axes.xTitle);
        const QRect inside(0, legend + line, size.width(), size.height() - legend - 2 * line);
        const int columns = columnsFor(charts.size(), inside.size());
        const int rows = (static_cast<int>(charts.size()) + columns - 1) / columns;
        const QSize cell(inside.width() / columns, inside.height() / std::max(rows, 1));
        for (int i = 0; i < static_cast<int>(charts.size()); ++i) {
            const QPoint at =
                inside.topLeft() + QPoint(i % columns * cell.width(), i / columns * cell.height());
            painter.setFont(words);
            painter.setPen(colours.text);
            painter.drawText(QRect(at, QSize(cell.width(), line)), Qt::AlignHCenter,
                             multiples[i].title);
            painter.save();
            painter.translate(at + QPoint(0, line));
            charts[i].draw(painter, QSize(cell.width(), cell.height() - line), print);
            painter.restore();
        }
    };
    source.csv = [text = csv()] { return text; };
    source.tikz = [multiples = m_multiples, axes = m_axes](const QSize& size) {
        QList<PgfPlot> plots;
        for (const Multiple& multiple : multiples) {
            plots.append({multiple.title, multiple.curves});
        }
        PgfAxis axis{axes.xTitle, axes.yTitle, axes.logarithmic.x, axes.logarithmic.y, axes.xTicks};
        for (auto& [place, label] : axis.xTicks) {
            place = axis.logarithmicX ? std::pow(10, place) : place;
        }
        return pgfplots(plots, axis, columnsFor(plots.size(), size), size);
    };
    return source;
}

QString SmallMultiples::csv() const {
    QString text;
    for (qsizetype i = 0; i < m_charts.size(); ++i) {
        QStringList lines = m_charts[i]->csv().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        const QString head = lines.takeFirst();
        text += i == 0 ? QStringLiteral("plot,%1\n").arg(head) : QString();
        for (const QString& line : std::as_const(lines)) {
            text += csvCell(m_multiples[i].title) + QLatin1Char(',') + line + QLatin1Char('\n');
        }
    }
    return text;
}

}  // namespace cospadi::ui
