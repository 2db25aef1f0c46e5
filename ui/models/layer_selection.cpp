#include "ui/models/layer_selection.h"

#include <QMap>
#include <QSet>

#include "core/model/layer_pattern.h"

namespace cospadi::ui {

namespace {

QString escaped(const QString& name) {
    QString text;
    for (const QChar letter : name) {
        if (QStringLiteral("\\^$.|?*+()[]{}").contains(letter)) {
            text += '\\';
        }
        text += letter;
    }
    return text;
}

QString anyOf(const QStringList& words) {
    return words.size() == 1 ? words.first() : '(' + words.join('|') + ')';
}

// The groups (kinds or blocks) that are wholly checked, if those are all that is checked.
template <typename Key, typename KeyOf>
QList<Key> wholeGroups(const std::vector<LayerInfo>& layers, const QVector<bool>& checked,
                       KeyOf keyOf) {
    QList<Key> order;
    QMap<Key, bool> whole;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Key key = keyOf(layers[i]);
        if (!whole.contains(key)) {
            order.append(key);
            whole.insert(key, true);
        }
        whole[key] = whole[key] && checked[static_cast<int>(i)];
    }
    QList<Key> result;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (checked[static_cast<int>(i)] && !whole[keyOf(layers[i])]) {
            return {};
        }
    }
    for (const Key& key : order) {
        if (whole[key]) {
            result.append(key);
        }
    }
    return result;
}

}  // namespace

QString shortKind(const QString& kind) {
    const QString bare = kind.section('_', 1);
    return bare.isEmpty() ? kind : bare == QLatin1String("output") ? QStringLiteral("o") : bare;
}

QStringList kindsOf(const std::vector<LayerInfo>& layers) {
    QStringList kinds;
    for (const LayerInfo& layer : layers) {
        const QString kind = QString::fromStdString(layer.kind);
        if (!kinds.contains(kind)) {
            kinds << kind;
        }
    }
    return kinds;
}

RegexMatch matchLayers(const std::vector<LayerInfo>& layers, const QString& regex) {
    RegexMatch result;
    result.matched.resize(static_cast<int>(layers.size()));
    result.problem = QString::fromStdString(problemOfPattern(regex.toStdString()));
    if (result.problem.isEmpty()) {
        const LayerPattern pattern(regex.toStdString());
        for (std::size_t i = 0; i < layers.size(); ++i) {
            result.matched[static_cast<int>(i)] = pattern.finds(layers[i].name);
        }
    }
    return result;
}

QString selectionRegex(const std::vector<LayerInfo>& layers, const QVector<bool>& checked,
                       const QString& typed) {
    if (!checked.contains(true)) {
        return {};
    }
    if (!checked.contains(false)) {
        return QStringLiteral(".*");
    }
    if (!typed.isEmpty() && matchLayers(layers, typed).matched == checked) {
        return typed;
    }
    QStringList candidates;
    const auto kinds = wholeGroups<QString>(
        layers, checked, [](const LayerInfo& layer) { return QString::fromStdString(layer.kind); });
    if (!kinds.isEmpty()) {
        QStringList words;
        for (const QString& kind : kinds) {
            words << escaped(kind);
        }
        candidates << QStringLiteral("\\.%1$").arg(anyOf(words));
    }
    const auto blocks = wholeGroups<qint64>(
        layers, checked, [](const LayerInfo& layer) { return static_cast<qint64>(layer.block); });
    if (!blocks.isEmpty()) {
        QStringList words;
        for (const qint64 block : blocks) {
            words << QString::number(block);
        }
        candidates << QStringLiteral("^blk\\.%1\\.").arg(anyOf(words));
    }
    // Some kinds of some blocks: every pair of a kind and a block that occurs.
    QStringList someKinds;
    QStringList someBlocks;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (checked[static_cast<int>(i)]) {
            const QString kind = escaped(QString::fromStdString(layers[i].kind));
            const QString block = QString::number(layers[i].block);
            someKinds << (someKinds.contains(kind) ? QStringList() : QStringList(kind));
            someBlocks << (someBlocks.contains(block) ? QStringList() : QStringList(block));
        }
    }
    if (someKinds.size() > 1 || someBlocks.size() > 1) {
        candidates << QStringLiteral("^blk\\.%1\\.%2$").arg(anyOf(someBlocks), anyOf(someKinds));
    }
    for (const QString& candidate : candidates) {
        if (matchLayers(layers, candidate).matched == checked) {
            return candidate;
        }
    }
    QStringList names;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (checked[static_cast<int>(i)]) {
            names << escaped(QString::fromStdString(layers[i].name));
        }
    }
    return QStringLiteral("^(%1)$").arg(names.join('|'));
}

}  // namespace cospadi::ui
