// A PatternView between its ticks, left and below, and its marginals, right and above, where it has
// some and there is room for them.
#pragma once

#include <QWidget>
#include <vector>

namespace cospadi::ui {

class MapSide;
class PatternView;

class FramedMap : public QWidget {
    Q_OBJECT

  public:
    explicit FramedMap(PatternView* view, QWidget* parent = nullptr);

    // One for each row and for each column, in the order of the map.
    void setBars(std::vector<double> rows, const QString& rowWords, std::vector<double> columns,
                 const QString& columnWords);

    PatternView* view() const { return m_view; }
    MapSide* rowBars() const { return m_rowBars; }
    MapSide* columnBars() const { return m_columnBars; }

  signals:
    void rowChosen(int row);  // beside the map, as the next
    void columnChosen(int column);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void showBars();

    PatternView* m_view;
    bool m_hasBars = false;
    MapSide* m_rowBars;
    MapSide* m_columnBars;
};

}  // namespace cospadi::ui
