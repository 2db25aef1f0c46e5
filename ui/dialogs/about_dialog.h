// About: what runs here, in words that can be copied into a bug report.
#pragma once

#include <QDialog>
#include <QList>
#include <QPair>
#include <QString>

namespace cospadi::ui {

class AboutDialog : public QDialog {
    Q_OBJECT

  public:
    // facts: name and value, in order.
    explicit AboutDialog(const QList<QPair<QString, QString>>& facts, QWidget* parent = nullptr);

    QString text() const { return m_text; }  // what Copy copies

  private:
    QString m_text;
};

}  // namespace cospadi::ui
