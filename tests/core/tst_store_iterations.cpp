// Iterations: read from events.jsonl, line by line, packed into the store's columns as
// docs/formats.md describes them, and answered from where they are right.
#include <QtTest>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/store/iteration_series.h"
#include "core/store/run_store.h"
#include "tests/core/store_fixture.h"
#include "tests/registered_test.h"

namespace tst_store_iterations {

using namespace cospadi;
using namespace store_fixture;
namespace fs = std::filesystem;

class TestStoreIterations : public QObject, StoreFixture {
    Q_OBJECT

  private slots:
    void init() { makeFolder(); }

    void iterationsAreReadFromTheEvents() {
        const std::string start = R"({"event":"matrix_started","matrix":"b"})"
                                  "\n";
        // a and b are worked on side by side, the process is killed, b is begun again.
        writeText(m_root / "events.jsonl",
                  iterationEvent("a", 1, 0.5) + start + iterationEvent("b", 1, 0.75) +
                      iterationEvent("a", 2, 0.25) + "{\"event\":\"iter\n" + start +
                      iterationEvent("b", 1, 0.7) + iterationEvent("b", 2, 0.6) +
                      "{\"event\": \"itera");
        const IterationSeries series = readIterations(m_root);
        QCOMPARE(series.size(), 4u);
        QCOMPARE(series.brokenLines, 2);
        QCOMPARE(series.matrices.size(), 2u);
        QCOMPARE(series.matrices[0].matrix, std::string("a"));
        QCOMPARE(series.matrices[0].relativeError, (std::vector<float>{0.5F, 0.25F}));
        QCOMPARE(series.matrices[1].relativeError, (std::vector<float>{0.7F, 0.6F}));
        QCOMPARE(series.matrices[1].iteration, (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(series.matrices[1].phase(0), std::string("orthogonal"));
        QCOMPARE(series.matrices[1].phase(1), std::string("general"));
        QCOMPARE(readIterations(m_root / "absent").size(), 0u);
    }

    void eventLines_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("iterations");
        QTest::addColumn<int>("broken");
        const QString whole = "{\"event\":\"iteration\",\"matrix\":\"a\",\"iteration\":1%1}";
        QTest::newRow("least") << whole.arg("") << 1 << 0;
        QTest::newRow("spaced") << "  { \"event\" : \"iteration\", \"iteration\":1 ,"
                                   "\"matrix\":\"a\"\t} \r"
                                << 1 << 0;
        QTest::newRow("null") << whole.arg(",\"relative_error\":null") << 1 << 0;
        QTest::newRow("an escape") << whole.arg(",\"message\":\"a \\\"quote\\\" }\"") << 1 << 0;
        QTest::newRow("an object inside") << whole.arg(",\"more\":{\"x\":[1]}") << 1 << 0;
        QTest::newRow("nested arrays") << whole.arg(",\"more\":[[1],[\"]\"]]") << 1 << 0;
        QTest::newRow("escaped name")
            << "{\"event\":\"iteration\",\"matrix\":\"a\\u0041\",\"iteration\":1}" << 1 << 0;
        QTest::newRow("another event") << "{\"event\":\"run_started\",\"t\":0}" << 0 << 0;
        QTest::newRow("no matrix") << "{\"event\":\"iteration\",\"iteration\":1}" << 0 << 1;
        QTest::newRow("no number") << "{\"event\":\"iteration\",\"matrix\":\"a\"}" << 0 << 1;
        QTest::newRow("wrong type") << "{\"event\":5}" << 0 << 1;
        QTest::newRow("no object") << "[1]" << 0 << 1;
        QTest::newRow("empty") << "{}" << 0 << 1;
        QTest::newRow("infinite") << whole.arg(",\"seconds\":inf") << 0 << 1;
        QTest::newRow("two objects") << whole.arg("") + whole.arg("") << 0 << 1;
    }

    void eventLines() {
        QFETCH(QString, line);
        QFETCH(int, iterations);
        QFETCH(int, broken);
        writeText(m_root / "events.jsonl", line.toStdString() + "\n");
        const IterationSeries series = readIterations(m_root);
        QCOMPARE(static_cast<int>(series.size()), iterations);
        QCOMPARE(static_cast<int>(series.brokenLines), broken);
        // Half a line is never an iteration, wherever it was cut.
        if (iterations == 1) {
            const std::string text = line.trimmed().toStdString();
            for (std::size_t length = 1; length < text.size(); ++length) {
                writeText(m_root / "events.jsonl", text.substr(0, length));
                QCOMPARE(readIterations(m_root).size(), 0u);
            }
        }
    }

    // Python reads the packed columns as docs/formats.md describes them.
    void anotherProgramReadsTheStoredIterations() {
        writeFinishedRun(m_runs / "a", "run-a", "2026-11-21T04:15:00Z");
        writeText(m_runs / "a" / "events.jsonl", iterationEvent("m", 1, 0.5) +
                                                     iterationEvent("m", 2, 0.25) +
                                                     iterationEvent("m", 3, 0.125));
        { RunStore::open(m_file).importRun(m_runs / "a"); }
        QCOMPARE(python("import struct\n"
                        "c = sqlite3.connect(sys.argv[1])\n"
                        "matrix, n, last, phases, series = c.execute('SELECT matrix, count,"
                        " last_error, phases, series FROM iterations').fetchone()\n"
                        "print(matrix, n, last, phases, series[0])\n"
                        "at = 1\n"
                        "for name in ('error', 'seconds', 'entropy'):\n"
                        "    print(struct.unpack_from('<%df' % n, series, at)); at += 4 * n\n"
                        "for name in ('iteration', 'dead', 'changes'):\n"
                        "    width = series[at]; at += 1\n"
                        "    print(width, [int.from_bytes(series[at + i * width:at + (i + 1) *"
                        " width], 'little') for i in range(n)]); at += n * width\n"
                        "print(at == len(series))",
                        m_file),
                 QString("m 3 0.125 [[\"orthogonal\",1],[\"general\",2]] 1\n"
                         "(0.5, 0.25, 0.125)\n(0.25, 0.25, 0.25)\n(0.5, 0.5, 0.5)\n"
                         "1 [1, 2, 3]\n1 [3, 3, 3]\n4 [70000, 140000, 210000]\nTrue"));
    }

    // The store answers while it is right, and the events where it is not.
    void storedIterationsFollowTheEvents() {
        const fs::path run = m_runs / "a";
        const fs::path events = run / "events.jsonl";
        writeFinishedRun(run, "a", "2026-11-21T04:15:00Z");
        std::string text = iterationEvent("m", 1, 0.5) + iterationEvent("m", 2, 0.25);
        writeText(events, text);
        RunStore store = RunStore::open(m_file);
        store.importRun(run);
        const auto same = [](const IterationSeries& a, const IterationSeries& b) {
            return a.size() == b.size() && a.matrices[0].matrix == b.matrices[0].matrix &&
                   a.matrices[0].phases == b.matrices[0].phases &&
                   a.matrices[0].iteration == b.matrices[0].iteration &&
                   a.matrices[0].relativeError == b.matrices[0].relativeError &&
                   a.matrices[0].seconds == b.matrices[0].seconds &&
                   a.matrices[0].usageEntropy == b.matrices[0].usageEntropy &&
                   a.matrices[0].deadAtoms == b.matrices[0].deadAtoms &&
                   a.matrices[0].supportChanges == b.matrices[0].supportChanges;
        };
        QVERIFY(same(store.iterations("a"), readIterations(run)));
        text += iterationEvent("m", 3, 0.125);
        writeText(events, text);
        QCOMPARE(store.iterations("a").size(), 3u);
        fs::remove(events);
        QCOMPARE(store.iterations("a").size(), 2u);  // what is stored
        writeText(events, text);
        QCOMPARE(store.importTree(m_runs).imported, 1);
        QCOMPARE(store.importTree(m_runs).imported, 1);  // unchanged: the rows are kept
        fs::remove(events);
        QCOMPARE(store.iterations("a").size(), 3u);
        // A damaged series is named, and another import mends it.
        QCOMPARE(python("c = sqlite3.connect(sys.argv[1])\n"
                        "c.execute('UPDATE iterations SET series = substr(series, 1, 20)')\n"
                        "c.commit()",
                        m_file),
                 QString());
        VERIFY_MESSAGE(store.iterations("a"), "iterations is truncated");
        QCOMPARE(python("c = sqlite3.connect(sys.argv[1])\n"
                        "c.execute(\"UPDATE iterations SET series = x'07', count = 0\")\n"
                        "c.commit()",
                        m_file),
                 QString());
        VERIFY_MESSAGE(store.iterations("a"), "unknown version");
        writeText(events, text);
        store.importRun(run);
        QVERIFY(same(store.iterations("a"), readIterations(run)));
    }

    void columnsKeepWhatTheyAreGiven_data() {
        QTest::addColumn<qint64>("largest");
        for (const qint64 largest :
             {0LL, 1LL, 255LL, 256LL, 65535LL, 65536LL, 4294967295LL, 4294967296LL, 1LL << 53}) {
            QTest::addRow("%lld", static_cast<long long>(largest)) << largest;
        }
    }

    void columnsKeepWhatTheyAreGiven() {
        QFETCH(qint64, largest);
        MatrixIterations given;
        for (const std::int64_t value : std::vector<std::int64_t>{0, largest, largest / 2}) {
            given.iteration.push_back(value);
            given.deadAtoms.push_back(largest - value);
            given.supportChanges.push_back(value);
            given.relativeError.push_back(static_cast<float>(value) * 1e-9F);
            given.seconds.push_back(0);
            given.usageEntropy.push_back(1);
        }
        MatrixIterations read;
        unpackColumns(packColumns(given), 3, read);
        QCOMPARE(read.iteration, given.iteration);
        QCOMPARE(read.deadAtoms, given.deadAtoms);
        QCOMPARE(read.supportChanges, given.supportChanges);
        QCOMPARE(read.relativeError, given.relativeError);
        VERIFY_MESSAGE(unpackColumns(packColumns(given), 2, read), "(run `cospadi runs import`");
        VERIFY_MESSAGE(unpackColumns(packColumns(given), 4, read), "(run `cospadi runs import`");
        VERIFY_MESSAGE(unpackColumns(packColumns(given), SIZE_MAX, read), "truncated");
        // A column more where text was held out, version 2; without it the bytes are the former.
        const std::string former = packColumns(given);
        QCOMPARE(former.front(), '\1');
        given.heldOutError = {0.5F, 0.25F, 0.125F};
        const std::string packed = packColumns(given);
        QCOMPARE(packed.front(), '\2');
        QCOMPARE(packed.size(), former.size() + 3 * sizeof(float));
        QCOMPARE(packed.substr(1, 9 * sizeof(float)), former.substr(1, 9 * sizeof(float)));
        unpackColumns(packed, 3, read);
        QCOMPARE(read.heldOutError, given.heldOutError);
        QCOMPARE(read.relativeError, given.relativeError);
        QCOMPARE(read.supportChanges, given.supportChanges);
        VERIFY_MESSAGE(unpackColumns(packed, 4, read), "(run `cospadi runs import`");
        unpackColumns(former, 3, read);
        QVERIFY(read.heldOutError.empty());
    }

    // Of a matrix of which some iteration has one, each has a place; the others' are not known.
    void heldOutErrorsAreRead() {
        const auto iteration = [](int number, const std::string& more) {
            return "{\"event\":\"iteration\",\"matrix\":\"a\",\"iteration\":" +
                   std::to_string(number) + ",\"relative_error\":0.5" + more + "}\n";
        };
        writeText(m_root / "events.jsonl",
                  iteration(1, "") + iteration(2, ",\"held_out_error\":0.75") +
                      iteration(3, ",\"held_out_error\":0.625,\"message\":\"a \\\"quote\\\"\"") +
                      iteration(4, ",\"held_out_error\":null"));
        const IterationSeries series = readIterations(m_root);
        QCOMPARE(series.brokenLines, 0);
        const std::vector<float>& errors = series.matrices.at(0).heldOutError;
        QCOMPARE(errors.size(), 4u);
        QVERIFY(std::isnan(errors[0]) && std::isnan(errors[3]));
        QCOMPARE(errors[1], 0.75F);
        QCOMPARE(errors[2], 0.625F);
        writeText(m_root / "events.jsonl", iteration(1, ""));
        QVERIFY(readIterations(m_root).matrices.at(0).heldOutError.empty());
    }
};

COSPADI_TEST(TestStoreIterations)

}  // namespace tst_store_iterations

#include "tst_store_iterations.moc"
