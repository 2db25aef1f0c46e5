#include "ui/pages/model/model_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/error.h"
#include "core/model/model_locator.h"
#include "ui/base/font_units.h"
#include "ui/base/format.h"
#include "ui/base/recent_models.h"
#include "ui/base/theme.h"
#include "ui/models/layer_selection.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/model_facts.h"

namespace cospadi::ui {

ModelPanel::ModelPanel(QWidget* parent)
    : QWidget(parent), m_tree(new LayerTreeModel(this)), m_stack(new QStackedWidget) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);
    m_stack->addWidget(makeModelView());
    m_stack->addWidget(makeMissingView());
    connect(m_tree, &LayerTreeModel::selectionChanged, this, &ModelPanel::showSelection);
    connect(m_view, &QTreeView::expanded, this, &ModelPanel::evenNumbers);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &ModelPanel::highlightChanged);
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
    m_open = new QPushButton(icon(QStringLiteral("open")), QString());
    m_open->setObjectName(QStringLiteral("openModel"));
    m_openMenu = new QMenu(m_open);
    m_open->setMenu(m_openMenu);
    endLoading();
    connect(m_openMenu, &QMenu::aboutToShow, this, &ModelPanel::fillOpenMenu);
    titleRow->addWidget(m_name, 1);
    titleRow->addWidget(m_open, 0, Qt::AlignTop);
    column->addLayout(titleRow);
    m_facts = new QLabel;
    m_facts->setObjectName(QStringLiteral("muted"));
    m_facts->setWordWrap(true);
    column->addWidget(m_facts);

    m_kindRow = new QHBoxLayout;
    m_kindRow->setSpacing(4);
    column->addLayout(m_kindRow);
    m_regex = new QLineEdit;
    m_regex->setObjectName(QStringLiteral("layersRegex"));
    m_regex->setAccessibleName(tr("Select layers by regular expression"));
    m_regex->setPlaceholderText(tr("Select by regular expression, e.g. blk\\.[0-9]\\.ffn"));
    m_regex->setToolTip(
        tr("Ticks exactly the layers in whose name the expression is found.\n"
           "Names look like blk.10.ffn_up. Press Enter."));
    m_regex->setClearButtonEnabled(true);
    connect(m_regex, &QLineEdit::returnPressed, this, &ModelPanel::applyRegex);
    connect(m_regex, &QLineEdit::textEdited, this, &ModelPanel::tellOfRegex);
    column->addWidget(m_regex);

    column->addWidget(makeBlockRow());

    m_view = new QTreeView;
    m_view->setObjectName(QStringLiteral("layerTree"));
    m_view->setAccessibleName(tr("Layers of the model"));
    m_view->setModel(m_tree);
    m_view->setUniformRowHeights(true);
    m_view->setAlternatingRowColors(true);
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setMinimumSectionSize(charactersWide(font(), 6.5));
    column->addWidget(m_view, 1);
    m_summary = new QLabel;
    m_summary->setObjectName(QStringLiteral("muted"));
    column->addWidget(m_summary);
    return page;
}

QWidget* ModelPanel::makeMissingView() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(20, 20, 20, 20);
    column->setSpacing(12);
    m_missing = new QLabel;
    m_missing->setObjectName(QStringLiteral("missingModel"));
    m_missing->setWordWrap(true);
    m_missing->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* file = new QPushButton(icon(QStringLiteral("open")), tr("Open a GGUF file…"));
    auto* folder = new QPushButton(icon(QStringLiteral("open")), tr("Open a Hugging Face folder…"));
    connect(file, &QPushButton::clicked, this, &ModelPanel::openFileRequested);
    connect(folder, &QPushButton::clicked, this, &ModelPanel::openFolderRequested);
    column->addWidget(m_missing);
    column->addWidget(file);
    column->addWidget(folder);
    column->addStretch();
    return page;
}

QWidget* ModelPanel::makeBlockRow() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    const auto spin = [](const char* name, const QString& words) {
        auto* made = new QSpinBox;
        made->setObjectName(QString::fromLatin1(name));
        made->setAccessibleName(words);
        return made;
    };
    m_firstBlock = spin("firstBlock", tr("First block"));
    m_lastBlock = spin("lastBlock", tr("Last block"));
    auto* only = new QPushButton(tr("Only these blocks"));
    only->setObjectName(QStringLiteral("onlyBlocks"));
    only->setToolTip(tr("Unticks every layer outside this range of blocks"));
    row->addWidget(new QLabel(tr("Blocks")));
    row->addWidget(m_firstBlock, 1);
    row->addWidget(new QLabel(tr("to")));
    row->addWidget(m_lastBlock, 1);
    row->addWidget(only);
    connect(only, &QPushButton::clicked, this, &ModelPanel::keepBlocks);
    return bar;
}

