// All runs on show as parallel coordinates, a line each, and the bar that says which axes there
// are. Selected runs stand out, in the colours that they have in every chart. Both widgets belong
// to whoever lays them out. GUI thread only.
#pragma once

#include <QColor>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>
#include <optional>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi::ui {

class ParallelBar;
class ParallelCoordinates;

class ParallelComparison : public QObject {
    Q_OBJECT

  public:
    explicit ParallelComparison(QObject* parent = nullptr);

    ParallelBar* bar() const { return m_bar; }
    ParallelCoordinates* view() const { return m_view; }

    // Returns what is to be said about it.
    QString draw(const std::vector<RunRow>& onShow, const std::vector<RunRow>& selected);
    void highlight(const std::vector<RunRow>& selected);

  signals:
    void chosen();  // other axes, or colours by another of them
    void brushed(const std::optional<QSet<QString>>& runs);  // no value: nothing is brushed
    void coloured(const QHash<QString, QColor>& runs);       // as highlight() draws them

  private:
    ParallelBar* m_bar;
    ParallelCoordinates* m_view;
};

}  // namespace cospadi::ui
