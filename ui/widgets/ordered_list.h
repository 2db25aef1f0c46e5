// A short list whose order is set by hand: by dragging, by its buttons, or by Alt+Up and Alt+Down.
// As asked for, its items have check boxes (Space), can be renamed (F2), or are added from a menu
// of choices and removed (Delete).
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>

class QListWidget;
class QMenu;
class QToolButton;

namespace cospadi::ui {

class OrderedList : public QWidget {
    Q_OBJECT

  public:
    enum Feature { Checkable = 1, Renamable = 2, Addable = 4 };
    Q_DECLARE_FLAGS(Features, Feature)

    struct Item {
        QString key;   // what it is known by
        QString text;  // what it reads
        bool checked = true;
        bool operator==(const Item&) const = default;
    };

    OrderedList(const QString& heading, Features features, QWidget* parent = nullptr);

    // Not announced by changed().
    void setItems(const QList<Item>& items);
    void setKeys(const QStringList& keys);  // each reads as setWording() has it
    QList<Item> items() const;
    QStringList keys() const;
    QStringList uncheckedKeys() const;
    // How a key reads where no text is given with it; else as it is called.
    void setWording(QString (*wording)(const QString& key)) { m_wording = wording; }
    void setChoices(const QStringList& choices);  // what can be added; those in the list are not

    QListWidget* list() const { return m_list; }
    void moveCurrent(int by);

  signals:
    void changed();
    void renamed(const QString& key, const QString& text);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void addItem(const Item& item);
    QString wordsOf(const QString& key) const { return m_wording ? m_wording(key) : key; }
    void fillMenu();
    void removeCurrent();
    void updateButtons();

    Features m_features;
    QListWidget* m_list;
    QToolButton* m_up;
    QToolButton* m_down;
    QToolButton* m_add = nullptr;
    QToolButton* m_remove = nullptr;
    QMenu* m_menu = nullptr;
    QStringList m_choices;
    QString (*m_wording)(const QString& key) = nullptr;
    bool m_quiet = false;
};

}  // namespace cospadi::ui

Q_DECLARE_OPERATORS_FOR_FLAGS(cospadi::ui::OrderedList::Features)
