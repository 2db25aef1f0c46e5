// The program's font, so many times as large until this goes: for what is made meanwhile.
#pragma once

#include <QApplication>
#include <QFont>

namespace cospadi::ui {

class LargerWords {
  public:
    explicit LargerWords(double scale) : m_usual(QApplication::font()) {
        QFont larger = m_usual;
        larger.setPointSizeF(scale * m_usual.pointSizeF());
        QApplication::setFont(larger);
    }
    ~LargerWords() { QApplication::setFont(m_usual); }
    LargerWords(const LargerWords&) = delete;
    LargerWords& operator=(const LargerWords&) = delete;

  private:
    QFont m_usual;
};

}  // namespace cospadi::ui
