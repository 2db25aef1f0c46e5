// Keeps the wheel from changing what nobody has chosen: number fields, choices and sliders take it
// only while they have the focus, and the wheel does not give it to them. Without the focus it
// scrolls what the field stands in. One guard, installed on the application, minds all windows.
#pragma once

#include <QObject>

namespace cospadi::ui {

class WheelGuard : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace cospadi::ui
