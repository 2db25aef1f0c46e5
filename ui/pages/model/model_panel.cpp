#include "ui/pages/model/model_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/base/format.h"
#include "ui/base/recent_models.h"
#include "ui/models/layer_selection.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/model_facts.h"
#include "ui/pages/model/layer_ticks.h"
#include "ui/pages/model/layer_tree.h"
#include "ui/pages/model/missing_model.h"
#include "ui/pages/model/open_model_button.h"

namespace cospadi::ui {

ModelPanel::ModelPanel(QWidget* parent)
    : QWidget(parent),
      m_tree(new LayerTreeModel(this)),
      m_stack(new QStackedWidget),
      m_missing(new MissingModel) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);
    m_stack->addWidget(makeModelView());
    m_stack->addWidget(m_missing);
    connect(m_tree, &LayerTreeModel::selectionChanged, this, &ModelPanel::showSelection);
    connect(m_ticks, &LayerTicks::ticked, this, &ModelPanel::showSelection);
    connect(m_ticks, &LayerTicks::found, this, [this](const QString& words) {
        m_summary->setText(words.isEmpty() ? m_selected : words);
    });
    connect(m_view, &LayerTree::highlightChanged, this, &ModelPanel::highlightChanged);
    connect(m_open, &OpenModelButton::openFileRequested, this, &ModelPanel::openFileRequested);
    connect(m_open, &OpenModelButton::openFolderRequested, this, &ModelPanel::openFolderRequested);
    connect(m_open, &OpenModelButton::openRequested, this, &ModelPanel::openRequested);
    connect(m_missing, &MissingModel::openFileRequested, this, &ModelPanel::openFileRequested);
    connect(m_missing, &MissingModel::openFolderRequested, this, &ModelPanel::openFolderRequested);
}

QWidget* ModelPanel::makeModelView() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 10, 12, 6);
    column->setSpacing(6);

    auto* titleRow = new QHBoxLayout;
    m_name = new QLabel;
    m_name->setObjectName(QStringLiteral("title"));
    m_name->setWordWrap(true);
    m_open = new OpenModelButton;
    titleRow->addWidget(m_name, 1);
    titleRow->addWidget(m_open, 0, Qt::AlignTop);
    column->addLayout(titleRow);
    m_facts = new QLabel;
    m_facts->setObjectName(QStringLiteral("muted"));
    m_facts->setWordWrap(true);
    column->addWidget(m_facts);

    m_ticks = new LayerTicks(m_tree, m_open);
    column->addWidget(m_ticks);
    m_view = new LayerTree(m_tree);
    column->addWidget(m_view, 1);
    m_summary = new QLabel;
    m_summary->setObjectName(QStringLiteral("muted"));
    column->addWidget(m_summary);
    return page;
}

void ModelPanel::showLoading(const QString& word) {
    m_open->showReading(word);
    if (m_tree->layers().empty()) {
        m_missing->showReading(word);
        m_stack->setCurrentIndex(1);
    }
}

void ModelPanel::endLoading() { m_open->showReady(); }

void ModelPanel::showModel(const ModelInfo& model) {
    endLoading();
    m_name->setText(QStringLiteral("<span style='font-size:large'>%1</span>")
                        .arg(modelTitle(model).toHtmlEscaped()));
    m_name->setToolTip(tr("%1\nThe file calls itself “%2”")
                           .arg(QString::fromStdString(model.path.string()),
                                QString::fromStdString(model.config.name)));
    m_facts->setText(modelFacts(model));
    rememberModel(QString::fromStdString(model.path.string()));
    m_facts->setToolTip(tr("Context %1 tokens · vocabulary %2 · %3 tensors\n%4")
                            .arg(model.config.contextLength)
                            .arg(model.config.vocabularySize)
                            .arg(model.tensorCount)
                            .arg(QString::fromStdString(model.path.string())));
    m_ticks->showModel(model);
    m_view->startOver();
    m_stack->setCurrentIndex(0);
    showSelection();
}

void ModelPanel::showProblem(const Error& error) {
    endLoading();
    m_missing->showProblem(error);
    m_stack->setCurrentIndex(1);
}

void ModelPanel::selectByRegex(const QString& regex) { m_ticks->selectByRegex(regex); }

void ModelPanel::showSelection() {
    m_ticks->showTicked();
    double parameters = 0;
    const auto& layers = m_tree->layers();
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (m_tree->checked()[static_cast<int>(i)]) {
            parameters += static_cast<double>(layers[i].d1) * static_cast<double>(layers[i].d2);
        }
    }
    m_selected = tr("%1 of %2 layers selected · %3 weights")
                     .arg(m_tree->checkedCount())
                     .arg(layers.size())
                     .arg(formatMillions(parameters));
    m_summary->setText(m_selected);
    emit selectionChanged();
}

QString ModelPanel::layersRegex() const {
    return selectionRegex(m_tree->layers(), m_tree->checked(), m_ticks->typedRegex());
}

bool ModelPanel::isTicked(const QString& layer) const {
    const auto& layers = m_tree->layers();
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (layers[i].name == layer.toStdString()) {
            return m_tree->checked()[static_cast<qsizetype>(i)];
        }
    }
    return false;
}

void ModelPanel::highlight(const QString& layer) { m_view->highlight(layer); }

const LayerInfo* ModelPanel::tickedLayer() const {
    const LayerInfo* highlighted = highlightedLayer();
    const auto& layers = m_tree->layers();
    const QVector<bool>& checked = m_tree->checked();
    const auto first = checked.indexOf(true);
    if (highlighted == nullptr || first < 0 || checked[highlighted - layers.data()]) {
        return highlighted;
    }
    return &layers[static_cast<std::size_t>(first)];
}

const LayerInfo* ModelPanel::highlightedLayer() const {
    if (const LayerInfo* layer = m_tree->layerAt(m_view->currentIndex())) {
        return layer;
    }
    const auto first = m_tree->checked().indexOf(true);
    return first < 0 ? nullptr : &m_tree->layers()[static_cast<std::size_t>(first)];
}

}  // namespace cospadi::ui
