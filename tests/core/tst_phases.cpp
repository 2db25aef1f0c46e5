// The seconds that solvers tell of their two phases, against a clock of its own around every verb
// of the backend: each verb's time lies in the phase that it serves, and both in the whole. Then
// what a run, its files and the store make of them.
#include <QtTest>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/stopwatch.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "core/run/compression_run.h"
#include "core/store/matrix_totals.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/run_store.h"
#include "own_folder.h"
#include "small_runs.h"
#include "tests/core/sample_matrices.h"
#include "tests/registered_test.h"

namespace tst_phases {

using namespace cospadi;
using Eigen::MatrixXf;
using nlohmann::json;
using sample::randomMatrix;
namespace fs = std::filesystem;

namespace {

// Adds its lifetime to a sum.
class Clocked {
  public:
    explicit Clocked(double& sum) : m_sum(sum) {}
    ~Clocked() { m_sum += m_watch.seconds(); }
    Clocked(const Clocked&) = delete;
    Clocked& operator=(const Clocked&) = delete;

  private:
    double& m_sum;
    Stopwatch m_watch;
};

// Adds up what the verbs take that only one phase has a use for.
class ClockedBackend final : public CpuBackend {
  public:
    double coding = 0, dictionary = 0, first = 0;

    Matrix leftSingularVectors(const Matrix& w, std::int64_t count) override {
        const Clocked clock(first);
        return CpuBackend::leftSingularVectors(w, count);
    }
    bool polar(Matrix& a) override {
        const Clocked clock(dictionary);
        return CpuBackend::polar(a);
    }
    void solveRight(const Matrix& a, double ridge, const Matrix& otherwise, Matrix& b) override {
        const Clocked clock(dictionary);
        CpuBackend::solveRight(a, ridge, otherwise, b);
    }
    void ksvdSweep(int powerIterations, Matrix& e, Matrix& d, Matrix& codes) override {
        const Clocked clock(dictionary);
        CpuBackend::ksvdSweep(powerIterations, e, d, codes);
    }
    std::int64_t thresholdStep(const Matrix& r, float mu, std::int64_t s, Matrix& codes) override {
        const Clocked clock(coding);
        return CpuBackend::thresholdStep(r, mu, s, codes);
    }
    double maskedCg(const Matrix& g, const Matrix& p, int steps, double tolerance,
                    Matrix& codes) override {
        const Clocked clock(coding);
        return CpuBackend::maskedCg(g, p, steps, tolerance, codes);
    }
    double coupledCg(const CoupledSystem& system, int steps, double tolerance, double squaredError,
                     CoupledCodes& at) override {
        const Clocked clock(coding);
        return CpuBackend::coupledCg(system, steps, tolerance, squaredError, at);
    }
    void ompEncode(const Matrix& g, const Matrix& p, std::int64_t s, Matrix& codes) override {
        const Clocked clock(coding);
        CpuBackend::ompEncode(g, p, s, codes);
    }
};

using Solve = LearnedDictionary (*)(Backend& backend, const IterationCallback& callback);

LearnedDictionary ksvd(Backend& backend, DictionaryUpdate update,
                       const IterationCallback& callback) {
    KsvdOptions options;
    options.iterations = 4;
    options.update = update;
    return solveKsvd(backend, backend.upload(randomMatrix(48, 240, 1)), 60, 9, options, callback);
}

LearnedDictionary fast(Backend& backend, int k, const IterationCallback& callback) {
    return solveFast(backend, backend.upload(randomMatrix(48, 240, 2)), k, 9, {}, callback);
}

json resultOf(const fs::path& run) { return readRunJson(run / "result.json", ""); }

double sumOf(const json& matrices, const char* field) {
    double sum = 0;
    for (const json& matrix : matrices) {
        sum += matrix.at(field).get<double>();
    }
    return sum;
}

MatrixRow told(double seconds, double coding, double dictionary) {
    MatrixRow row;
    row.seconds = seconds;
    row.codingSeconds = coding;
    row.dictionarySeconds = dictionary;
    row.iterations = 5;
    return row;
}

}  // namespace

class TestPhases : public QObject, OwnFolder {
    Q_OBJECT

    // Two layers of one block, solved one after the other.
    fs::path runOf(const char* name, const RunSpecification& specification,
                   EventCallback listener = {}) {
        RunExecution execution;
        execution.threads = 1;
        execution.writeModel = false;
        execution.onEvent = std::move(listener);
        executeRun(specification, place(name), execution);
        return place(name);
    }