// 3 to 1 are the same blocks as 1 to 3. Where nothing of them is ticked, they are as a whole: the
// ticks of other blocks are not lost for nothing.
void ModelPanel::keepBlocks() {
    const auto [first, last] = std::minmax({m_firstBlock->value(), m_lastBlock->value()});
    const QVector<bool> before = m_tree->checked();
    QVector<bool> inside(before.size());
    bool isAnyTicked = false;
    for (int i = 0; i < before.size(); ++i) {
        const std::int64_t block = m_tree->layers()[static_cast<std::size_t>(i)].block;
        inside[i] = block >= first && block <= last;
        isAnyTicked = isAnyTicked || (inside[i] && before[i]);
    }
    for (int i = 0; i < before.size(); ++i) {
        inside[i] = inside[i] && (before[i] || !isAnyTicked);
    }
    m_tree->setChecked(inside);
}

void ModelPanel::fillOpenMenu() {
    m_openMenu->clear();
    m_openMenu->addAction(tr("GGUF file…"), this, &ModelPanel::openFileRequested);
    m_openMenu->addAction(tr("Hugging Face folder…"), this, &ModelPanel::openFolderRequested);
    m_openMenu->addAction(tr("The default model"), this,
                          [this] { emit openRequested(QStringLiteral("default")); });
    const QStringList recent = recentModels();
    if (!recent.isEmpty()) {
        m_openMenu->addSection(tr("Recent"));
    }
    for (const QString& path : recent) {
        m_openMenu->addAction(
            fontMetrics().elidedText(path, Qt::ElideMiddle, charactersWide(font(), 77)), this,
            [this, path] { emit openRequested(path); });
    }
}

void ModelPanel::showLoading(const QString& word) {
    m_open->setText(tr("Reading …"));
    m_open->setToolTip(tr("Reading %1").arg(word));
    if (m_tree->layers().empty()) {
        m_problem.reset();
        m_missing->setText(tr("Reading %1 …").arg(word.toHtmlEscaped()));
        m_stack->setCurrentIndex(1);
    }
}

void ModelPanel::endLoading() {
    m_open->setText(tr("Open"));
    m_open->setToolTip(tr("Open another model; or drop a file or folder onto the window"));
}

void ModelPanel::showModel(const ModelInfo& model) {
    endLoading();
    m_name->setText(QStringLiteral("<span style='font-size:large'>%1</span>")
                        .arg(modelTitle(model).toHtmlEscaped()));
    m_name->setToolTip(tr("%1\nThe file calls itself “%2”")
                           .arg(QString::fromStdString(model.path.string()),
                                QString::fromStdString(model.config.name)));
    m_facts->setText(modelFacts(model));
    const int last = static_cast<int>(model.config.blocks) - 1;
    for (QSpinBox* spin : {m_firstBlock, m_lastBlock}) {
        spin->setRange(0, std::max(0, last));
    }
    m_firstBlock->setValue(0);
    m_lastBlock->setValue(last);
    rememberModel(QString::fromStdString(model.path.string()));
    m_facts->setToolTip(tr("Context %1 tokens · vocabulary %2 · %3 tensors\n%4")
                            .arg(model.config.contextLength)
                            .arg(model.config.vocabularySize)
                            .arg(model.tensorCount)
                            .arg(QString::fromStdString(model.path.string())));
    m_typedRegex.clear();
    m_regex->clear();
    m_tree->setLayers(model.layers);
    rebuildKindButtons();
    m_view->header()->setSectionResizeMode(LayerTreeModel::LayerColumn, QHeaderView::Stretch);
    m_view->header()->setSectionResizeMode(LayerTreeModel::TypeColumn,
                                           QHeaderView::ResizeToContents);
    m_view->expand(m_tree->index(0, 0));
    evenNumbers();
    m_view->setCurrentIndex(m_tree->index(0, 0, m_tree->index(0, 0)));
    m_stack->setCurrentIndex(0);
    showSelection();
}

void ModelPanel::showProblem(const Error& error) {
    endLoading();
    m_problem = error;
    tellProblem();
    m_stack->setCurrentIndex(1);
}

void ModelPanel::tellProblem() {
    m_missing->setText(
        tr("<h3>No model is open</h3><p>%1</p><p style='color:%4'>%2</p><p>%3</p>"
           "<p>The default model (SmolLM2-135M-Instruct, 98 MB, Apache-2.0) is fetched by "
           "<b>%5</b>. Then start the workbench again, or open a model of your own:</p>")
            .arg(QString::fromStdString(m_problem->problem()).toHtmlEscaped(),
                 QString::fromStdString(m_problem->where()).toHtmlEscaped(),
                 QString::fromStdString(m_problem->hint()).toHtmlEscaped(), theme().muted.name(),
                 QString::fromStdString(fetchCommand()).toHtmlEscaped()));
}

void ModelPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_problem) {
        tellProblem();  // a colour stands in the words
    }
}

void ModelPanel::rebuildKindButtons() {
    while (QLayoutItem* item = m_kindRow->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_kindButtons.clear();
    const auto chip = [this](const QString& text, const QString& tip) {
        auto* button = new QPushButton(text);
        button->setObjectName(QStringLiteral("kind"));
        button->setToolTip(tip);
        m_kindRow->addWidget(button);
        return button;
    };
    for (const QString& kind : kindsOf(m_tree->layers())) {
        QPushButton* button = chip(shortKind(kind), tr("All %1 layers").arg(kind));
        button->setCheckable(true);
        button->setProperty("kind", kind);
        connect(button, &QPushButton::clicked, this,
                [this, kind](bool on) { toggleKind(kind, on); });
        m_kindButtons.append(button);
    }
    m_kindRow->addStretch();
    connect(chip(tr("All"), tr("Select every layer")), &QPushButton::clicked, this,
            [this] { setAll(true); });
    connect(chip(tr("None"), tr("Select no layer")), &QPushButton::clicked, this,
            [this] { setAll(false); });
    // Made after all others, they would be reached last.
    QWidget* before = m_open;
    for (int i = 0; i < m_kindRow->count(); ++i) {
        if (QWidget* button = m_kindRow->itemAt(i)->widget()) {
            setTabOrder(before, button);
            before = button;
        }
    }
    setTabOrder(before, m_regex);
}

void ModelPanel::toggleKind(const QString& kind, bool on) {
    QVector<bool> checked = m_tree->checked();
    for (int i = 0; i < checked.size(); ++i) {
        if (m_tree->layers()[static_cast<std::size_t>(i)].kind == kind.toStdString()) {
            checked[i] = on;
        }
    }
    m_tree->setChecked(checked);
    showSelection();
}

void ModelPanel::setAll(bool on) {
    m_tree->setChecked(QVector<bool>(m_tree->checked().size(), on));
}

// Numbers share one width, that of the broadest which is unfolded.
void ModelPanel::evenNumbers() {
    constexpr int kAround = 10;  // pixels
    int widest = 0;
    for (const int column : {LayerTreeModel::ShapeColumn, LayerTreeModel::SizeColumn}) {
        // Through the base class: the tree's own keeps the hints to itself.
        const int cells = static_cast<QAbstractItemView*>(m_view)->sizeHintForColumn(column);
        widest = std::max({widest, cells, m_view->header()->sectionSizeHint(column)});
    }
    for (const int column : {LayerTreeModel::ShapeColumn, LayerTreeModel::SizeColumn}) {
        m_view->header()->setSectionResizeMode(column, QHeaderView::Fixed);
        m_view->header()->resizeSection(column, widest + kAround);
    }
}

// While it is typed.
void ModelPanel::tellOfRegex() {
    const RegexMatch match = matchLayers(m_tree->layers(), m_regex->text());
    if (!match.problem.isEmpty()) {
        m_summary->setText(tr("Not a regular expression: %1").arg(match.problem));
    } else if (m_regex->text().isEmpty()) {
        m_summary->setText(m_selected);
    } else {
        m_summary->setText(tr("Found in %n layer(s); Enter ticks (it|them)", nullptr,
                              static_cast<int>(match.matched.count(true))));
    }
}

void ModelPanel::applyRegex() {
    const RegexMatch match = matchLayers(m_tree->layers(), m_regex->text());
    if (!match.problem.isEmpty()) {
        tellOfRegex();
        return;
    }
    m_typedRegex = m_regex->text();
    m_tree->setChecked(match.matched);
    showSelection();
}

void ModelPanel::selectByRegex(const QString& regex) {
    const bool isPlain = regex.isEmpty() || regex == QLatin1String(".*");
    m_regex->setText(isPlain ? QString() : regex);
    isPlain ? setAll(!regex.isEmpty()) : applyRegex();
}

void ModelPanel::showSelection() {
    double parameters = 0;
    const auto& layers = m_tree->layers();
    for (QPushButton* button : m_kindButtons) {
        bool all = true;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            all = all && (layers[i].kind != button->property("kind").toString().toStdString() ||
                          m_tree->checked()[static_cast<int>(i)]);
        }
        button->setChecked(all);
    }
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
    return selectionRegex(m_tree->layers(), m_tree->checked(), m_typedRegex);
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

void ModelPanel::highlight(const QString& layer) {
    const QModelIndex place = m_tree->indexOf(layer);
    if (place.isValid()) {
        m_view->expand(place.parent());
        m_view->setCurrentIndex(place);
        m_view->scrollTo(place);
    }
}

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
