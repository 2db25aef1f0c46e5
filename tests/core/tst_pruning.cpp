// Methods that prune: Wanda's mask against a sort, SparseGPT against Optimal Brain Surgeon with an
// inverse of its own for every input, and both against what theory says of them.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "tests/core/pruned_layers.h"
#include "tests/registered_test.h"

namespace tst_pruning {

using namespace cospadi;
using namespace cospadi::pruned_layers;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

// The places of the `count` largest, by a full sort.
std::vector<std::pair<Index, Index>> best(
    std::vector<std::pair<double, std::pair<Index, Index>>> all, std::int64_t count) {
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::pair<Index, Index>> places;
    for (std::int64_t i = 0; i < count; ++i) {
        places.push_back(all[static_cast<std::size_t>(i)].second);
    }
    return places;
}

// Optimal Brain Surgeon in the order of the inputs, each with the inverse of what is left of the
// Gram matrix when it is reached: removing w(i) takes w(i) / H⁻¹(i, i) times H⁻¹(:, i) off the
// inputs from i on.
struct Surgeon {
    MatrixXd w;
    KeptWeights keeps;
    std::vector<Eigen::VectorXd> inverses;  // of input i: H⁻¹(:, i), inputs from i on

    Surgeon(const MatrixXd& gram, const MatrixXf& weight)
        : w(weight.cast<double>()), keeps(KeptWeights::Constant(w.rows(), w.cols(), false)) {
        MatrixXd h = gram;
        h.diagonal().array() += 0.01 * gram.diagonal().mean();
        for (Index i = 0; i < h.rows(); ++i) {
            const Index left = h.rows() - i;
            inverses.push_back(reference::solveSymmetric(h.bottomRightCorner(left, left),
                                                         MatrixXd::Identity(left, 1)));
        }
    }

    const Eigen::VectorXd& inverse(Index i) const { return inverses[static_cast<std::size_t>(i)]; }

    void keepBest(Index first, Index last, Index firstOutput, Index lastOutput,
                  std::int64_t count) {
        std::vector<std::pair<double, std::pair<Index, Index>>> all;
        for (Index i = first; i < last; ++i) {
            for (Index j = firstOutput; j < lastOutput; ++j) {
                all.push_back({w(i, j) * w(i, j) / inverse(i)(0), {i, j}});
            }
        }
        for (const auto& [i, j] : best(std::move(all), count)) {
            keeps(i, j) = true;
        }
    }

    void remove(Index i) {
        for (Index j = 0; j < w.cols(); ++j) {
            if (!keeps(i, j)) {
                const double amount = w(i, j) / inverse(i)(0);
                w.col(j).tail(w.rows() - i) -= amount * inverse(i);
                w(i, j) = 0;
            }
        }
    }

    // kept: of all blocks of 128 inputs, shared by them evenly.
    void unstructured(std::int64_t kept) {
        for (Index first = 0; first < w.rows(); first += 128) {
            const Index last = std::min<Index>(first + 128, w.rows());
            keepBest(first, last, 0, w.cols(), kept * last / w.rows() - kept * first / w.rows());
            for (Index i = first; i < last; ++i) {
                remove(i);
            }
        }
    }

    void inGroups(int kept, int group) {
        for (Index i = 0; i < w.rows(); ++i) {
            for (Index j = 0; i % group == 0 && j < w.cols(); ++j) {
                keepBest(i, i + group, j, j + 1, kept);
            }
            remove(i);
        }
    }
};

}  // namespace

class TestPruning : public QObject {
    Q_OBJECT
    CpuBackend m_backend{1};

    CompressedMatrix compressed(const MatrixXf& w, const MatrixXd& gram,
                                const MatrixOptions& options) {
        const Whitening whitening(gram, "layer");
        return compressMatrix(m_backend, w, &whitening, options);
    }

  private slots:
    // 2:4 takes nine bits a position, 4:8 nine and a half; what is left to CR comes to it as near
    // as a weight allows, and not above.
    void bytesAreThoseAskedFor() {
        for (const Method* method : {&wandaMethod(), &sparseGptMethod()}) {
            QCOMPARE(method->plan(optionsOf(*method, "2:4"), 64, 48).bytes(), 64.0 * 48 * 9 / 8);
            QCOMPARE(method->plan(optionsOf(*method, "4:8"), 64, 48).bytes(), 64.0 * 48 * 9.5 / 8);
            for (const double cr : {0.05, 0.2, 0.5, 0.8, 0.93}) {
                for (const auto& [d1, d2] : {std::pair{64, 48}, {61, 43}, {9, 300}, {300, 9}}) {
                    const MatrixOptions options = optionsOf(*method, "unstructured", cr);
                    const double bytes = method->plan(options, d1, d2).bytes();
                    const double asked = (1 - cr) * 2 * d1 * d2;
                    QVERIFY(bytes <= asked * (1 + 1e-11) && bytes > asked - 2);
                }
            }
            try {
                static_cast<void>(method->plan(optionsOf(*method, "unstructured", 0.95), 64, 48));
                QFAIL("the mask alone takes a sixteenth");
            } catch (const Error& error) {
                QCOMPARE(error.where(), std::string("cr"));
            }
        }
    }

