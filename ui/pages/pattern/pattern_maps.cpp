#include "ui/pages/pattern/pattern_maps.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <numeric>
#include <utility>

#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/difference_map.h"
#include "ui/charts/export_button.h"
#include "ui/charts/framed_map.h"
#include "ui/charts/linked_views.h"
#include "ui/charts/map_legend.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pattern_view.h"
#include "ui/pages/pattern/map_places.h"
#include "ui/widgets/elided_label.h"
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

QWidget* withCaption(FramedMap* map) {
    auto* caption = new ElidedLabel;
    caption->setObjectName(kCaption);
    auto* pane = new QWidget;
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(caption);
    column->addWidget(map, 1);
    return pane;
}

QLabel* captionOf(const QWidget* pane) {
    return pane->findChild<QLabel*>(kCaption, Qt::FindDirectChildrenOnly);
}

}  // namespace

PatternMaps::PatternMaps(QWidget* parent)
    : QWidget(parent),
      m_firstMap(new FramedMap(makeView("patternView", tr("Sparsity pattern")))),
      m_secondMap(new FramedMap(makeView("secondPatternView", tr("Second pattern")))),
      m_differenceMap(
          new FramedMap(makeView("patternDifferenceView", tr("Difference of both patterns")))),
      m_first(m_firstMap->view()),
      m_second(m_secondMap->view()),
      m_difference(m_differenceMap->view()),
      m_differencePane(makeDifference()),
      m_message(new EmptyState("patternMessage", EmptyState::smallRun(), m_first)),
      m_pattern(std::make_shared<PatternData>()),
      m_pair(std::make_shared<PatternPair>()),
      m_shownPair(m_pair) {
    connect(m_message, &EmptyState::wanted, this, &PatternMaps::smallRunWanted);
    auto* overlay = new QVBoxLayout(m_first);
    overlay->addWidget(m_message);
    m_firstPane = withCaption(m_firstMap);
    m_secondPane = withCaption(m_secondMap);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(makeSplitter(
        Qt::Vertical, makeSplitter(Qt::Horizontal, m_firstPane, m_secondPane), m_differencePane));
    showPanes(false);
    new LinkedViews({m_first, m_second, m_difference}, this);
    for (PatternView* view : {m_first, m_second, m_difference}) {
        connect(view, &PatternView::pointedAt, this,
                [this, view](int atRow, int atColumn) { point(view, atRow, atColumn); });
        connect(view, &PatternView::chosen, this, [this](int atRow, int atColumn, bool isColumn) {
            isColumn ? chooseColumn(atColumn) : chooseRow(atRow);
        });
    }
    for (FramedMap* map : {m_firstMap, m_secondMap, m_differenceMap}) {
        connect(map, &FramedMap::rowChosen, this, &PatternMaps::chooseRow);
        connect(map, &FramedMap::columnChosen, this, &PatternMaps::chooseColumn);
    }
}

void PatternMaps::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_shownPair->second.k > 0) {
        drawDifference();
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
    column->addWidget(m_differenceMap, 1);
    return pane;
}

void PatternMaps::setPattern(std::shared_ptr<const PatternData> pattern, const QString& matrix,
                             const QString& columns) {
    m_pattern = std::move(pattern);
    m_matrix = matrix;
    m_columns = columns;
    m_choice = {};
    setBeside(std::make_shared<PatternPair>());
}

void PatternMaps::setBeside(std::shared_ptr<const PatternPair> pair, const PairNames& names) {
    m_pair = std::move(pair);
    m_names = names;
    arrange();
}

void PatternMaps::setLook(EntryLook look) {
    m_entries = look;
    arrange();
}

void PatternMaps::setOrder(bool atomsByUse, bool columnsByCluster) {
    m_byUse = atomsByUse;
    m_byCluster = columnsByCluster;
    arrange();
}

void PatternMaps::showMessage(const QString& what, const QString& words, bool isFirst) {
    m_message->setWords(what, words);
    m_message->showAction(isFirst);
    m_message->show();
}

void PatternMaps::fit() {
    for (PatternView* view : {m_first, m_second, m_difference}) {
        view->fit();
    }
}

QString PatternMaps::caption(const QString& run, bool magnitude, double scale) const {
    const QString entries =
        magnitude ? tr("magnitude |S(i, j)| × ‖D(i)‖, full from %1 on (three times its rms)")
                        .arg(formatNumber(scale, 2))
                  : tr("mask, full where S(i, j) ≠ 0");
    if (!run.isEmpty() && !magnitude) {
        return run;  // there is little room for two
    }
    return run.isEmpty() ? entries : QStringLiteral("%1 · %2").arg(run, entries);
}

void PatternMaps::showPanes(bool paired) {
    const bool magnitude = m_entries == EntryLook::Magnitude;
    const bool both = !paired && m_entries == EntryLook::Both && m_pattern->pattern.k > 0;
    const auto named = [](const QString& words, const QString& name) {
        return name.isEmpty() ? words : QStringLiteral("%1: %2").arg(words, name);
    };
    captionOf(m_firstPane)->setVisible(m_pattern->pattern.k > 0);
    captionOf(m_firstPane)
        ->setText(caption(paired ? named(tr("first run"), m_names.first) : QString(), magnitude,
                          m_pattern->values.scale));
    const QString second =
        caption(paired ? named(tr("second run"), m_names.second) : QString(), magnitude || both,
                paired ? m_pair->secondValues.scale : m_pattern->values.scale);
    captionOf(m_secondPane)->setText(second);
    m_secondPane->setVisible(paired || both);
    m_differencePane->setVisible(paired);
}

