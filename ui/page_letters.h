// Gives the page in front its letters (widgets/mnemonics.h) when it comes to the front, and again
// whenever something on it appears, goes or changes its words.
#pragma once

#include <QObject>

class QMenuBar;
class QTabWidget;
class QTimer;

namespace cospadi::ui {

class PageLetters : public QObject {
    Q_OBJECT

  public:
    // Belongs to pages; menus: their letters are taken.
    PageLetters(QTabWidget* pages, const QMenuBar* menus);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void give();

    QTabWidget* m_pages;
    const QMenuBar* m_menus;
    QTimer* m_soon;  // once the page has the words that it is about to have
};

}  // namespace cospadi::ui
