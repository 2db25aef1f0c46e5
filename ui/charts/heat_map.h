// Numbers in rows and columns as colours, with the number under the pointer in words: error by
// block and kind of layer. Dark is large; cells without a number are hatched. By keyboard: arrows
// go from cell to cell, whose value is told as the accessible description; Enter chooses it.
#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <utility>

#include "ui/charts/chart_export.h"
#include "ui/models/heat_map_data.h"

namespace cospadi::ui {

struct HeatMapLayout;

class HeatMap : public QWidget {
    Q_OBJECT

  public:
    explicit HeatMap(QWidget* parent = nullptr);

    void setData(const HeatMapData& data);
    const HeatMapData& data() const { return m_data; }
    void setEmptyText(const QString& text);  // what stands where there are no cells
    // "block 3, ffn_up: whitened relative error 0.0971"; empty outside and where there is no
    // number.
    QString describe(const QPointF& position) const;
    ExportSource exportSource(const QString& name) const;

  signals:
    void chosen(int row, int column);  // a cell with a number was clicked

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    HeatMapLayout cellLayout() const;
    QString cellWords(int row, int column) const;
    void describeAll();

    HeatMapData m_data;
    QString m_emptyText;
    std::optional<std::pair<int, int>> m_current;  // row and column that the keyboard is at
};

}  // namespace cospadi::ui