    // As many as planned, of each group of M no more than N.
    void patternsHold_data() { allOfThem(); }
    void patternsHold() {
        QFETCH(QByteArray, method);
        QFETCH(QByteArray, pattern);
        const MatrixXf w = randomMatrix(160, 21, 6);
        const MatrixOptions options =
            optionsOf(methodFromName(method.toStdString()), pattern.toStdString(), 0.37);
        const CompressedMatrix result = compressed(w, correlatedGram(160, 7), options);
        const MatrixXf back = result.weight->recomposed();
        const auto [kept, group] = groupsOf(pattern);
        if (group == 0) {
            // 2 n + 420 ≤ 0.63 · 2 · 160 · 21 bytes
            QCOMPARE(static_cast<int>(entriesOf(result).values.size()), 1906);
            QVERIFY((back.array() != 0).count() <= 1906);
            return;
        }
        for (Index j = 0; j < w.cols(); ++j) {
            for (Index first = 0; first < w.rows(); first += group) {
                QVERIFY((back.col(j).segment(first, group).array() != 0).count() <= kept);
            }
        }
        QCOMPARE(static_cast<int>(entriesOf(result).values.size()), 160 * 21 / 2);
    }

    // |W| ‖X_i‖ sorted output by output, or group by group; what is kept stays as it is.
    void wandaIsASort_data() { allPatterns(); }
    void wandaIsASort() {
        QFETCH(QByteArray, pattern);
        const MatrixXf w = randomMatrix(40, 30, 8);
        std::srand(9);
        MatrixXd x = MatrixXd::Random(200, 40);
        for (int i = 0; i < 40; ++i) {
            x.col(i) *= 1 + i % 7;
        }
        const auto [kept, group] = groupsOf(pattern);
        const CompressedMatrix result =
            compressed(w, x.transpose() * x, optionsOf(wandaMethod(), pattern.toStdString(), 0.5));
        // Of 1200 bytes the mask takes 150 and 525 weights the rest: 17 an output, of half of them
        // 18.
        const int all = 525;
        KeptWeights expected = KeptWeights::Constant(40, 30, false);
        for (Index j = 0; j < 30; ++j) {
            const Index length = group == 0 ? 40 : group;
            const std::int64_t count = group == 0 ? all / 30 + (j < all % 30 ? 1 : 0) : kept;
            for (Index first = 0; first < 40; first += length) {
                std::vector<std::pair<double, std::pair<Index, Index>>> scores;
                for (Index i = first; i < first + length; ++i) {
                    scores.push_back(
                        {std::abs(static_cast<double>(w(i, j))) * x.col(i).norm(), {i, j}});
                }
                for (const auto& [i, output] : best(std::move(scores), count)) {
                    expected(i, output) = true;
                }
            }
        }
        QVERIFY((entriesOf(result).kept == expected).all());
        const MatrixXf back = result.weight->recomposed();
        for (Index i = 0; i < w.size(); ++i) {
            QCOMPARE(back.data()[i], expected.data()[i] ? roundedToBf16(w.data()[i]) : 0.0F);
        }
    }

