#include "ui/pages/pattern/pattern_maps.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <numeric>
#include <utility>

#include "ui/charts/difference_map.h"
#include "ui/charts/export_button.h"
#include "ui/charts/linked_views.h"
#include "ui/charts/map_legend.h"
#include "ui/charts/pattern_view.h"
#include "ui/widgets/empty_state.h"

namespace cospadi::ui {

namespace {

PatternView* makeView(const char* objectName, const QString& accessibleName) {
    auto* view = new PatternView;
    view->setObjectName(QString::fromLatin1(objectName));
    view->setAccessibleName(accessibleName);
    view->setMinimumSize(120, 70);  // three of them, on a low screen
    return view;
}

QSplitter* makeSplitter(Qt::Orientation orientation, QWidget* first, QWidget* second) {
    auto* splitter = new QSplitter(orientation);
    splitter->addWidget(first);
    splitter->addWidget(second);
    splitter->setSizes({500, 500});
    splitter->setHandleWidth(8);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

const QString kCaption = QStringLiteral("muted");  // also its style

QWidget* withCaption(PatternView* view, const QString& words) {
    auto* caption = new QLabel(words);
    caption->setObjectName(kCaption);
    auto* pane = new QWidget;
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(caption);
    column->addWidget(view, 1);
    return pane;
}

// The atom of one run in each row of the map.
std::vector<std::int64_t> atomsInRows(const std::vector<std::int64_t>& atoms,
                                      const std::vector<std::int64_t>& rowOrder) {
    if (rowOrder.empty()) {
        return atoms;
    }
    std::vector<std::int64_t> result;
    result.reserve(rowOrder.size());
    for (const std::int64_t row : rowOrder) {
        result.push_back(atoms[static_cast<std::size_t>(row)]);
    }
    return result;
}

std::int64_t placed(const std::vector<std::int64_t>& order, int i) {
    return order.empty() ? i : order[static_cast<std::size_t>(i)];
}

}  // namespace

PatternMaps::PatternMaps(QWidget* parent)
    : QWidget(parent),
      m_first(makeView("patternView", tr("Sparsity pattern"))),
      m_second(makeView("secondPatternView", tr("Sparsity pattern of the second run"))),
      m_difference(makeView("patternDifferenceView", tr("Difference of both patterns"))),
      m_differencePane(makeDifference()),
      m_message(new EmptyState(m_first)),
      m_firstRun(m_message->addAction("tryOneBlock", tr("Try &one block first"),
                                      tr("Seconds, and the result is explained"))),
      m_pattern(std::make_shared<PatternData>()),
      m_pair(std::make_shared<PatternPair>()),
      m_shownPair(m_pair) {
    connect(m_firstRun, &QPushButton::clicked, this, &PatternMaps::smallRunWanted);
    auto* overlay = new QVBoxLayout(m_first);
    overlay->addWidget(m_message);
    m_firstPane = withCaption(m_first, tr("first run"));
    m_secondPane =
        withCaption(m_second, tr("second run, its atoms in the rows of those they match"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(makeSplitter(
        Qt::Vertical, makeSplitter(Qt::Horizontal, m_firstPane, m_secondPane), m_differencePane));
    showPanes(false);
    new LinkedViews({m_first, m_second, m_difference}, this);
    for (PatternView* view : {m_first, m_second, m_difference}) {
        connect(view, &PatternView::pointedAt, this, &PatternMaps::point);
    }
}

QWidget* PatternMaps::makeDifference() {
    m_look = new QComboBox;
    m_look->setObjectName(QStringLiteral("patternDifferenceLook"));
    m_look->setAccessibleName(tr("What the difference shows"));
    m_look->addItems({tr("which entries"), tr("entries and values")});
    m_look->setToolTip(
        tr("entries and values: where both runs have an entry, by how much their values differ "
           "(coefficient × length of its atom)"));
    m_legend = new MapLegend;
    auto* save = new ExportButton([this] { return differenceSource(); });
    save->setAccessibleName(tr("Export the difference"));
    connect(save, &ExportButton::exported, this, &PatternMaps::exported);
    connect(m_look, &QComboBox::currentIndexChanged, this, &PatternMaps::drawDifference);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(new QLabel(tr("Difference")));
    row->addWidget(m_look);
    row->addWidget(m_legend, 1);
    row->addWidget(save);
    auto* pane = new QWidget;
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(row);
    column->addWidget(m_difference, 1);
    return pane;
}

void PatternMaps::setPattern(std::shared_ptr<const PatternData> pattern, const QString& matrix,
                             const QString& columns) {
    m_pattern = std::move(pattern);
    m_matrix = matrix;
    m_columns = columns;
    setBeside(std::make_shared<PatternPair>());
}

void PatternMaps::setBeside(std::shared_ptr<const PatternPair> pair) {
    m_pair = std::move(pair);
    arrange();
}

void PatternMaps::setOrder(bool atomsByUse, bool columnsByCluster) {
    m_byUse = atomsByUse;
    m_byCluster = columnsByCluster;
    arrange();
}

void PatternMaps::showMessage(const QString& what, const QString& words, bool isFirst) {
    m_message->setWords(what, words);
    m_firstRun->setVisible(isFirst);
    m_message->show();
}

void PatternMaps::fit() {
    for (PatternView* view : {m_first, m_second, m_difference}) {
        view->fit();
    }
}

void PatternMaps::showPanes(bool paired) {
    m_firstPane->findChild<QLabel*>(kCaption, Qt::FindDirectChildrenOnly)->setVisible(paired);
    m_secondPane->setVisible(paired);
    m_differencePane->setVisible(paired);
}

void PatternMaps::arrange() {
    for (LatestWork* drawing : {&m_drawingFirst, &m_drawingSecond, &m_drawingDifference}) {
        drawing->forget();
    }
    const bool paired = m_pair->second.k > 0;
    showPanes(paired);
    if (m_pattern->pattern.k == 0) {
        m_first->clear();
        return;
    }
    m_message->hide();
    m_columnOrder = m_byCluster ? m_pattern->clusters.order : std::vector<std::int64_t>{};
    m_rowOrder = m_byUse ? m_pattern->rowsByUse : std::vector<std::int64_t>{};
    if (!paired) {
        m_second->clear();
        m_difference->clear();
        draw(m_drawingFirst, m_first,
             [data = m_pattern, rows = m_rowOrder, columns = m_columnOrder] {
                 return patternPyramid(data->pattern.entries, data->pattern.k, data->pattern.d2,
                                       rows, columns);
             });
        return;
    }
    const PatternDifference& both = m_pair->difference;
    if (m_byUse) {  // atoms without a partner stand below
        m_rowOrder.resize(static_cast<std::size_t>(both.rows));
        std::iota(m_rowOrder.begin() + static_cast<std::ptrdiff_t>(m_pattern->pattern.k),
                  m_rowOrder.end(), m_pattern->pattern.k);
    }
    draw(m_drawingFirst, m_first,
         [data = m_pattern, rows = atomsInRows(both.firstAtom, m_rowOrder),
          columns = m_columnOrder] {
             return patternPyramid(data->pattern.entries, data->pattern.k, data->pattern.d2, rows,
                                   columns);
         });
    draw(m_drawingSecond, m_second,
         [pair = m_pair, rows = atomsInRows(both.secondAtom, m_rowOrder), columns = m_columnOrder] {
             return patternPyramid(pair->second.entries, pair->second.k, pair->second.d2, rows,
                                   columns);
         });
    drawDifference();
}

void PatternMaps::drawDifference() {
    const auto look = static_cast<DifferenceLook>(m_look->currentIndex());
    draw(
        m_drawingDifference, m_difference,
        [pair = m_pair, look, rows = m_rowOrder, columns = m_columnOrder] {
            return differencePyramid(pair->difference, look, rows, columns);
        },
        // With its picture and not sooner: until then another one stands.
        [this, pair = m_pair, look] {
            m_shownLook = look;
            m_shownPair = pair;
            m_legend->setEntries(differenceLegend(pair->difference, look));
        });
}

void PatternMaps::draw(LatestWork& drawing, PatternView* view, std::function<QList<QImage>()> make,
                       std::function<void()> shown) {
    drawing.ask(
        std::move(make),
        [view, shown = std::move(shown)](const QList<QImage>& levels) {
            view->setPyramid(levels);
            if (shown) {
                shown();
            }
        },
        [this](const Error& error) {
            showMessage(QString::fromStdString(error.problem()).toHtmlEscaped(), {}, false);
        });
}

QString PatternMaps::words(std::int64_t row, std::int64_t column) const {
    const auto used = [this](std::int64_t atom) {
        return tr("atom %1 (used by %2 columns)")
            .arg(atom)
            .arg(m_pattern->pattern.atomUsage[static_cast<std::size_t>(atom)]);
    };
    if (m_pair->second.k == 0) {
        return tr("%1, column %2").arg(used(row)).arg(column);
    }
    const PatternDifference& both = m_pair->difference;
    const std::int64_t here = both.firstAtom[static_cast<std::size_t>(row)];
    const std::int64_t there = both.secondAtom[static_cast<std::size_t>(row)];
    const auto at = static_cast<std::size_t>(column * both.rows + row);
    const QString apart = QLocale().toString(static_cast<double>(both.valueDifference[at]), 'g', 3);
    const QString state[] = {tr("in neither"), tr("only in the first run"),
                             tr("only in the second run"),
                             tr("in both, value first − second %1").arg(apart)};
    return tr("%1 · %2, column %3: %4")
        .arg(here < 0 ? tr("no atom of the first run") : used(here),
             there < 0 ? tr("none of the second") : tr("atom %1 of the second").arg(there))
        .arg(column)
        .arg(state[both.where[at]]);
}

void PatternMaps::point(int row, int column) {
    const std::int64_t rows = m_pair->second.k > 0 ? m_pair->difference.rows : m_pattern->pattern.k;
    const bool inside = row >= 0 && row < rows && column >= 0 && column < m_pattern->pattern.d2;
    emit pointedAt(inside ? words(placed(m_rowOrder, row), placed(m_columnOrder, column))
                          : QString());
}

ExportSource PatternMaps::exportSource() const {
    ExportSource source = mapExportSource(*m_first, QStringLiteral("pattern-%1").arg(m_matrix),
                                          tr("atoms of D (%1)").arg(m_pattern->pattern.k),
                                          tr("%1 (%2)").arg(m_columns).arg(m_pattern->pattern.d2));
    source.csv = [data = m_pattern] {
        const SparsityPattern& pattern = data->pattern;
        QString text = QStringLiteral("atom,column\n");
        for (std::int64_t j = 0; j < pattern.d2; ++j) {
            for (std::int64_t i = 0; i < pattern.k; ++i) {
                if (pattern.entries[static_cast<std::size_t>(j * pattern.k + i)] != 0) {
                    text += QStringLiteral("%1,%2\n").arg(i).arg(j);
                }
            }
        }
        return text;
    };
    return source;
}

ExportSource PatternMaps::differenceSource() const {
    ExportSource source =
        mapExportSource(*m_difference, QStringLiteral("pattern-difference-%1").arg(m_matrix),
                        tr("matched atoms (%1)").arg(m_shownPair->difference.rows),
                        tr("%1 (%2)").arg(m_columns).arg(m_pattern->pattern.d2),
                        differenceLegend(m_shownPair->difference, m_shownLook));
    source.csv = [pair = m_shownPair] { return differenceCsv(pair->difference); };
    return source;
}

}  // namespace cospadi::ui
