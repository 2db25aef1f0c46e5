// Which matrices an exploration is of: one in front, chosen from the list, and a few beside it,
// from a menu: the other kinds of its block, its kind through the depth of the model, or any by
// name.
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/model/layer_info.h"

class QComboBox;
class QMenu;
class QToolButton;

namespace cospadi::ui {

class MatrixPicker : public QWidget {
    Q_OBJECT

  public:
    static constexpr int kMost = 8;  // together; as the engine takes

    explicit MatrixPicker(QWidget* parent = nullptr);

    // Those beside are kept as far as the new layers have them.
    void setLayers(const std::vector<LayerInfo>& layers);
    void setFront(const QString& layer);  // where there is such a layer
    void setBeside(const QStringList& layers);

    bool isEmpty() const;
    QString front() const;
    QStringList layers() const;  // the one in front first
    QString regex() const;       // that selects exactly these

    // The one in front left out.
    QStringList otherKinds() const;    // of its block
    QStringList throughDepth() const;  // its kind in the first, the last and three blocks between

  signals:
    void changed();

  private:
    void fillMenu();
    void showBeside();

    std::vector<LayerInfo> m_layers;
    QStringList m_beside;  // may hold the one in front
    QComboBox* m_front;
    QToolButton* m_besideButton;
    QMenu* m_menu;
};

}  // namespace cospadi::ui
