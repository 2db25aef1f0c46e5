// The left side of the Model page: what the model is, and which of its layers the next run
// compresses. Also the place that says how to get a model where there is none.
#pragma once

#include <QWidget>

#include "core/base/error.h"
#include "core/model/model_info.h"

class QLabel;
class QStackedWidget;

namespace cospadi::ui {

class LayerTicks;
class LayerTree;
class LayerTreeModel;
class MissingModel;
class OpenModelButton;

class ModelPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ModelPanel(QWidget* parent = nullptr);

    // Whatever is open stays until showModel() or showProblem(); the button says what is read.
    void showLoading(const QString& word);
    void endLoading();  // nothing came of it
    void showModel(const ModelInfo& model);
    void showProblem(const Error& error);  // where no model is open

    LayerTreeModel* tree() const { return m_tree; }
    // The regular expression of the selection; empty where nothing is selected.
    QString layersRegex() const;
    // Ticks exactly the layers in whose name the expression is found; none where it is empty.
    void selectByRegex(const QString& regex);
    bool isTicked(const QString& layer) const;
    // The cursor onto this layer, where there is one of that name.
    void highlight(const QString& layer);
    // The layer under the cursor, else the first selected one; nullptr without a model.
    const LayerInfo* highlightedLayer() const;
    // The same where it is ticked, else the first that is: what can be said of the next run.
    const LayerInfo* tickedLayer() const;

  signals:
    void selectionChanged();
    void highlightChanged();
    void openFileRequested();
    void openFolderRequested();
    void openRequested(const QString& word);  // a path, or "default"

  private:
    QWidget* makeModelView();
    void showSelection();

    LayerTreeModel* m_tree;
    QStackedWidget* m_stack;
    QLabel* m_name;
    OpenModelButton* m_open;
    QLabel* m_facts;
    LayerTicks* m_ticks;
    LayerTree* m_view;
    QLabel* m_summary;
    QString m_selected;  // in words
    MissingModel* m_missing;
};

}  // namespace cospadi::ui
