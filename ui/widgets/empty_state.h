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
    struct Action {
        const char* name;  // of its button
        QString words;
        QString tip;
    };
    // What several pages offer.
    static Action smallRun();
    static Action chooseModel();

    explicit EmptyState(QWidget* parent = nullptr);
    // With one obvious thing to do, which wanted() asks for.
    EmptyState(const char* name, const Action& action, QWidget* parent = nullptr);

    void setWords(const QString& title, const QString& text);
    QString text() const;
    // A button below the words; the first one is the obvious thing to do.
    QPushButton* addAction(const Action& action);
    // The button of that one thing, where the words are about something that it does not help.
    void showAction(bool shows);

  signals:
    void wanted();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void showWords();

    QString m_title;
    QString m_text;
    QLabel* m_words;
    QHBoxLayout* m_row;
    QPushButton* m_action = nullptr;  // of the one thing
};

}  // namespace cospadi::ui
