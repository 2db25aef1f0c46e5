// A slider and a spin box for one number, in step: coarse by hand, exact by keyboard.
#pragma once

#include <QWidget>

class QDoubleSpinBox;
class QSlider;

namespace cospadi::ui {

class SliderSpin : public QWidget {
    Q_OBJECT

  public:
    SliderSpin(double least, double greatest, double step, int decimals, QWidget* parent = nullptr);

    double value() const;
    void setValue(double value);
    QSlider* slider() const { return m_slider; }
    QDoubleSpinBox* spin() const { return m_spin; }

  signals:
    void valueChanged(double value);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    double m_step;
    QSlider* m_slider;
    QDoubleSpinBox* m_spin;
};

}  // namespace cospadi::ui
