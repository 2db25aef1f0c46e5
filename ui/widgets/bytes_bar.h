// Where the bytes of a plan go: a stacked bar (dictionary, values, mask, or the two factors of a
// low rank) against the dense weight, with a legend that gives every part in bytes and percent.
#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <QWidget>

namespace cospadi::ui {

class BytesBar : public QWidget {
    Q_OBJECT

  public:
    struct Part {
        QString name;
        double bytes = 0;
        QColor colour;
    };

    explicit BytesBar(QWidget* parent = nullptr);

    void setParts(const QList<Part>& parts, double denseBytes);
    void clear() { setParts({}, 0); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    int barHeight() const;

    QList<Part> m_parts;
    double m_denseBytes = 0;
};

}  // namespace cospadi::ui
