#include "ui/pages/model/layer_ticks.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "core/model/model_info.h"
#include "ui/models/layer_selection.h"
#include "ui/models/layer_tree_model.h"

namespace cospadi::ui {

LayerTicks::LayerTicks(LayerTreeModel* tree, QWidget* before, QWidget* parent)
    : QWidget(parent), m_tree(tree), m_before(before), m_kindRow(new QHBoxLayout) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_kindRow->setSpacing(4);
    column->addLayout(m_kindRow);
    makeRegexField();
    column->addWidget(m_regex);
    column->addWidget(makeBlockRow());
}

void LayerTicks::makeRegexField() {
    m_regex = new QLineEdit;
    m_regex->setObjectName(QStringLiteral("layersRegex"));
    m_regex->setAccessibleName(tr("Select layers by regular expression"));
    m_regex->setPlaceholderText(tr("Select by regular expression, e.g. blk\\.[0-9]\\.ffn"));
    m_regex->setToolTip(
        tr("Ticks exactly the layers whose name contains a match.\n"
           "Names look like blk.10.ffn_up. Press Enter."));
    m_regex->setClearButtonEnabled(true);
    connect(m_regex, &QLineEdit::returnPressed, this, &LayerTicks::applyRegex);
    connect(m_regex, &QLineEdit::textEdited, this, &LayerTicks::tellOfRegex);
}

QWidget* LayerTicks::makeBlockRow() {
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
    connect(only, &QPushButton::clicked, this, &LayerTicks::keepBlocks);
    return bar;
}

void LayerTicks::showModel(const ModelInfo& model) {
    const int last = static_cast<int>(model.config.blocks) - 1;
    for (QSpinBox* spin : {m_firstBlock, m_lastBlock}) {
        spin->setRange(0, std::max(0, last));
    }
    m_firstBlock->setValue(0);
    m_lastBlock->setValue(last);
    m_typedRegex.clear();
    m_regex->clear();
    m_tree->setLayers(model.layers);
    rebuildKindButtons();
}

// 3 to 1 are the same blocks as 1 to 3. Where nothing of them is ticked, they are as a whole: the
// ticks of other blocks are not lost for nothing.
void LayerTicks::keepBlocks() {
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

void LayerTicks::rebuildKindButtons() {
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
    QWidget* before = m_before;
    for (int i = 0; i < m_kindRow->count(); ++i) {
        if (QWidget* button = m_kindRow->itemAt(i)->widget()) {
            setTabOrder(before, button);
            before = button;
        }
    }
    setTabOrder(before, m_regex);
}

void LayerTicks::toggleKind(const QString& kind, bool on) {
    QVector<bool> checked = m_tree->checked();
    for (int i = 0; i < checked.size(); ++i) {
        if (m_tree->layers()[static_cast<std::size_t>(i)].kind == kind.toStdString()) {
            checked[i] = on;
        }
    }
    m_tree->setChecked(checked);
    emit ticked();
}

void LayerTicks::setAll(bool on) {
    m_tree->setChecked(QVector<bool>(m_tree->checked().size(), on));
}

void LayerTicks::tellOfRegex() {
    const RegexMatch match = matchLayers(m_tree->layers(), m_regex->text());
    if (!match.problem.isEmpty()) {
        emit found(tr("Not a regular expression: %1").arg(match.problem));
    } else if (m_regex->text().isEmpty()) {
        emit found({});
    } else {
        emit found(tr("%n layer(s) (matches|match); Enter ticks (it|them)", nullptr,
                      static_cast<int>(match.matched.count(true))));
    }
}

void LayerTicks::applyRegex() {
    const RegexMatch match = matchLayers(m_tree->layers(), m_regex->text());
    if (!match.problem.isEmpty()) {
        tellOfRegex();
        return;
    }
    m_typedRegex = m_regex->text();
    m_tree->setChecked(match.matched);
    emit ticked();
}

void LayerTicks::selectByRegex(const QString& regex) {
    const bool isPlain = regex.isEmpty() || regex == QLatin1String(".*");
    m_regex->setText(isPlain ? QString() : regex);
    isPlain ? setAll(!regex.isEmpty()) : applyRegex();
}

void LayerTicks::showTicked() {
    const auto& layers = m_tree->layers();
    for (QPushButton* button : m_kindButtons) {
        bool all = true;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            all = all && (layers[i].kind != button->property("kind").toString().toStdString() ||
                          m_tree->checked()[static_cast<int>(i)]);
        }
        button->setChecked(all);
    }
}

}  // namespace cospadi::ui
