// What the colours of a map mean, in a line: swatches, or a run of colours between two ends, each
// with its words. A widget, and the same drawn into an exported file.
#pragma once

#include <QColor>
#include <QList>
#include <QRectF>
#include <QString>
#include <QWidget>

class QFont;
class QPainter;

namespace cospadi::ui {

struct LegendEntry {
    QList<QColor> colours;  // one: a swatch; more: they run into each other, left to right
    QString words;
};

// From the top of `room` on; entries that do not fit into a line go on in the next.
void drawLegend(QPainter& painter, const QRectF& room, const QList<LegendEntry>& entries,
                const QColor& text, const QColor& line);
double legendHeight(const QFont& font, double width, const QList<LegendEntry>& entries);

class MapLegend : public QWidget {
    Q_OBJECT

  public:
    explicit MapLegend(QWidget* parent = nullptr);

    void setEntries(const QList<LegendEntry>& entries);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QList<LegendEntry> m_entries;
};

}  // namespace cospadi::ui
