#include "ui/widgets/ordered_list.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QScopedValueRollback>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

namespace cospadi::ui {

namespace {

constexpr int kKeyRole = Qt::UserRole;

}  // namespace

OrderedList::OrderedList(const QString& heading, Features features, QWidget* parent)
    : QWidget(parent), m_features(features), m_list(new QListWidget) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(3);
    auto* head = new QHBoxLayout;
    head->setSpacing(2);
    auto* label = new QLabel(heading);
    label->setBuddy(m_list);
    head->addWidget(label, 1);
    const auto tool = [&](const QString& text, Qt::ArrowType arrow, const QString& tip) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setArrowType(arrow);
        button->setAutoRaise(true);
        button->setToolTip(tip);
        button->setAccessibleName(QStringLiteral("%1: %2").arg(heading, tip));
        button->setFocusPolicy(Qt::StrongFocus);
        head->addWidget(button);
        return button;
    };
    if (features & Addable) {
        m_add = tool(QStringLiteral("+"), Qt::NoArrow, tr("Add"));
        m_menu = new QMenu(m_add);
        m_add->setMenu(m_menu);
        m_add->setPopupMode(QToolButton::InstantPopup);
        m_remove = tool(QStringLiteral("−"), Qt::NoArrow, tr("Remove (Delete)"));
        connect(m_remove, &QToolButton::clicked, this, &OrderedList::removeCurrent);
    }
    m_up = tool({}, Qt::UpArrow, tr("Up (Alt+Up)"));
    m_down = tool({}, Qt::DownArrow, tr("Down (Alt+Down)"));
    connect(m_up, &QToolButton::clicked, this, [this] { moveCurrent(-1); });
    connect(m_down, &QToolButton::clicked, this, [this] { moveCurrent(1); });
    m_list->setAccessibleName(heading);
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_list->setDefaultDropAction(Qt::MoveAction);
    m_list->setEditTriggers(features & Renamable ? QAbstractItemView::DoubleClicked |
                                                       QAbstractItemView::EditKeyPressed
                                                 : QAbstractItemView::NoEditTriggers);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setSpacing(1);
    m_list->installEventFilter(this);
    column->addLayout(head);
    column->addWidget(m_list, 1);
    const auto announce = [this] {
        updateButtons();
        if (!m_quiet) {
            emit changed();
        }
    };
    connect(m_list->model(), &QAbstractItemModel::rowsMoved, this, announce);
    connect(m_list, &QListWidget::currentRowChanged, this, &OrderedList::updateButtons);
    connect(m_list, &QListWidget::itemChanged, this, [this, announce](QListWidgetItem* item) {
        if (m_quiet) {
            return;
        }
        const QString was = item->data(kKeyRole + 1).toString();
        if (item->text() != was) {
            const QScopedValueRollback quiet(m_quiet, true);
            item->setData(kKeyRole + 1, item->text());
            emit renamed(item->data(kKeyRole).toString(), item->text());
            return;
        }
        announce();
    });
    updateButtons();
}

void OrderedList::addItem(const Item& item) {
    auto* row = new QListWidgetItem(item.text);
    row->setData(kKeyRole, item.key);
    row->setData(kKeyRole + 1, item.text);
    row->setToolTip(item.text == item.key ? item.key
                                          : QStringLiteral("%1 (%2)").arg(item.text, item.key));
    Qt::ItemFlags flags = Qt::ItemIsSelectable | Qt::ItemIsEnabled | Qt::ItemIsDragEnabled;
    flags |= m_features & Renamable ? Qt::ItemIsEditable : Qt::NoItemFlags;
    if (m_features & Checkable) {
        flags |= Qt::ItemIsUserCheckable;
        row->setCheckState(item.checked ? Qt::Checked : Qt::Unchecked);
    }
    row->setFlags(flags);
    m_list->addItem(row);
}

void OrderedList::setItems(const QList<Item>& items) {
    if (items == this->items()) {
        return;
    }
    const QScopedValueRollback quiet(m_quiet, true);
    const QListWidgetItem* current = m_list->currentItem();
    const QString key = current != nullptr ? current->data(kKeyRole).toString() : QString();
    m_list->clear();
    for (const Item& item : items) {
        addItem(item);
        if (item.key == key) {
            m_list->setCurrentRow(m_list->count() - 1);
        }
    }
    if (m_list->currentRow() < 0 && m_list->count() > 0) {
        m_list->setCurrentRow(0);  // so that the buttons have something to move
    }
    updateButtons();
    fillMenu();
}

void OrderedList::setKeys(const QStringList& keys) {
    QList<Item> items;
    for (const QString& key : keys) {
        items.append({key, wordsOf(key), true});
    }
    setItems(items);
}

QList<OrderedList::Item> OrderedList::items() const {
    QList<Item> items;
    for (int row = 0; row < m_list->count(); ++row) {
        const QListWidgetItem* item = m_list->item(row);
        items.append({item->data(kKeyRole).toString(), item->text(),
                      !(m_features & Checkable) || item->checkState() == Qt::Checked});
    }
    return items;
}

QStringList OrderedList::keys() const {
    QStringList keys;
    const QList<Item> all = items();
    for (const Item& item : all) {
        keys << item.key;
    }
    return keys;
}

QStringList OrderedList::uncheckedKeys() const {
    QStringList keys;
    const QList<Item> all = items();
    for (const Item& item : all) {
        if (!item.checked) {
            keys << item.key;
        }
    }
    return keys;
}

void OrderedList::setChoices(const QStringList& choices) {
    if (m_choices != choices) {
        m_choices = choices;
        fillMenu();
    }
}

void OrderedList::fillMenu() {
    if (m_menu == nullptr) {
        return;
    }
    m_menu->clear();
    const QStringList there = keys();
    for (const QString& choice : std::as_const(m_choices)) {
        if (!there.contains(choice)) {
            m_menu->addAction(wordsOf(choice), this, [this, choice] {
                addItem({choice, wordsOf(choice), true});
                m_list->setCurrentRow(m_list->count() - 1);
                // The menu that sends this is made anew.
                QMetaObject::invokeMethod(this, &OrderedList::fillMenu, Qt::QueuedConnection);
                emit changed();
            });
        }
    }
    m_add->setEnabled(!m_menu->isEmpty());
}

void OrderedList::removeCurrent() {
    if (m_list->currentRow() >= 0) {
        delete m_list->takeItem(m_list->currentRow());
        fillMenu();
        updateButtons();
        emit changed();
    }
}

void OrderedList::moveCurrent(int by) {
    const int from = m_list->currentRow();
    const int to = from + by;
    if (from < 0 || to < 0 || to >= m_list->count()) {
        return;
    }
    {
        const QScopedValueRollback quiet(m_quiet, true);
        QListWidgetItem* item = m_list->takeItem(from);
        m_list->insertItem(to, item);
        m_list->setCurrentItem(item);
    }
    updateButtons();
    emit changed();
}

void OrderedList::updateButtons() {
    const int row = m_list->currentRow();
    m_up->setEnabled(row > 0);
    m_down->setEnabled(row >= 0 && row + 1 < m_list->count());
    if (m_remove != nullptr) {
        m_remove->setEnabled(row >= 0);
    }
}

bool OrderedList::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool alt = key->modifiers() == Qt::AltModifier;
        if (alt && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down)) {
            moveCurrent(key->key() == Qt::Key_Up ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Delete && m_features & Addable) {
            removeCurrent();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace cospadi::ui
