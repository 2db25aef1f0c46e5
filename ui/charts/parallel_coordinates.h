// Parallel coordinates: an upright axis for every quantity, a line for every run across all of
// them. Dragging along an axis brushes it: only lines inside every brush stay, the others fade, and
// whoever listens may filter by them. Lines that are chosen elsewhere stand out in colour. What
// mouse and keys do is a ParallelHand's, how it is drawn a ParallelPainter's.
//
// Lines may be coloured by their values on one of the axes, which then carries the scale.
//
// More than a few hundred lines are counted instead of painted (counted_lines.h). Whoever listens
// hears of a moving brush at most 25 times a second. GUI thread only.
#pragma once

#include <QHash>
#include <QList>
#include <QPixmap>
#include <QSet>
#include <QString>
#include <QTimer>
#include <QWidget>

#include "ui/charts/brushed_lines.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/counted_lines.h"
#include "ui/charts/parallel_hand.h"
#include "ui/charts/parallel_layout.h"
#include "ui/charts/parallel_look.h"

namespace cospadi::ui {

class ParallelPainter;

class ParallelCoordinates : public QWidget {
    Q_OBJECT

  public:
    explicit ParallelCoordinates(QWidget* parent = nullptr);

    // Brushes of axes that are there under the same name stay.
    void setData(const QList<ParallelAxis>& axes, const QList<ParallelLine>& lines);
    // Of more than kMostInColour none stands out.
    void setHighlighted(const QHash<QString, LineLook>& lines);
    static constexpr qsizetype kMostInColour = ParallelLook::kMostInColour;
    void setEmptyText(const QString& text);
    // By the values on the axis of this name or key; one that is not there: no colours. Not of more
    // than kMostColoured lines, which are counted instead of painted.
    void setColourAxis(const QString& axis);
    static constexpr int kMostColoured = ParallelLook::kMostColoured;

    // Both ends in the axis' own values; low > high clears it.
    void setBrush(int axis, double low, double high);
    void brush(int axis, const AxisRange& range);  // the same in axis coordinates
    void clearBrushes();
    void tellWaiting();  // brushed() at once, where listeners shall hear of it soon
    bool isBrushed() const { return m_lines.isBrushed(); }
    QSet<QString> passing() const { return m_lines.passingKeys(); }  // lines inside every brush
    const BrushedLines& lines() const { return m_lines; }
    const QList<ParallelAxis>& axes() const { return m_lines.axes(); }
    int lineCount() const { return static_cast<int>(m_lines.lines().size()); }
    ParallelLayout axesLayout() const;  // on the screen, now

    ExportSource exportSource(const QString& name) const;

  signals:
    void brushed();  // and passing() has changed
    // An axis shall stand in the place of another one; whoever gives the data arranges them.
    void axisMoved(int from, int to);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void drawPicture(const ParallelPainter& drawing);
    void dataChanged();   // other lines, or in other places
    void brushChanged();  // the same lines, others of them inside

    BrushedLines m_lines;
    ParallelLook m_look;
    ParallelHand m_hand;
    QString m_emptyText;
    QPixmap m_picture;       // the lines as they stand, drawn once
    CountedLines m_counted;  // where there are very many
    QTimer m_telling;
};

}  // namespace cospadi::ui
