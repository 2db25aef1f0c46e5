// Numbers in files always have a decimal point and no groups, whatever the desktop writes: as long
// as one of these stands.
#pragma once

#include <QLocale>

namespace cospadi::ui {

class PointNumbers {
  public:
    PointNumbers() {
        QLocale plain = QLocale::c();
        plain.setNumberOptions(QLocale::OmitGroupSeparator);
        QLocale::setDefault(plain);
    }
    ~PointNumbers() { QLocale::setDefault(m_before); }
    PointNumbers(const PointNumbers&) = delete;
    PointNumbers& operator=(const PointNumbers&) = delete;

  private:
    QLocale m_before;
};

}  // namespace cospadi::ui
