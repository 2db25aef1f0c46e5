// What a method is called in a table: the settings that tell its runs apart, and no others.
#include <QtTest>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/pivot.h"
#include "core/report/report.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_labels {

using namespace cospadi;
using namespace report_fixture;
using nlohmann::json;

class TestReportLabels : public QObject {
    Q_OBJECT

  private slots:
    void labelsTellSettings_data() {
        QTest::addColumn<QByteArray>("fields");
        QTest::addColumn<QString>("label");
        const auto row = [](const json& fields, const char* label) {
            QTest::newRow(label) << QByteArray::fromStdString(fields.dump()) << QString(label);
        };
        row({{"method", "svd-llm"}, {"update", "mod"}}, "svd-llm");
        row({{"method", "cospadi"}}, "cospadi (fast)");
        row({{"iterations", 40}}, "cospadi (fast 40)");
        row({{"solver", "ksvd"}}, "cospadi (ksvd 60x8)");
        row({{"solver", "ksvd"}, {"iterations", 20}, {"power_iterations", 3}},
            "cospadi (ksvd 20x3)");
        row({{"solver", "ksvd"}, {"update", "mod"}}, "cospadi (mod 60)");
        row({{"solver", "ksvd"}, {"update", "ksvd-exact"}}, "cospadi (ksvd-exact 60)");
        row({{"solver", "ksvd"}, {"power_iterations", 0}, {"iterations", 61}},
            "cospadi (ksvd-exact 61)");
        row({{"solver", "ksvd"}, {"init", "svd"}}, "cospadi (ksvd 60x8, init svd)");
        row({{"solver", "ksvd"}, {"init", "weight"}}, "cospadi (ksvd 60x8, init weight)");
        row({{"solver", "ksvd"}, {"dead_atoms", "keep"}, {"coefficient_rounding", "truncate"}},
            "cospadi (ksvd 60x8, dead atoms kept, truncated)");
        row({{"dead_atoms", "keep"}, {"coefficient_rounding", "truncate"}}, "cospadi (fast)");
        row({{"accounting", "packed"}, {"coefficient_bits", 12}, {"propagation", "target"}},
            "cospadi (fast, packed, 12 bits, target)");
        row({{"method", "svd-llm"}, {"accounting", "packed"}}, "svd-llm (packed)");
        row({{"method", "svd-llm"}, {"accounting", "remapped"}, {"coefficient_bits", 9}},
            "svd-llm (remapped)");
        row({{"method", "asvd"}, {"alpha", 0.25}}, "asvd (alpha 0.25)");
        row({{"method", "asvd"}, {"alpha", 0.5}}, "asvd");
        row({{"method", "svd"}, {"accounting", "packed8"}, {"coefficient_bits", 8}},
            "svd (packed8, 8 bits)");
        row({{"method", "svd-llm"}, {"accounting", "eq10"}, {"coefficient_bits", 9}}, "svd-llm");
        row({{"method", "svd-llm"}, {"refit", "on"}}, "svd-llm (refit)");
        row({{"method", "svd-llm"}, {"refit", "off"}}, "svd-llm");
        row({{"method", "svd-llm"}, {"accounting", "packed"}, {"refit", "off"}},
            "svd-llm (packed, no refit)");
        row({{"refit", "on"}}, "cospadi (fast)");
        row({{"refit", "off"}}, "cospadi (fast, no refit)");
        row({{"solver", "ksvd"}, {"refit", "on"}}, "cospadi (ksvd 60x8, refit)");
        row({{"solver", "ksvd"}, {"accounting", "packed8"}, {"refit", "on"}},
            "cospadi (ksvd 60x8, packed8)");
        row({{"solver", "ksvd"}, {"coefficient_format", "exponent"}, {"refit", "on"}},
            "cospadi (ksvd 60x8, short exponents, refit)");
        row({{"solver", "ksvd"}, {"coefficient_format", "mantissa"}, {"refit", "off"}},
            "cospadi (ksvd 60x8)");
        row({{"solver", "ksvd"}, {"accounting", "eq10"}, {"coefficient_format", "exponent"}},
            "cospadi (ksvd 60x8, eq10)");
        row({{"coefficient_format", "mantissa"}}, "cospadi (fast, short mantissas)");
        row({{"method", "svd"}, {"coefficient_format", "mantissa"}}, "svd");
        row({{"method", "cospadi-free"}, {"solver", "ksvd"}, {"side", "output"}},
            "cospadi-free (ksvd 60x8, output side)");
        row({{"coefficient_bits", 14}, {"side", "input"}, {"tolerance", 0.001}},
            "cospadi (fast, input side, tolerance 0.001)");
    }