    RunSpecification twoLayers(const char* method) {
        RunSpecification s = small_runs::specification(method);
        s.layers = "^blk\\.0\\.attn_[kv]$";
        return s;
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8());
    }

    void everyVerbIsInItsPhase_data() {
        QTest::addColumn<Solve>("solve");
        const auto row = [](const char* name, Solve solve) { QTest::newRow(name) << solve; };
        row("ksvd", [](Backend& b, const IterationCallback& c) {
            return ksvd(b, DictionaryUpdate::KsvdPower, c);
        });
        row("exact ksvd", [](Backend& b, const IterationCallback& c) {
            return ksvd(b, DictionaryUpdate::KsvdExact, c);
        });
        row("mod", [](Backend& b, const IterationCallback& c) {
            return ksvd(b, DictionaryUpdate::Mod, c);
        });
        row("fast", [](Backend& b, const IterationCallback& c) { return fast(b, 40, c); });
        row("fast, overcomplete",
            [](Backend& b, const IterationCallback& c) { return fast(b, 96, c); });
        row("fast, coupled", [](Backend& b, const IterationCallback& c) {
            const MatrixXf x = randomMatrix(300, 120, 3);
            const MatrixXf metric = x.transpose() * x / 100;
            const MatrixXf z = randomMatrix(48, 120, 4);
            return solveFastCoupled(b, b.upload(z), b.upload(z), {b.upload(metric)}, 40, 9,
                                    FastOptions::coupled(), c);
        });
        row("procrustes", [](Backend& b, const IterationCallback& c) {
            return solveProcrustes(b, b.upload(randomMatrix(48, 240, 5)), 40, 9, {}, c);
        });
        row("eigenbasis", [](Backend& b, const IterationCallback& c) {
            return solveEigenbasis(b, b.upload(randomMatrix(48, 240, 6)), 40, 9, {}, c);
        });
    }

    void everyVerbIsInItsPhase() {
        QFETCH(Solve, solve);
        ClockedBackend backend;
        PhaseSeconds iterations;
        int count = 0;
        const Stopwatch whole;
        const LearnedDictionary learned = solve(backend, [&](const IterationSummary& summary) {
            ++count;
            iterations += summary.phases;
            QVERIFY(summary.phases.coding > 0);
            QVERIFY(summary.phases.dictionary >= 0);
            QVERIFY(summary.phases.coding + summary.phases.dictionary <= summary.seconds);
        });
        const double wall = whole.seconds();
        QCOMPARE(count, learned.iterations);
        QVERIFY(backend.coding + backend.dictionary > 0);
        QVERIFY2(learned.phases.coding >= backend.coding,
                 qPrintable(QString("%1 of %2").arg(learned.phases.coding).arg(backend.coding)));
        QVERIFY2(
            learned.phases.dictionary >= backend.dictionary,
            qPrintable(QString("%1 of %2").arg(learned.phases.dictionary).arg(backend.dictionary)));
        // The first dictionary is in neither.
        QVERIFY(learned.phases.coding + learned.phases.dictionary + backend.first <= wall);
        // Iterations are parts of the solve.
        QVERIFY(iterations.coding <= learned.phases.coding * (1 + 1e-12));
        QVERIFY(iterations.dictionary <= learned.phases.dictionary * (1 + 1e-12));
    }

    // Nothing of a K-SVD's phases lies outside of its iterations.
    void ksvdHasIterationsAlone() {
        CpuBackend backend;
        PhaseSeconds iterations;
        const auto add = [&](const IterationSummary& s) { iterations += s.phases; };
        const LearnedDictionary learned = ksvd(backend, DictionaryUpdate::KsvdPower, add);
        QCOMPARE(iterations.coding, learned.phases.coding);
        QCOMPARE(iterations.dictionary, learned.phases.dictionary);
    }