void PatternMaps::arrange() {
    for (LatestWork* drawing : {&m_drawingFirst, &m_drawingSecond, &m_drawingDifference}) {
        drawing->forget();
    }
    const bool paired = m_pair->second.k > 0;
    showPanes(paired);
    if (m_pattern->pattern.k == 0) {
        for (PatternView* view : {m_first, m_second, m_difference}) {
            view->clear();
        }
        return;
    }
    m_message->hide();
    m_columnOrder = m_byCluster ? m_pattern->clusters.order : std::vector<std::int64_t>{};
    m_rowOrder = m_byUse ? m_pattern->rowsByUse : std::vector<std::int64_t>{};
    // Shares what it points into.
    const std::shared_ptr<const SparsityPattern> pattern(m_pattern, &m_pattern->pattern);
    const std::shared_ptr<const PatternValues> values(m_pattern, &m_pattern->values);
    const bool magnitude = m_entries == EntryLook::Magnitude;
    if (!paired) {
        drawPattern(m_drawingFirst, m_firstMap, pattern, magnitude ? values : nullptr, m_rowOrder);
        if (m_entries == EntryLook::Both) {
            drawPattern(m_drawingSecond, m_secondMap, pattern, values, m_rowOrder);
        } else {
            m_second->clear();
        }
        m_difference->clear();
        return;
    }
    const PatternDifference& both = m_pair->difference;
    if (m_byUse) {  // atoms without a partner stand below
        m_rowOrder.resize(static_cast<std::size_t>(both.rows));
        std::iota(m_rowOrder.begin() + static_cast<std::ptrdiff_t>(m_pattern->pattern.k),
                  m_rowOrder.end(), m_pattern->pattern.k);
    }
    const std::shared_ptr<const SparsityPattern> second(m_pair, &m_pair->second);
    const std::shared_ptr<const PatternValues> secondValues(m_pair, &m_pair->secondValues);
    drawPattern(m_drawingFirst, m_firstMap, pattern, magnitude ? values : nullptr,
                atomsInRows(both.firstAtom, m_rowOrder));
    drawPattern(m_drawingSecond, m_secondMap, second, magnitude ? secondValues : nullptr,
                atomsInRows(both.secondAtom, m_rowOrder));
    drawDifference();
}

void PatternMaps::drawPattern(LatestWork& drawing, FramedMap* map,
                              const std::shared_ptr<const SparsityPattern>& pattern,
                              const std::shared_ptr<const PatternValues>& values,
                              const std::vector<std::int64_t>& atoms) {
    draw(
        drawing, map->view(),
        [pattern, values, atoms, order = m_columnOrder] {
            return values ? magnitudePyramid(values->values, values->scale, pattern->k, pattern->d2,
                                             atoms, order)
                          : patternPyramid(pattern->entries, pattern->k, pattern->d2, atoms, order);
        },
        [this, map, bars = usageBars(*pattern, atoms, m_columnOrder)] {
            map->setBars(bars.rows, tr("columns that use the atom"), bars.columns,
                         tr("atoms that the column uses"));
            showMarks();
        });
}

std::int64_t PatternMaps::rowCount() const {
    return m_pair->second.k > 0 ? m_pair->difference.rows : m_pattern->pattern.k;
}

void PatternMaps::chooseRow(int row) {
    if (row >= rowCount()) {
        return;  // of a picture that is about to be replaced
    }
    std::int64_t atom = placed(m_rowOrder, row);
    if (m_pair->second.k > 0) {
        atom = m_pair->difference.firstAtom[static_cast<std::size_t>(atom)];
    }
    if (atom >= 0) {
        emit chosen({PatternChoice::Kind::Atom, atom});
    }
}

void PatternMaps::chooseColumn(int column) {
    if (column < m_pattern->pattern.d2) {
        emit chosen({PatternChoice::Kind::Column, placed(m_columnOrder, column)});
    }
}

void PatternMaps::choose(const PatternChoice& choice) {
    m_choice = choice;
    showMarks();
}

// On the first map, and on that of its magnitudes.
void PatternMaps::showMarks() {
    const SparsityPattern& pattern = m_pattern->pattern;
    const bool paired = m_pair->second.k > 0;
    const QSize map = m_first->image().size();
    if (map != QSize(static_cast<int>(pattern.d2), static_cast<int>(rowCount()))) {
        return;  // another picture is on its way
    }
    const MapMarks marks =
        marksOf(m_choice, pattern,
                paired ? atomsInRows(m_pair->difference.firstAtom, m_rowOrder) : m_rowOrder,
                m_columnOrder, map);
    m_first->setMarks(marks);
    m_second->setMarks(paired ? MapMarks{} : marks);
}

void PatternMaps::drawDifference() {
    const auto look = static_cast<DifferenceLook>(m_look->currentIndex());
    draw(
        m_drawingDifference, m_difference,
        [pair = m_pair, look, rows = m_rowOrder, columns = m_columnOrder, dark = theme().dark] {
            return differencePyramid(pair->difference, look, rows, columns, dark);
        },
        // With its picture and not sooner: until then another one stands.
        [this, pair = m_pair, look] {
            m_shownLook = look;
            m_shownPair = pair;
            m_legend->setEntries(differenceLegend(pair->difference, look, m_names, theme().dark));
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

}  // namespace cospadi::ui