    void labelsTellSettings() {
        QFETCH(QByteArray, fields);
        QFETCH(QString, label);
        const RunRow run =
            withSettings(storedRun("cospadi", 0.2, 2, 1, 50.0), json::parse(fields.toStdString()));
        QCOMPARE(QString::fromStdString(methodLabel(run)), label);
    }

    // A row of another version is in tables by its method; its words stay as they are stored.
    void wordsOfOtherVersionsStayText() {
        for (const char* field : {"solver", "init", "coefficient_format", "allocation"}) {
            const RunRow run =
                withSettings(storedRun("cospadi", 0.2, 2, 1, 50.0), {{field, "of-tomorrow"}});
            QVERIFY2(!specificationOf(run), field);
            QCOMPARE(methodLabel(run), std::string("cospadi"));
            QCOMPARE(settingsOf(run).at(field), std::string("of-tomorrow"));
            QCOMPARE(pivot({run}, {}).rows.size(), 1u);
        }
    }

    // Runs that differ in a setting never share a row, in no order of their making.
    void unlikeSolversHaveRowsOfTheirOwn() {
        const std::vector<json> kinds = {{{"solver", "ksvd"}},
                                         {{"solver", "ksvd"}, {"update", "mod"}},
                                         {{"solver", "ksvd"}, {"update", "ksvd-exact"}},
                                         {{"solver", "ksvd"}, {"init", "gaussian"}},
                                         {{"solver", "fast"}}};
        std::vector<RunRow> runs;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            runs.push_back(withSettings(
                storedRun("cospadi", 0.2, 2, 1, 40.0 + static_cast<double>(i)), kinds[i]));
        }
        ReportTable table = pivot(runs, {});
        QCOMPARE(table.rows.size(), kinds.size());
        QVERIFY(noteAbout(table, "left out").empty());
        // A setting with a column of its own leaves the label.
        PivotOptions options;
        options.columns = {"update"};
        table = pivot({runs[0], runs[1]}, options);
        QCOMPARE(table.rows.size(), 1u);
        QCOMPARE(std::get<std::string>(table.rows[0].cells[0]), std::string("cospadi (ksvd 60)"));
        QCOMPARE(table.columns.size(), 3u);
        QCOMPARE(numberIn(table.rows[0].cells[1]), 40.0);
        QCOMPARE(numberIn(table.rows[0].cells[2]), 41.0);
    }

    // Methods as they are listed, whatever stands behind their names; what nobody knows before
    // ours.
    void methodsStandInTheirOrder() {
        int last = -1;
        for (const Method* method : methods()) {
            const int place = methodRank(method->name());
            QVERIFY2(place > last, method->name());
            QVERIFY(methodRank(method->name() + std::string(" (cr 0.2)")) == place);
            last = place;
        }
        QVERIFY(methodRank("cospadi (ksvd 60x8)") < methodRank("cospadi (fast)"));
        QVERIFY(methodRank("cospadi-free (fast)") < methodRank("cospadi (ksvd 60x8)"));
        const int unknown = methodRank("LLM-Pruner (imported)");
        QVERIFY(unknown > methodRank("svd-llm"));
        QVERIFY(unknown < methodRank("cospadi-free (ksvd 60x8)"));
    }
};

COSPADI_TEST(TestReportLabels)

}  // namespace tst_report_labels

#include "tst_report_labels.moc"
