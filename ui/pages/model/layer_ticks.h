// The fields above the tree of layers, which tick many of them at once: whole kinds, those in whose
// name a regular expression is found, a range of blocks.
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

class QHBoxLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace cospadi {
struct ModelInfo;
}

namespace cospadi::ui {

class LayerTreeModel;

class LayerTicks : public QWidget {
    Q_OBJECT

  public:
    // tree: outlives it. before: what the Tab key reaches just before the kinds.
    LayerTicks(LayerTreeModel* tree, QWidget* before, QWidget* parent = nullptr);

    // The tree has its layers then, all of them ticked.
    void showModel(const ModelInfo& model);
    // Ticks exactly the layers in whose name the expression is found; none where it is empty.
    void selectByRegex(const QString& regex);
    const QString& typedRegex() const { return m_typedRegex; }  // the last one that ticked
    void showTicked();  // a kind is down where all layers of it are ticked

  signals:
    void ticked();  // by a kind or an expression, whether or not it changed anything
    // What the expression finds as it stands there, while it is typed; empty: there is none.
    void found(const QString& words);

  private:
    void makeRegexField();
    QWidget* makeBlockRow();
    void keepBlocks();
    void rebuildKindButtons();
    void toggleKind(const QString& kind, bool on);
    void setAll(bool on);
    void tellOfRegex();
    void applyRegex();

    LayerTreeModel* m_tree;
    QWidget* m_before;
    QHBoxLayout* m_kindRow;
    QList<QPushButton*> m_kindButtons;
    QLineEdit* m_regex;
    QSpinBox* m_firstBlock;
    QSpinBox* m_lastBlock;
    QString m_typedRegex;
};

}  // namespace cospadi::ui
