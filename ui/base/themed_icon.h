// Icons of resources/ui/icons drawn in the colours of the theme that is in force when they are
// drawn: the ink of the files (#3a4654) stands for the text colour, their white for the panel's.
#pragma once

#include <QIconEngine>
#include <QString>

namespace cospadi::ui {

class ThemedIcon : public QIconEngine {
  public:
    explicit ThemedIcon(const QString& name) : m_name(name) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    QIconEngine* clone() const override { return new ThemedIcon(m_name); }

  private:
    QString m_name;
};

}  // namespace cospadi::ui
