// What layers of a unit share stands in memory once, and they compute as they do by themselves.
#include <QtTest>
#include <iterator>
#include <map>

#include "core/exports/compressed_model.h"
#include "core/methods/layer_groups.h"
#include "core/run/compression_run.h"
#include "small_model_fixture.h"
#include "small_runs.h"
#include "tests/registered_test.h"

namespace tst_shared_factors {

using namespace cospadi;
using small_runs::logitsOf;

class TestSharedFactors : public QObject, SmallModelFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeModel(); }

    void standInMemoryOnce_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("accounting");
        QTest::addColumn<QString>("groups");
        QTest::addColumn<QString>("layers");
        for (const char* method : {"svd-llm", "cospadi", "compot"}) {
            for (const char* accounting : {"eq11", "packed8"}) {
                QTest::addRow("%s %s", method, accounting) << method << accounting << "inputs"
                                                           << "attn_";
            }
        }
        QTest::newRow("over outputs, too") << "cospadi"
                                           << "eq11"
                                           << "all-2"
                                           << ".*";
    }

    void standInMemoryOnce() {
        QFETCH(QString, method);
        QFETCH(QString, accounting);
        QFETCH(QString, groups);
        QFETCH(QString, layers);
        const std::filesystem::path run = place(QTest::currentDataTag());
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName(method.toStdString());
        s.calibration = small_runs::onText(12, 64);
        s.accounting = accountingFromName(accounting.toStdString());
        s.layers = layers.toStdString();
        setOwnOption(s, kGroups, groups.toStdString());
        executeRun(s, run, {});
        const std::map<std::string, MatrixRecord> records = small_runs::recordsOf(run);

        const Model together = loadModelOrRun(run.string());
        const auto factorOf = [&](const std::string& layer) {
            return dynamic_cast<const PackedLayer&>(together.layer(layer)).commonFactor();
        };
        int sharing = 0;
        for (auto one = records.begin(); one != records.end(); ++one) {
            for (auto other = std::next(one); other != records.end(); ++other) {
                const std::string& unit = one->second.unit;
                const bool isShared = !unit.empty() && unit == other->second.unit;
                QCOMPARE(factorOf(one->first) == factorOf(other->first), isShared);
                sharing += isShared ? 1 : 0;
            }
        }
        QVERIFY(sharing >= 6);  // three pairs a block
        Model apart = Model::load(m_model);
        for (const auto& [name, record] : records) {
            apart.replaceLayer(name, small_runs::matrixOf(run, name).weight->makeLayer(0));
        }
        QCOMPARE(logitsOf(together), logitsOf(apart));
    }
};

COSPADI_TEST(TestSharedFactors)

}  // namespace tst_shared_factors

#include "tst_shared_factors.moc"
