#include "ui/widgets/slider_spin.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QShowEvent>
#include <QSignalBlocker>
#include <QSlider>
#include <cmath>

namespace cospadi::ui {

SliderSpin::SliderSpin(double least, double greatest, double step, int decimals, QWidget* parent)
    : QWidget(parent),
      m_step(step),
      m_slider(new QSlider(Qt::Horizontal)),
      m_spin(new QDoubleSpinBox) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_slider, 1);
    row->addWidget(m_spin);
    m_spin->setRange(least, greatest);
    m_spin->setDecimals(decimals);
    m_spin->setSingleStep(step);
    m_slider->setRange(static_cast<int>(std::lround(least / step)),
                       static_cast<int>(std::lround(greatest / step)));
    m_slider->setPageStep(5);
    m_slider->setFocusPolicy(Qt::ClickFocus);  // the keyboard has the spin box
    setFocusProxy(m_spin);
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int position) { m_spin->setValue(position * m_step); });
    connect(m_spin, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        const QSignalBlocker quiet(m_slider);
        m_slider->setValue(static_cast<int>(std::lround(value / m_step)));
        emit valueChanged(value);
    });
}

// The slider is the same field once more.
void SliderSpin::showEvent(QShowEvent* event) {
    m_slider->setAccessibleName(m_spin->accessibleName());
    QWidget::showEvent(event);
}

double SliderSpin::value() const { return m_spin->value(); }

void SliderSpin::setValue(double value) { m_spin->setValue(value); }

}  // namespace cospadi::ui
