// How runs are found: by filters of the list, by their id or its beginning, by their directory.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/store/run_directory.h"
#include "core/store/run_store.h"
#include "tests/core/store_fixture.h"
#include "tests/registered_test.h"

namespace tst_store_queries {

using namespace cospadi;
using namespace store_fixture;
namespace fs = std::filesystem;

class TestStoreQueries : public QObject, StoreFixture {
    Q_OBJECT

  private slots:
    void init() { makeFolder(); }

    void filters_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("none, newest first") << ""
                                            << "" << QStringList{"c", "b", "a"};
        QTest::newRow("method") << "method"
                                << "svd" << QStringList{"b"};
        QTest::newRow("model") << "model"
                               << "/models/smol.gguf" << QStringList{"c", "b", "a"};
        QTest::newRow("status") << "status"
                                << "interrupted" << QStringList{};
        QTest::newRow("tag") << "tag"
                             << "t%" << QStringList{"a"};
        QTest::newRow("text in a tag, no wildcards") << "text"
                                                     << "T%" << QStringList{"a"};
        QTest::newRow("text in a note") << "text"
                                        << "remember" << QStringList{"c"};
        QTest::newRow("text in the method") << "text"
                                            << "SVD" << QStringList{"c", "b", "a"};
        QTest::newRow("starred") << "starred"
                                 << "" << QStringList{"b"};
        QTest::newRow("archived too") << "archived"
                                      << "" << QStringList{"d", "c", "b", "a"};
        QTest::newRow("limit") << "limit"
                               << "2" << QStringList{"c", "b"};
    }

    void filters() {
        QFETCH(QString, field);
        QFETCH(QString, value);
        QFETCH(QStringList, expected);
        RunStore store = RunStore::open(m_file);
        const std::vector<std::string> methods = {"cospadi", "svd", "svd-llm", "dense"};
        for (std::size_t i = 0; i < 4; ++i) {
            const std::string id(1, static_cast<char>('a' + i));
            writeFinishedRun(m_runs / id, id,
                             numbered("2026-11-2", static_cast<int>(i)) + "T00:00:00Z", 1,
                             methods[i]);
        }
        store.importTree(m_runs);
        store.tag("a", "t%");
        store.tag("b", "tx");
        store.note("c", "Remember me");
        store.star("b");
        store.archive("d");
        RunFilter filter;
        const std::string wanted = value.toStdString();
        filter.method = field == "method" ? wanted : "";
        filter.model = field == "model" ? wanted : "";
        filter.status = field == "status" ? wanted : "";
        filter.tag = field == "tag" ? wanted : "";
        filter.text = field == "text" ? wanted : "";
        filter.starredOnly = field == "starred";
        filter.includeArchived = field == "archived";
        filter.limit = field == "limit" ? value.toInt() : 0;
        QStringList ids;
        for (const RunRow& row : store.list(filter)) {
            ids << row.id.c_str();
        }
        if (field == "text" && value == "SVD") {
            // the solver is "ksvd" in every run
            QCOMPARE(ids.size(), 3);
        }
        QCOMPARE(ids, expected);
    }

    void runsAreFoundByTheirDirectory() {
        writeFinishedRun(m_runs / "my-run", "2026-a", "2026-11-21T04:15:00Z");
        writeFinishedRun(m_runs / "other", "2026-b", "2026-11-21T04:15:00Z");
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "my-run");
        QCOMPARE(store.find((m_runs / "my-run").string()).id, std::string("2026-a"));
        QCOMPARE(store.find((m_runs / "my-run" / "").string()).id, std::string("2026-a"));
        VERIFY_MESSAGE(store.find((m_runs / "other").string()), "runs import");
        VERIFY_MESSAGE(store.find(m_runs.string()), "no run has this id");
    }

    // What a token's products with the layers of a run take: known where every layer tells, or is
    // left out of the model.
    void multiplicationsAreOfAllMatrices_data() {
        QTest::addColumn<QString>("matrices");
        QTest::addColumn<double>("sum");
        QTest::newRow("three, one as large as no 32 bits hold")
            << R"([{"multiplications": 7}, {"multiplications": 5000000000}, {"multiplications": 30}])"
            << 5'000'000'037.0;
        QTest::newRow("one made before they were counted")
            << R"([{"multiplications": 7, "bytes": 5}, {"bytes": 5, "dense_bytes": 10}])"
            << unknownNumber;
        QTest::newRow("one left out") << R"([{"multiplications": 7, "bytes": 5, "dense_bytes": 10},
                                             {"bytes": 0, "dense_bytes": 10}])"
                                      << 7.0;
        QTest::newRow("none") << "[]" << unknownNumber;
    }

    void multiplicationsAreOfAllMatrices() {
        QFETCH(QString, matrices);
        QFETCH(double, sum);
        writeRunFile(m_runs / "a", "run-1", "2026-11-21T04:15:00Z");
        writeText(m_runs / "a" / "result.json",
                  R"({"status": "finished", "matrices": )" + matrices.toStdString() + "}");
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "a");
        RunFilter asking;
        asking.multiplications = true;
        QCOMPARE(store.list(asking).at(0).multiplications, sum);
        QCOMPARE(store.find("run-1").multiplications, sum);
        QCOMPARE(readRunDirectory(m_runs / "a").run.multiplications, sum);
        QVERIFY(std::isnan(store.list().at(0).multiplications));
    }

    void unknownRuns() {
        writeFinishedRun(m_runs / "a", "run-1", "2026-11-21T04:15:00Z");
        writeFinishedRun(m_runs / "b", "run-2", "2026-11-21T04:15:00Z");
        RunStore store = RunStore::open(m_file);
        store.importTree(m_runs);
        VERIFY_MESSAGE(store.find("absent"), "absent: no run has this id");
        VERIFY_MESSAGE(store.find(""), "no run has this id");
        VERIFY_MESSAGE(store.find("run-"), "more than one run");
        VERIFY_MESSAGE(store.tag("absent", "x"), "no run has this id");
        VERIFY_MESSAGE(store.tag("run-1", ""), "at least one character");
    }
};

COSPADI_TEST(TestStoreQueries)

}  // namespace tst_store_queries

#include "tst_store_queries.moc"
