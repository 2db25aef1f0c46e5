#include "ui/pages/pattern/difference_pane.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/base/theme.h"
#include "ui/charts/export_button.h"
#include "ui/charts/framed_map.h"
#include "ui/charts/map_export.h"
#include "ui/charts/map_legend.h"
#include "ui/charts/pattern_view.h"

namespace cospadi::ui {

DifferencePane::DifferencePane(FramedMap* map, QWidget* parent)
    : QWidget(parent), m_map(map), m_shownPair(m_places.pair()) {
    m_look = new QComboBox;
    m_look->setObjectName(QStringLiteral("patternDifferenceLook"));
    m_look->setAccessibleName(tr("What the difference shows"));
    m_look->addItems({tr("which entries"), tr("entries and values")});
    m_look->setToolTip(
        tr("entries and values: where both runs have an entry, by how much their values differ "
           "(coefficient × length of its atom)"));
    m_legend = new MapLegend;
    auto* save = new ExportButton([this] { return exportSource(); });
    save->setAccessibleName(tr("Export the difference"));
    connect(save, &ExportButton::exported, this, &DifferencePane::exported);
    connect(m_look, &QComboBox::currentIndexChanged, this, &DifferencePane::draw);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(new QLabel(tr("Difference")));
    row->addWidget(m_look);
    row->addWidget(m_legend, 1);
    row->addWidget(save);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(row);
    column->addWidget(m_map, 1);
}

void DifferencePane::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_shownPair->second.k > 0) {
        draw();
    }
}

void DifferencePane::setMatrix(const QString& matrix, const QString& columns) {
    m_matrix = matrix;
    m_columns = columns;
}

void DifferencePane::arrange(const PatternPlaces& places, const PairNames& names) {
    m_drawing.forget();
    m_places = places;
    m_names = names;
}

void DifferencePane::draw() {
    const auto look = static_cast<DifferenceLook>(m_look->currentIndex());
    m_drawing.ask(
        [pair = m_places.pair(), look, rows = m_places.rowOrder(), columns = m_places.columnOrder(),
         dark = theme().dark] {
            return differencePyramid(pair->difference, look, rows, columns, dark);
        },
        // Legend with its picture and not sooner: until then another one stands.
        [this, pair = m_places.pair(), look](const QList<QImage>& levels) {
            m_map->view()->setPyramid(levels);
            m_shownLook = look;
            m_shownPair = pair;
            m_legend->setEntries(differenceLegend(pair->difference, look, m_names, theme().dark));
        },
        [this](const Error& error) {
            emit failed(QString::fromStdString(error.problem()).toHtmlEscaped());
        });
}

ExportSource DifferencePane::exportSource() const {
    ExportSource source =
        mapExportSource(*m_map->view(), QStringLiteral("pattern-difference-%1").arg(m_matrix),
                        tr("matched atoms (%1)").arg(m_shownPair->difference.rows),
                        tr("%1 (%2)").arg(m_columns).arg(m_places.columnCount()),
                        differenceLegend(m_shownPair->difference, m_shownLook, m_names),
                        // White, whatever the window is.
                        m_shownPair == m_places.pair()
                            ? differencePyramid(m_shownPair->difference, m_shownLook,
                                                m_places.rowOrder(), m_places.columnOrder())
                                  .value(0)
                            : QImage());
    source.csv = [pair = m_shownPair] { return differenceCsv(pair->difference); };
    return source;
}

}  // namespace cospadi::ui
