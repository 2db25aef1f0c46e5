#include "ui/charts/framed_map.h"

#include <QGridLayout>
#include <utility>

#include "ui/base/font_units.h"
#include "ui/charts/map_side.h"
#include "ui/charts/pattern_view.h"

namespace cospadi::ui {

namespace {

constexpr double kRoomForBars = 9.5;  // lines of height

}  // namespace

FramedMap::FramedMap(PatternView* view, QWidget* parent) : QWidget(parent), m_view(view) {
    auto* rowTicks = new MapSide(view, MapSide::Content::RowTicks);
    auto* columnTicks = new MapSide(view, MapSide::Content::ColumnTicks);
    m_rowBars = new MapSide(view, MapSide::Content::RowBars);
    m_columnBars = new MapSide(view, MapSide::Content::ColumnBars);
    m_rowBars->setObjectName(QStringLiteral("rowBars"));
    m_columnBars->setObjectName(QStringLiteral("columnBars"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(0);
    grid->addWidget(m_columnBars, 0, 1);
    grid->addWidget(rowTicks, 1, 0);
    grid->addWidget(view, 1, 1);
    grid->addWidget(m_rowBars, 1, 2);
    grid->addWidget(columnTicks, 2, 1);
    grid->setRowStretch(1, 1);
    grid->setColumnStretch(1, 1);
    for (MapSide* side : {rowTicks, m_rowBars}) {
        connect(side, &MapSide::chosen, this, &FramedMap::rowChosen);
    }
    for (MapSide* side : {columnTicks, m_columnBars}) {
        connect(side, &MapSide::chosen, this, &FramedMap::columnChosen);
    }
}

void FramedMap::setBars(std::vector<double> rows, const QString& rowWords,
                        std::vector<double> columns, const QString& columnWords) {
    m_hasBars = !rows.empty() && !columns.empty();
    m_rowBars->setBars(std::move(rows), rowWords);
    m_columnBars->setBars(std::move(columns), columnWords);
    showBars();
}

void FramedMap::showBars() {
    const bool shown = m_hasBars && height() >= linesHigh(font(), kRoomForBars);
    m_rowBars->setVisible(shown);
    m_columnBars->setVisible(shown);
}

void FramedMap::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showBars();
}

}  // namespace cospadi::ui
