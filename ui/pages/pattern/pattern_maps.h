// The maps of the Pattern page: the sparsity pattern of one run; with another run beside it that
// one's as well, row by row next to the atom it was matched with, and below the difference of both
// in colours. Zooming or moving one moves all. Pictures are made on pool threads; what was asked
// for last is what is shown. GUI thread only.
//
// Without another run the second map may show how large the entries are. An atom or column that is
// chosen stays in view, with what belongs to it, while the rest steps back.
#pragma once

#include <QString>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <vector>

#include "ui/base/latest_work.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/difference_map.h"
#include "ui/pages/pattern/chosen_entries.h"
#include "ui/pages/pattern/pattern_controls.h"
#include "ui/pages/pattern/pattern_places.h"
#include "ui/sources/pattern_source.h"

namespace cospadi::ui {

class DifferencePane;
class EmptyState;
class FramedMap;
class PatternView;

class PatternMaps : public QWidget {
    Q_OBJECT

  public:
    explicit PatternMaps(QWidget* parent = nullptr);

    // matrix, columns: in words, for the names of exported files and the sides of their maps.
    // pattern.k = 0: nothing is shown. Nothing stands beside it until setBeside().
    void setPattern(std::shared_ptr<const PatternData> pattern, const QString& matrix,
                    const QString& columns);
    // second.k = 0: nothing. names: what tells both runs apart.
    void setBeside(std::shared_ptr<const PatternPair> pair, const PairNames& names = {});
    void setLook(EntryLook look);
    void choose(const PatternChoice& choice);
    void setOrder(bool atomsByUse, bool columnsByCluster);
    // In place of the first map. isFirst: nothing was ever there, and a small run is offered.
    void showMessage(const QString& what, const QString& words, bool isFirst);
    void fit();

    PatternView* first() const { return m_first; }
    PatternView* second() const { return m_second; }
    PatternView* difference() const { return m_difference; }
    ExportSource exportSource() const;  // of the first map
    ExportSource differenceSource() const;

  signals:
    // What lies under the pointer, or under the keyboard's cursor; empty: nothing.
    void pointedAt(const QString& words);
    void chosen(const PatternChoice& choice);  // by a click
    void exported(const QString& path);
    void smallRunWanted();

  private:
    void showPanes(bool paired);
    void arrange();  // and draw, in the order that is asked for
    // The pattern of a run, its atoms in rows by their numbers there; values: how large, else
    // which.
    void drawPattern(LatestWork& drawing, FramedMap* map,
                     const std::shared_ptr<const SparsityPattern>& pattern,
                     const std::shared_ptr<const PatternValues>& values,
                     const std::vector<std::int64_t>& atoms);
    QString caption(const QString& run, bool magnitude, double scale) const;
    void showMarks();
    void chooseRow(int row);
    void chooseColumn(int column);
    void point(PatternView* view, int row, int column);

    FramedMap* m_firstMap;
    FramedMap* m_secondMap;
    FramedMap* m_differenceMap;
    PatternView* m_first;
    PatternView* m_second;
    PatternView* m_difference;
    QWidget* m_firstPane;  // with its caption, as the next
    QWidget* m_secondPane;
    DifferencePane* m_differencePane;
    EmptyState* m_message;

    std::shared_ptr<const PatternData> m_pattern;  // never null, as the next
    std::shared_ptr<const PatternPair> m_pair;
    QString m_matrix;
    QString m_columns;
    PairNames m_names;
    EntryLook m_entries = EntryLook::Mask;
    PatternChoice m_choice;
    bool m_byUse = true;
    bool m_byCluster = false;
    PatternPlaces m_places;     // of both as they are now
    LatestWork m_drawingFirst;  // pictures, as the next
    LatestWork m_drawingSecond;
};

}  // namespace cospadi::ui
