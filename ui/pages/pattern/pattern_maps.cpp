#include "ui/pages/pattern/pattern_maps.h"

#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <utility>

#include "core/patterns/pattern_values.h"
#include "ui/base/format.h"
#include "ui/base/names_for_readers.h"
#include "ui/charts/framed_map.h"
#include "ui/charts/linked_views.h"
#include "ui/charts/map_export.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pattern_view.h"
#include "ui/pages/pattern/difference_pane.h"
#include "ui/pages/pattern/entry_words.h"
#include "ui/pages/pattern/pattern_csv.h"
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
          new FramedMap(makeView("patternDifferenceView", tr("Difference between the patterns")))),
      m_first(m_firstMap->view()),
      m_second(m_secondMap->view()),
      m_difference(m_differenceMap->view()),
      m_differencePane(new DifferencePane(m_differenceMap)),
      m_message(new EmptyState("patternMessage", EmptyState::smallRun(), m_first)),
      m_pattern(std::make_shared<PatternData>()),
      m_pair(std::make_shared<PatternPair>()) {
    connect(m_message, &EmptyState::wanted, this, &PatternMaps::smallRunWanted);
    connect(m_differencePane, &DifferencePane::exported, this, &PatternMaps::exported);
    connect(m_differencePane, &DifferencePane::failed, this,
            [this](const QString& why) { showMessage(why, {}, false); });
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

void PatternMaps::setPattern(std::shared_ptr<const PatternData> pattern, const QString& matrix,
                             const QString& columns) {
    m_pattern = std::move(pattern);
    m_matrix = matrix;
    m_columns = columns;
    m_differencePane->setMatrix(matrix, columns);
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
    m_drawingFirst.forget();
    m_drawingSecond.forget();
    m_places = PatternPlaces(m_pattern, m_pair, m_byUse, m_byCluster);
    m_differencePane->arrange(m_places, m_names);
    const bool paired = m_places.isPaired();
    showPanes(paired);
    if (m_pattern->pattern.k == 0) {
        for (PatternView* view : {m_first, m_second, m_difference}) {
            view->clear();
        }
        return;
    }
    m_message->hide();
    // Shares what it points into.
    const std::shared_ptr<const SparsityPattern> pattern(m_pattern, &m_pattern->pattern);
    const std::shared_ptr<const PatternValues> values(m_pattern, &m_pattern->values);
    const bool magnitude = m_entries == EntryLook::Magnitude;
    drawPattern(m_drawingFirst, m_firstMap, pattern, magnitude ? values : nullptr,
                m_places.firstAtoms());
    if (!paired) {
        if (m_entries == EntryLook::Both) {
            drawPattern(m_drawingSecond, m_secondMap, pattern, values, m_places.firstAtoms());
        } else {
            m_second->clear();
        }
        m_difference->clear();
        return;
    }
    const std::shared_ptr<const SparsityPattern> second(m_pair, &m_pair->second);
    const std::shared_ptr<const PatternValues> secondValues(m_pair, &m_pair->secondValues);
    drawPattern(m_drawingSecond, m_secondMap, second, magnitude ? secondValues : nullptr,
                m_places.secondAtoms());
    m_differencePane->draw();
}

void PatternMaps::drawPattern(LatestWork& drawing, FramedMap* map,
                              const std::shared_ptr<const SparsityPattern>& pattern,
                              const std::shared_ptr<const PatternValues>& values,
                              const std::vector<std::int64_t>& atoms) {
    const std::vector<std::int64_t>& order = m_places.columnOrder();
    drawing.ask(
        [pattern, values, atoms, order] {
            return values ? magnitudePyramid(values->values, values->scale, pattern->k, pattern->d2,
                                             atoms, order)
                          : patternPyramid(pattern->entries, pattern->k, pattern->d2, atoms, order);
        },
        [this, map, rows = usesInRows(*pattern, atoms),
         columns = usesInColumns(*pattern, order)](const QList<QImage>& levels) {
            map->view()->setPyramid(levels);
            map->setBars(rows, tr("columns that use the atom"), columns,
                         tr("atoms that the column uses"));
            showMarks();
        },
        [this](const Error& error) {
            showMessage(QString::fromStdString(error.problem()).toHtmlEscaped(), {}, false);
        });
}

void PatternMaps::chooseRow(int row) {
    if (row >= m_places.rowCount()) {
        return;  // of a picture that is about to be replaced
    }
    if (const std::int64_t atom = m_places.atomIn(row); atom >= 0) {
        emit chosen({PatternChoice::Kind::Atom, atom});
    }
}

void PatternMaps::chooseColumn(int column) {
    if (column < m_places.columnCount()) {
        emit chosen({PatternChoice::Kind::Column, m_places.columnIn(column)});
    }
}

void PatternMaps::choose(const PatternChoice& choice) {
    m_choice = choice;
    showMarks();
}

// On the first map, and on that of its magnitudes.
void PatternMaps::showMarks() {
    const QSize map = m_first->image().size();
    if (map.height() != m_places.rowCount() || map.width() != m_places.columnCount()) {
        return;  // another picture is on its way
    }
    const MapMarks marks = m_places.marksOf(m_choice);
    m_first->setMarks(marks);
    m_second->setMarks(m_places.isPaired() ? MapMarks{} : marks);
}

void PatternMaps::point(PatternView* view, int row, int column) {
    const bool inside =
        row >= 0 && row < m_places.rowCount() && column >= 0 && column < m_places.columnCount();
    const QString told = inside ? entryWords(*m_pattern, *m_pair, placed(m_places.rowOrder(), row),
                                             m_places.columnIn(column))
                                : QString();
    if (inside && view->cursorEntry() == QPoint(column, row)) {
        tellReaders(view, told);
    }
    emit pointedAt(told);
}

ExportSource PatternMaps::exportSource() const {
    ExportSource source = mapExportSource(*m_first, QStringLiteral("pattern-%1").arg(m_matrix),
                                          tr("atoms of D (%1)").arg(m_pattern->pattern.k),
                                          tr("%1 (%2)").arg(m_columns).arg(m_pattern->pattern.d2));
    source.csv = [data = m_pattern] { return patternCsv(*data); };
    return source;
}

ExportSource PatternMaps::differenceSource() const { return m_differencePane->exportSource(); }

}  // namespace cospadi::ui
