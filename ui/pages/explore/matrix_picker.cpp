#include "ui/pages/explore/matrix_picker.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVector>
#include <algorithm>
#include <set>

#include "ui/models/layer_selection.h"

namespace cospadi::ui {

namespace {

constexpr int kDepths = 5;  // blocks from the first to the last

QString nameOf(const LayerInfo& layer) { return QString::fromStdString(layer.name); }

}  // namespace

MatrixPicker::MatrixPicker(QWidget* parent) : QWidget(parent) {
    m_front = new QComboBox;
    m_front->setObjectName(QStringLiteral("exploreLayer"));
    m_front->setAccessibleName(tr("Matrix"));
    m_front->setMinimumContentsLength(14);
    m_menu = new QMenu(this);
    m_besideButton = new QToolButton;
    m_besideButton->setObjectName(QStringLiteral("exploreBeside"));
    m_besideButton->setAccessibleName(tr("Other matrices to explore"));
    m_besideButton->setPopupMode(QToolButton::InstantPopup);
    m_besideButton->setMenu(m_menu);
    m_besideButton->setFocusPolicy(Qt::StrongFocus);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(m_front, 1);
    row->addWidget(m_besideButton);
    connect(m_menu, &QMenu::aboutToShow, this, &MatrixPicker::fillMenu);
    connect(m_front, &QComboBox::currentIndexChanged, this, [this] {
        showBeside();
        emit changed();
    });
    showBeside();
}

void MatrixPicker::setLayers(const std::vector<LayerInfo>& layers) {
    m_layers = layers;
    {
        const QSignalBlocker quiet(m_front);
        m_front->clear();
        for (const LayerInfo& layer : layers) {
            m_front->addItem(nameOf(layer));
        }
    }
    m_beside.removeIf([this](const QString& name) { return m_front->findText(name) < 0; });
    showBeside();
    emit changed();
}

void MatrixPicker::setFront(const QString& layer) {
    const int row = m_front->findText(layer);
    if (row >= 0) {
        m_front->setCurrentIndex(row);
    }
}

void MatrixPicker::setBeside(const QStringList& layers) {
    m_beside = layers;
    m_beside.removeAll(front());
    m_beside = m_beside.mid(0, kMost - 1);
    showBeside();
    emit changed();
}

bool MatrixPicker::isEmpty() const { return m_front->count() == 0; }

QString MatrixPicker::front() const { return m_front->currentText(); }

QStringList MatrixPicker::layers() const {
    QStringList all{front()};
    for (const QString& name : m_beside) {
        if (name != front()) {
            all << name;
        }
    }
    return all.mid(0, kMost);
}

QString MatrixPicker::regex() const {
    const QStringList chosen = layers();
    QVector<bool> checked;
    for (const LayerInfo& layer : m_layers) {
        checked.append(chosen.contains(nameOf(layer)));
    }
    return selectionRegex(m_layers, checked);
}

QStringList MatrixPicker::otherKinds() const {
    const int row = m_front->currentIndex();
    QStringList names;
    for (const LayerInfo& layer : m_layers) {
        if (row >= 0 && layer.block == m_layers[static_cast<std::size_t>(row)].block &&
            nameOf(layer) != front()) {
            names << nameOf(layer);
        }
    }
    return names;
}

QStringList MatrixPicker::throughDepth() const {
    const int row = m_front->currentIndex();
    QStringList same;
    for (const LayerInfo& layer : m_layers) {
        if (row >= 0 && layer.kind == m_layers[static_cast<std::size_t>(row)].kind) {
            same << nameOf(layer);
        }
    }
    QStringList names;
    for (int i = 0; i < kDepths && !same.isEmpty(); ++i) {
        const QString& name = same[i * (same.size() - 1) / (kDepths - 1)];
        if (name != front() && !names.contains(name)) {
            names << name;
        }
    }
    return names;
}

void MatrixPicker::fillMenu() {
    m_menu->clear();
    const int row = m_front->currentIndex();
    if (row < 0) {
        return;
    }
    const LayerInfo& chosen = m_layers[static_cast<std::size_t>(row)];
    const auto offer = [this](const QString& words, const QStringList& names) {
        QAction* action = m_menu->addAction(words, this, [this, names] { setBeside(names); });
        action->setCheckable(true);
        action->setChecked(layers().mid(1) == names);
    };
    offer(tr("Only %1").arg(front()), {});
    offer(tr("All kinds of block %1").arg(chosen.block), otherKinds());
    offer(tr("%1 across the blocks").arg(QString::fromStdString(chosen.kind)), throughDepth());
    m_menu->addSeparator();
    const QStringList now = layers();
    QMenu* block = nullptr;
    std::int64_t number = -1;
    for (const LayerInfo& layer : m_layers) {
        if (block == nullptr || layer.block != number) {
            number = layer.block;
            block = m_menu->addMenu(tr("Block %1").arg(number));
        }
        const QString name = nameOf(layer);
        QAction* action = block->addAction(name);
        action->setCheckable(true);
        action->setChecked(now.contains(name));
        action->setEnabled(name != front() && (now.contains(name) || now.size() < kMost));
        connect(action, &QAction::toggled, this, [this, name](bool on) {
            QStringList names = layers().mid(1);
            names.removeAll(name);
            setBeside(on ? names + QStringList{name} : names);
        });
    }
}

void MatrixPicker::showBeside() {
    const QStringList others = layers().mid(1);
    m_besideButton->setText(others.isEmpty()
                                ? tr("+ others")
                                : tr("+ %n more", nullptr, static_cast<int>(others.size())));
    m_besideButton->setToolTip(
        others.isEmpty() ? tr("Other matrices at the same setting, up to %1 together").arg(kMost)
                         : tr("Also explored: %1").arg(others.join(QStringLiteral(", "))));
    m_besideButton->setEnabled(!isEmpty());
}

}  // namespace cospadi::ui
