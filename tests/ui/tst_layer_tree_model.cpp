// The layer tree: structure, tri-state check boxes, and the regular expression that a selection
// becomes.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

#include "tests/registered_test.h"
#include "ui/models/layer_selection.h"
#include "ui/models/layer_tree_model.h"

namespace tst_layer_tree_model {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

std::vector<LayerInfo> someLayers(int blocks) {
    std::vector<LayerInfo> layers;
    for (int block = 0; block < blocks; ++block) {
        for (const char* kind : {"attn_q", "attn_k", "ffn_up"}) {
            LayerInfo layer;
            layer.name = "blk." + std::to_string(block) + "." + kind;
            layer.block = block;
            layer.kind = kind;
            layer.d1 = 64;
            layer.d2 = 128;
            layer.storedDtype = "Q4_1";
            layer.storedBytes = 5120;
            layers.push_back(layer);
        }
    }
    return layers;
}

QVector<bool> choose(const std::vector<LayerInfo>& layers, const QStringList& names) {
    QVector<bool> checked;
    for (const LayerInfo& layer : layers) {
        checked << names.contains(QString::fromStdString(layer.name));
    }
    return checked;
}

}  // namespace

class TestLayerTreeModel : public QObject {
    Q_OBJECT

  private slots:
    void isAWellFormedModel() {
        LayerTreeModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setLayers(someLayers(12));
        QCOMPARE(model.rowCount(), 12);
        QCOMPARE(model.rowCount(model.index(3, 0)), 3);
        QCOMPARE(model.index(1, 0, model.index(11, 0)).data().toString(), "attn_k");
        model.setChecked(QVector<bool>(36, false));
        model.setLayers({});
        QCOMPARE(model.rowCount(), 0);
    }

    void checkBoxesAreTristate() {
        LayerTreeModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setLayers(someLayers(2));
        const QModelIndex block = model.index(1, 0);
        const QModelIndex layer = model.index(2, 0, block);
        QSignalSpy changes(&model, &LayerTreeModel::selectionChanged);
        QCOMPARE(block.data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
        QVERIFY(model.setData(layer, Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(block.data(Qt::CheckStateRole).toInt(), int(Qt::PartiallyChecked));
        QCOMPARE(model.checkedCount(), 5);
        QVERIFY(model.setData(block, Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(layer.data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
        QCOMPARE(model.checkedCount(), 3);
        QVERIFY(model.setData(block, Qt::Checked, Qt::CheckStateRole));
        QCOMPARE(model.checkedCount(), 6);
        QCOMPARE(changes.count(), 3);
        QVERIFY(!model.setData(layer, "x", Qt::EditRole));
    }

    void findsLayersByName() {
        LayerTreeModel model;
        model.setLayers(someLayers(3));
        const QModelIndex index = model.indexOf("blk.2.attn_k");
        QCOMPARE(model.layerAt(index)->name, "blk.2.attn_k");
        QVERIFY(!model.indexOf("blk.9.attn_k").isValid());
        QVERIFY(model.layerAt({}) == nullptr);
    }

    void selectionBecomesARegex_data() {
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("regex");
        QStringList all;
        for (const LayerInfo& layer : someLayers(12)) {
            all << QString::fromStdString(layer.name);
        }
        QTest::newRow("nothing") << QStringList{} << ""
                                 << "";
        QTest::newRow("all") << all << ""
                             << ".*";
        QTest::newRow("kind") << all.filter("attn_q") << ""
                              << R"(\.attn_q$)";
        QTest::newRow("kinds") << all.filter("attn") << ""
                               << R"(\.(attn_q|attn_k)$)";
        QTest::newRow("block 1, not 10 and 11") << all.filter("blk.1.") << ""
                                                << R"(^blk\.1\.)";
        QTest::newRow("typed") << all.filter("attn") << "attn"
                               << "attn";
        QTest::newRow("typed, then changed")
            << all.filter("attn").mid(1) << "attn"
            << "^(" + all.filter("attn").mid(1).replaceInStrings(".", "\\.").join('|') + ")$";
        QTest::newRow("one layer") << QStringList{"blk.1.ffn_up"} << ""
                                   << R"(^(blk\.1\.ffn_up)$)";
    }

    void selectionBecomesARegex() {
        QFETCH(QStringList, names);
        QFETCH(QString, typed);
        QFETCH(QString, regex);
        const auto layers = someLayers(12);
        const QVector<bool> checked = choose(layers, names);
        const QString made = selectionRegex(layers, checked, typed);
        QCOMPARE(made, regex);
        if (!made.isEmpty()) {
            QCOMPARE(matchLayers(layers, made).matched, checked);
        }
    }

    void brokenRegexMatchesNothing() {
        const RegexMatch match = matchLayers(someLayers(1), "blk.(");
        QVERIFY(!match.problem.isEmpty());
        QVERIFY(!match.matched.contains(true));
    }

    void kindsHaveShortNames() {
        QCOMPARE(shortKind("attn_q"), "q");
        QCOMPARE(shortKind("attn_output"), "o");
        QCOMPARE(shortKind("ffn_gate"), "gate");
        QCOMPARE(kindsOf(someLayers(2)), (QStringList{"attn_q", "attn_k", "ffn_up"}));
    }
};

COSPADI_TEST(TestLayerTreeModel)

}  // namespace tst_layer_tree_model

#include "tst_layer_tree_model.moc"
