// What stands where nothing is yet: what will be there, and buttons that bring it about. A page
// puts it in the place of the empty table or map.
#pragma once

#include <QString>
#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace cospadi::ui {

class EmptyState : public QWidget {
    Q_OBJECT

  public:
    explicit EmptyState(QWidget* parent = nullptr);

    void setWords(const QString& title, const QString& text);
    QString text() const;
    // A button below the words; the first one is the obvious thing to do.
    QPushButton* addAction(const char* name, const QString& words, const QString& tip);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void showWords();

    QString m_title;
    QString m_text;
    QLabel* m_words;
    QHBoxLayout* m_row;
};

}  // namespace cospadi::ui
