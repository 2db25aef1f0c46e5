#include "ui/chart_roles.h"

#include <QAccessibleWidget>
#include <utility>

#include "ui/base/names_for_readers.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/map_side.h"
#include "ui/charts/map_tiles.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/charts/pattern_view.h"
#include "ui/widgets/bytes_bar.h"

namespace cospadi::ui {

namespace {

template <typename... Widgets>
bool isAnyOf(const QObject* object) {
    return ((qobject_cast<const Widgets*>(object) != nullptr) || ...);
}

// What the cursor of a chart stands on, as a child that has the focus.
class ValueForReaders : public QAccessibleInterface {
  public:
    ValueForReaders(QWidget& chart, QString words) : m_chart(chart), m_words(std::move(words)) {}

    bool isValid() const override { return true; }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override {
        return QAccessible::queryAccessibleInterface(&m_chart);
    }
    int childCount() const override { return 0; }
    QAccessibleInterface* child(int /*index*/) const override { return nullptr; }
    QAccessibleInterface* childAt(int /*x*/, int /*y*/) const override { return nullptr; }
    int indexOfChild(const QAccessibleInterface* /*child*/) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::StaticText; }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.focusable = true;
        state.focused = m_chart.hasFocus();
        state.readOnly = true;
        return state;
    }
    QRect rect() const override { return parent()->rect(); }
    QString text(QAccessible::Text kind) const override {
        return kind == QAccessible::Name ? m_words : QString();
    }
    void setText(QAccessible::Text /*kind*/, const QString& /*text*/) override {}

  private:
    QWidget& m_chart;
    QString m_words;
};

constexpr qsizetype kKept = 8;  // a reader asks about a value a moment after it was told

// Has the value as its last child while one was told (ui/base/names_for_readers.h): a new object
// for every value, as readers speak of what they did not stand on before.
class ChartForReaders : public QAccessibleWidget {
  public:
    using QAccessibleWidget::QAccessibleWidget;
    ChartForReaders(const ChartForReaders&) = delete;
    ChartForReaders& operator=(const ChartForReaders&) = delete;

    int childCount() const override {
        return QAccessibleWidget::childCount() + (toldWords(*object()).isEmpty() ? 0 : 1);
    }
    QAccessibleInterface* child(int index) const override {
        return index >= 0 && index == QAccessibleWidget::childCount()
                   ? value()
                   : QAccessibleWidget::child(index);
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        return child != nullptr && !m_values.isEmpty() &&
                       child == QAccessible::accessibleInterface(m_values.last())
                   ? QAccessibleWidget::childCount()
                   : QAccessibleWidget::indexOfChild(child);
    }

  protected:
    ~ChartForReaders() override { keepValues(0); }

  private:
    QAccessibleInterface* value() const {
        const QString words = toldWords(*object());
        if (words.isEmpty()) {
            return nullptr;
        }
        if (m_values.isEmpty() || words != m_words) {
            m_words = words;
            m_values.append(
                QAccessible::registerAccessibleInterface(new ValueForReaders(*widget(), words)));
            keepValues(kKept);
        }
        return QAccessible::accessibleInterface(m_values.last());
    }
    void keepValues(qsizetype count) const {
        while (m_values.size() > count) {
            QAccessible::deleteAccessibleInterface(m_values.takeFirst());
        }
    }

    mutable QList<QAccessible::Id> m_values;  // the last one counts
    mutable QString m_words;                  // its
};

QAccessibleInterface* chartInterface(const QString& /*className*/, QObject* object) {
    if (isAnyOf<CurveChart, HeatMap, MapSide, MapTiles, ParallelCoordinates, BytesBar>(object)) {
        return new ChartForReaders(static_cast<QWidget*>(object), QAccessible::Chart);
    }
    return isAnyOf<PatternView>(object)
               ? new ChartForReaders(static_cast<QWidget*>(object), QAccessible::Graphic)
               : nullptr;
}

}  // namespace

void useChartRoles() { QAccessible::installFactory(chartInterface); }

}  // namespace cospadi::ui
