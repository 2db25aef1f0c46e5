// Choosing layers on the Model page: by blocks, by an expression, and what the pages Plan and
// Explore name of them.
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTreeView>
#include <algorithm>

#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/model/model_panel.h"

namespace tst_window_layers {

using namespace cospadi;
using namespace cospadi::ui;

class TestWindowLayers : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    void blocksInEitherOrder() {
        const LayerTreeModel* tree = m_window->pages().model->tree();
        auto* first = m_window->findChild<QSpinBox*>("firstBlock");
        auto* last = m_window->findChild<QSpinBox*>("lastBlock");
        QVERIFY(last->maximum() >= 1);
        first->setValue(1);
        last->setValue(0);
        QTest::mouseClick(m_window->findChild<QPushButton*>("onlyBlocks"), Qt::LeftButton);
        int expected = 0;
        for (const LayerInfo& layer : tree->layers()) {
            expected += layer.block <= 1 ? 1 : 0;
        }
        QCOMPARE(tree->checkedCount(), expected);
        QVERIFY(expected > 0);
        // Ticks elsewhere alone are not lost: these blocks are ticked as a whole.
        m_window->pages().model->selectByRegex("blk\\.0\\.attn_k");
        QCOMPARE(tree->checkedCount(), 1);
        first->setValue(1);
        last->setValue(1);
        QTest::mouseClick(m_window->findChild<QPushButton*>("onlyBlocks"), Qt::LeftButton);
        for (qsizetype i = 0; i < tree->checked().size(); ++i) {
            QCOMPARE(tree->checked()[i], tree->layers()[static_cast<std::size_t>(i)].block == 1);
        }
    }

    void aBadExpressionIsToldAsItIsTyped() {
        auto* regex = m_window->findChild<QLineEdit*>("layersRegex");
        const auto says = [this](const QString& words) {
            const QList<QLabel*> labels = m_window->pages().model->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text().contains(words);
            });
        };
        const int ticked = m_window->pages().model->tree()->checkedCount();
        QTest::keyClicks(regex, "(ffn");
        QVERIFY(says("Not a regular expression"));
        QTest::keyClicks(regex, ")_up");
        QVERIFY(!says("Not a regular expression") && says("Enter ticks them"));
        QCOMPARE(m_window->pages().model->tree()->checkedCount(), ticked);
        regex->selectAll();
        QTest::keyClicks(regex, "blk.0.ffn_up");
        QVERIFY(says("1 layer matches; Enter ticks it"));
        regex->selectAll();
        QTest::keyClick(regex, Qt::Key_Backspace);
        QVERIFY(says("layers selected"));
    }

    void sizesOfLayersShareOneWidth() {
        const auto* view = m_window->findChild<QTreeView*>("layerTree");
        QCOMPARE(view->columnWidth(LayerTreeModel::ShapeColumn),
                 view->columnWidth(LayerTreeModel::SizeColumn));
        const QAbstractItemModel& tree = *view->model();
        for (const int column : {LayerTreeModel::ShapeColumn, LayerTreeModel::SizeColumn}) {
            QCOMPARE(tree.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt(),
                     tree.index(0, column).data(Qt::TextAlignmentRole).toInt());
        }
    }

    void planAndExploreNameWhatIsTicked() {
        const ModelPanel* panel = m_window->pages().model;
        QCOMPARE(m_window->pages().explore->layer(), "blk.0.attn_q");
        m_window->pages().model->selectByRegex("blk\\.1\\.ffn_up");
        QCOMPARE(panel->tree()->checkedCount(), 1);
        QCOMPARE(QString::fromStdString(panel->tickedLayer()->name), "blk.1.ffn_up");
        QCOMPARE(m_window->pages().explore->layer(), "blk.1.ffn_up");
        const auto* figures = m_window->pages().plan->findChild<QLabel*>("layerFigures");
        QVERIFY2(figures->text().contains("blk.1.ffn_up"), qPrintable(figures->text()));
        const auto* total = m_window->pages().plan->findChild<QLabel*>("totalFigures");
        QTRY_VERIFY2(total->text().contains("in the 1 selected layer"), qPrintable(total->text()));
        QVERIFY2(!total->text().contains("selected layers"), qPrintable(total->text()));
        // What is ticked and shown stays.
        m_window->pages().model->selectByRegex("blk\\.1");
        QCOMPARE(m_window->pages().explore->layer(), "blk.1.ffn_up");
        m_window->pages().model->selectByRegex(".*");
        QCOMPARE(QString::fromStdString(panel->tickedLayer()->name), "blk.0.attn_q");
    }
};

COSPADI_TEST(TestWindowLayers)

}  // namespace tst_window_layers

#include "tst_window_layers.moc"