    void aRunTellsItsPhases() {
        double coding = 0;
        double dictionary = 0;
        const fs::path run = runOf("fast", twoLayers("cospadi-free"), [&](const json& event) {
            if (event.at("event") == "iteration") {
                coding += event.at("coding_seconds").get<double>();
                dictionary += event.at("dictionary_seconds").get<double>();
            }
        });
        const json result = resultOf(run);
        const json matrices = result.at("matrices");
        QCOMPARE(matrices.size(), std::size_t{2});
        for (const json& matrix : matrices) {
            QVERIFY(matrix.at("coding_seconds").get<double>() > 0);
            QVERIFY(matrix.at("dictionary_seconds").get<double>() > 0);
            QVERIFY(matrix.at("coding_seconds").get<double>() +
                        matrix.at("dictionary_seconds").get<double>() <=
                    matrix.at("seconds").get<double>());
        }
        QVERIFY(coding > 0 && coding < sumOf(matrices, "coding_seconds"));  // and the last refit
        QVERIFY(dictionary > 0 &&
                dictionary <= sumOf(matrices, "dictionary_seconds") * (1 + 1e-12));
        QCOMPARE(result.at("coding_seconds").get<double>(), sumOf(matrices, "coding_seconds"));
        QCOMPARE(result.at("dictionary_seconds").get<double>(),
                 sumOf(matrices, "dictionary_seconds"));
        QVERIFY(sumOf(matrices, "seconds") <= result.at("seconds").get<double>());
        // The store has what the file says, and the parts are the whole.
        RunStore store = RunStore::open(place("phases.sqlite"));
        const std::string id = store.importRun(run);
        const auto totals = phaseTotals(store.matrices(id));
        QVERIFY(totals);
        QCOMPARE(totals->coding, sumOf(matrices, "coding_seconds"));
        QCOMPARE(totals->dictionary, sumOf(matrices, "dictionary_seconds"));
        QCOMPARE(totals->total, sumOf(matrices, "seconds"));
        QCOMPARE(totals->coding + totals->dictionary + totals->rest, totals->total);
        QVERIFY(totals->rest >= 0);
        QCOMPARE(totals->iterations, static_cast<std::int64_t>(sumOf(matrices, "iterations")));
        // A run that never finished has them from its events.
        fs::remove(run / "result.json");
        const auto fromEvents = phaseTotals(readRunDirectory(run).matrices);
        QVERIFY(fromEvents);
        QCOMPARE(fromEvents->coding, totals->coding);
        QCOMPARE(fromEvents->dictionary, totals->dictionary);
    }

    // Layers that share have their part by columns, of the phases as of the seconds.
    void layersThatShareHaveTheirPart() {
        RunSpecification s = twoLayers("cospadi-free");
        setOwnOption(s, "groups", "inputs");
        const json matrices = resultOf(runOf("shared", s)).at("matrices");
        QCOMPARE(matrices.size(), std::size_t{2});
        const auto share = [&](int i, const char* phase) {
            return matrices[static_cast<std::size_t>(i)].at(phase).get<double>() /
                   matrices[static_cast<std::size_t>(i)].at("seconds").get<double>();
        };
        QVERIFY(matrices[0].at("unit").is_string());
        QVERIFY(std::abs(share(0, "coding_seconds") - share(1, "coding_seconds")) < 1e-9);
        QVERIFY(std::abs(share(0, "dictionary_seconds") - share(1, "dictionary_seconds")) < 1e-9);
        QVERIFY(share(0, "coding_seconds") + share(0, "dictionary_seconds") <= 1);
    }

    void whatHasNoPhasesTellsNone_data() {
        QTest::addColumn<QByteArray>("method");
        QTest::newRow("svd") << QByteArray("svd");
        QTest::newRow("rtn") << QByteArray("rtn");
    }

    void whatHasNoPhasesTellsNone() {
        QFETCH(QByteArray, method);
        RunSpecification s = twoLayers(method.constData());
        QCOMPARE(QByteArray(s.method->phases(s).coding), QByteArray());
        const fs::path run = runOf(method.constData(), s);
        const json result = resultOf(run);
        QVERIFY(!result.contains("coding_seconds"));
        QVERIFY(!result.at("matrices").at(0).contains("coding_seconds"));
        QVERIFY(!result.at("matrices").at(0).contains("dictionary_seconds"));
        QVERIFY(!phaseTotals(readRunDirectory(run).matrices));
    }

    void totalsByHand() {
        const auto totals = phaseTotals({told(10, 6, 3), told(4, 1, 2.5)});
        QVERIFY(totals);
        QCOMPARE(totals->coding, 7.0);
        QCOMPARE(totals->dictionary, 5.5);
        QCOMPARE(totals->rest, 1.5);
        QCOMPARE(totals->total, 14.0);
        QCOMPARE(totals->iterations, 10);
        QVERIFY(!phaseTotals({}));
        QVERIFY(!phaseTotals({told(10, 6, 3), told(4, unknownNumber, unknownNumber)}));
    }
};

COSPADI_TEST(TestPhases)

}  // namespace tst_phases

#include "tst_phases.moc"