    // Of two blocks, and of one. Stored numbers are rounded to bfloat16 (2⁻⁸), products of blocks
    // to float32.
    void sparseGptIsOptimalBrainSurgeon_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<int>("d1");
        for (const char* pattern : {"unstructured", "2:4", "4:8", "1:4", "5:8"}) {
            for (const int d1 : {40, 200}) {
                QTest::addRow("%s, %d inputs", pattern, d1) << QByteArray(pattern) << d1;
            }
        }
    }
    void sparseGptIsOptimalBrainSurgeon() {
        QFETCH(QByteArray, pattern);
        QFETCH(int, d1);
        const MatrixXf w = randomMatrix(d1, 12, 10);
        const MatrixXd gram = correlatedGram(d1, 11);
        const MatrixOptions options = optionsOf(sparseGptMethod(), pattern.toStdString(), 0.45);
        const CompressedMatrix result = compressed(w, gram, options);
        const auto [kept, group] = groupsOf(pattern);
        Surgeon surgeon(gram, w);
        if (group == 0) {
            surgeon.unstructured(static_cast<std::int64_t>(entriesOf(result).values.size()));
        } else {
            surgeon.inGroups(kept, group);
        }
        QVERIFY((entriesOf(result).kept == surgeon.keeps).all());
        const MatrixXd back = result.weight->recomposed().cast<double>();
        const MatrixXd bound =
            (surgeon.w.cwiseAbs() / 256).array() + 1e-5 * surgeon.w.cwiseAbs().maxCoeff();
        QVERIFY(((back - surgeon.w).array().abs() <= bound.array()).all());
        // What was fed forward is no small thing.
        QVERIFY((surgeon.w - surgeon.keeps.select(w.cast<double>(), 0.0).matrix()).norm() >
                0.05 * surgeon.w.norm());
    }

    // Inputs that do not depend on each other make up for nothing: the largest stay, as they are.
    void independentInputsPruneByMagnitude_data() { allPatterns(); }
    void independentInputsPruneByMagnitude() {
        QFETCH(QByteArray, pattern);
        const MatrixXf w = randomMatrix(160, 24, 12);
        const CompressedMatrix result =
            compressed(w, 3 * MatrixXd::Identity(160, 160),
                       optionsOf(sparseGptMethod(), pattern.toStdString(), 0.5));
        const PrunedEntries& entries = entriesOf(result);
        const auto [kept, group] = groupsOf(pattern);
        for (Index first = 0; first < 160; first += group == 0 ? 128 : group) {
            const Index length = std::min<Index>(group == 0 ? 128 : group, 160 - first);
            for (Index j = 0; j < (group == 0 ? 1 : 24); ++j) {
                const Index outputs = group == 0 ? 24 : 1;
                double least = 1e9;  // of those that are kept
                double most = 0;     // of those that are not
                for (Index output = j; output < j + outputs; ++output) {
                    for (Index i = first; i < first + length; ++i) {
                        const double size = std::abs(w(i, output));
                        if (entries.kept(i, output)) {
                            least = std::min(least, size);
                        } else {
                            most = std::max(most, size);
                        }
                    }
                }
                QVERIFY(most < least && most > 0);
            }
        }
        const MatrixXf back = result.weight->recomposed();
        for (Index i = 0; i < w.size(); ++i) {
            QCOMPARE(back.data()[i], entries.kept.data()[i] ? roundedToBf16(w.data()[i]) : 0.0F);
        }
    }

    // What is left makes up for what is removed.
    void sparseGptIsNoWorseThanWanda_data() { allPatterns(); }
    void sparseGptIsNoWorseThanWanda() {
        QFETCH(QByteArray, pattern);
        for (const unsigned seed : {20U, 21U, 22U}) {
            const MatrixXf w = randomMatrix(192, 64, seed);
            const MatrixXd gram = correlatedGram(192, seed + 10);
            const std::string name = pattern.toStdString();
            const double wanda = compressed(w, gram, optionsOf(wandaMethod(), name)).relativeError;
            const double surgeon =
                compressed(w, gram, optionsOf(sparseGptMethod(), name)).relativeError;
            QVERIFY2(surgeon < 0.95 * wanda,
                     qPrintable(QString("%1, Wanda %2").arg(surgeon).arg(wanda)));
        }
    }

    // More weights never end higher: Wanda's kept ones contain those of a smaller budget.
    void moreWeightsNeverEndHigher() {
        const MatrixXf w = randomMatrix(64, 40, 13);
        std::srand(14);
        const Eigen::VectorXd sizes = Eigen::VectorXd::Random(64).cwiseAbs2();
        const MatrixXd gram = MatrixXd(sizes.asDiagonal()) + 0.1 * MatrixXd::Identity(64, 64);
        double before = 1;
        for (const double cr : {0.9, 0.7, 0.5, 0.3, 0.1}) {
            const double error =
                compressed(w, gram, optionsOf(wandaMethod(), "unstructured", cr)).relativeError;
            QVERIFY(error < before);
            before = error;
        }
    }

    void stopsWhenAsked() {
        std::stop_source stop;
        stop.request_stop();
        const Whitening whitening(correlatedGram(16, 15), "layer");
        const CompressedMatrix result =
            compressMatrix(m_backend, randomMatrix(16, 8, 16), &whitening,
                           optionsOf(sparseGptMethod(), "2:4"), {}, stop.get_token());
        QVERIFY(result.termination == Termination::Cancelled && result.weight == nullptr);
    }

    void groupsMustDivideTheInputs_data() { allOfThem(); }
    void groupsMustDivideTheInputs() {
        QFETCH(QByteArray, method);
        QFETCH(QByteArray, pattern);
        const MatrixOptions options =
            optionsOf(methodFromName(method.toStdString()), pattern.toStdString());
        if (pattern == "unstructured") {
            options.method->requireShape(options, 42, 8);
            return;
        }
        options.method->requireShape(options, 40, 8);
        const auto refused = [&](const std::function<void()>& asks) {
            try {
                asks();
            } catch (const Error& error) {
                return error.where() == "pattern";
            }
            return false;
        };
        QVERIFY(refused([&] { options.method->requireShape(options, 42, 8); }));
        QVERIFY(refused([&] { static_cast<void>(options.method->plan(options, 42, 8)); }));
        QVERIFY(refused([&] {
            static_cast<void>(compressed(randomMatrix(42, 8, 1), correlatedGram(42, 1), options));
        }));
    }
};

COSPADI_TEST(TestPruning)

}  // namespace tst_pruning

#include "tst_pruning.moc"
