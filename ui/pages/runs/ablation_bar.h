// What the plot of an ablation draws: a value over a setting or another value, a curve for each
// value of one setting, a plot for each of another, either axis by its logarithm. Remembered in the
// settings (runs/plot).
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "ui/charts/drawable_curve.h"
#include "ui/models/found_ablation.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;

namespace cospadi::ui {

struct AblationChoice {
    AblationAxes axes;
    LogarithmicAxes logarithmic;
    bool operator==(const AblationChoice&) const = default;
};

class AblationBar : public QWidget {
    Q_OBJECT

  public:
    explicit AblationBar(QWidget* parent = nullptr);

    QHBoxLayout* row() const { return m_row; }  // for what else belongs to the plot
    AblationChoice choice() const;
    void choose(const AblationChoice& choice);  // says so, where it is another one
    // What is chosen stays, also where it is not among them.
    void setNames(const AblationNames& names);

  signals:
    void chosen();

  private:
    void fill(QComboBox* box, bool measured, bool settings);
    void restore();
    void take();

    AblationNames m_names;
    bool m_isChosen = false;  // by somebody: else the axes are those that show something
    QHBoxLayout* m_row;
    QComboBox* m_y;
    QComboBox* m_x;
    QComboBox* m_curve;
    QComboBox* m_facet;
    QCheckBox* m_logX;
    QCheckBox* m_logY;
};

}  // namespace cospadi::ui
