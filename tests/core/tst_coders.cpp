// The LASSO's path, randomised and online updates: against optimality conditions, exhaustive
// arithmetic and the exact update.
#include <QtTest>
#include <cmath>
#include <random>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/online_dictionary.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/lasso_path.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_coders {

using namespace cospadi;

namespace {

Eigen::MatrixXf randomMatrix(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    return Eigen::MatrixXf::NullaryExpr(rows, cols, [&] { return normal(generator); });
}

Eigen::MatrixXf randomAtoms(Eigen::Index rows, Eigen::Index k, unsigned seed) {
    return randomMatrix(rows, k, seed).colwise().normalized();
}

// The LASSO at a given λ by cyclic coordinate descent: another algorithm for the same problem.
Eigen::VectorXd byCoordinates(const Eigen::MatrixXf& d, const Eigen::VectorXf& w, double lambda) {
    const Eigen::MatrixXd gram = (d.transpose() * d).cast<double>();
    const Eigen::VectorXd p = (d.transpose() * w).cast<double>();
    Eigen::VectorXd x = Eigen::VectorXd::Zero(d.cols());
    for (int pass = 0; pass < 20000; ++pass) {
        double moved = 0;
        for (Eigen::Index j = 0; j < x.size(); ++j) {
            const double rest = p[j] - gram.row(j).dot(x) + gram(j, j) * x[j];
            const double next =
                std::copysign(std::max(std::abs(rest) - lambda, 0.0), rest) / gram(j, j);
            moved = std::max(moved, std::abs(next - x[j]));
            x[j] = next;
        }
        if (moved < 1e-13) {
            break;
        }
    }
    return x;
}

double squaredError(const Eigen::MatrixXf& w, const Eigen::MatrixXf& d, const Eigen::MatrixXf& s) {
    return (w - d * s).cast<double>().squaredNorm();
}

}  // namespace

class TestCoders : public QObject {
    Q_OBJECT

  private slots:
    void pathEndsWhereTheLassoDoes_data() {
        QTest::addColumn<int>("k");
        QTest::addColumn<int>("s");
        QTest::newRow("complete") << 24 << 6;
        QTest::newRow("overcomplete") << 60 << 8;
        QTest::newRow("one atom") << 40 << 1;
        QTest::newRow("all atoms") << 12 << 12;
    }

    // Its conditions: correlations with what is left are λ on the support, with the sign of x, and
    // no larger elsewhere; and the same x by coordinate descent at that λ.
    void pathEndsWhereTheLassoDoes() {
        QFETCH(int, k);
        QFETCH(int, s);
        const Eigen::MatrixXf d = randomAtoms(24, k, 1);
        const Eigen::MatrixXf gram = d.transpose() * d;
        LassoPath path(LassoPath::Gram(gram.data(), k, k), s);
        for (unsigned column = 0; column < 10; ++column) {
            const Eigen::VectorXf w = randomMatrix(24, 1, 10 + column);
            const Eigen::VectorXf p = d.transpose() * w;
            const Eigen::VectorXd x = path.solve(p);
            const double lambda = path.lambda();
            QVERIFY((x.array() != 0).count() <= s);
            QVERIFY(s == k || (x.array() != 0).count() == s);
            const Eigen::VectorXd left = p.cast<double>() - gram.cast<double>() * x;
            for (Eigen::Index j = 0; j < k; ++j) {
                if (x[j] != 0) {
                    QVERIFY(std::abs(left[j] - std::copysign(lambda, x[j])) < 1e-5);
                } else {
                    QVERIFY(std::abs(left[j]) < lambda + 1e-5);
                }
            }
            QVERIFY((x - byCoordinates(d, w, lambda)).norm() < 1e-4 * (1 + x.norm()));
        }
    }

    void nothingIsCodedOfNothing() {
        const Eigen::MatrixXf d = randomAtoms(8, 12, 3);
        const Eigen::MatrixXf gram = d.transpose() * d;
        LassoPath path(LassoPath::Gram(gram.data(), 12, 12), 4);
        QCOMPARE(path.solve(Eigen::VectorXf::Zero(12)).norm(), 0.0);
    }

    void atomsThatAreEqualDoNoHarm() {
        Eigen::MatrixXf d = randomAtoms(8, 12, 4);
        d.col(5) = d.col(2);
        d.col(6) = -d.col(2);
        const Eigen::MatrixXf gram = d.transpose() * d;
        LassoPath path(LassoPath::Gram(gram.data(), 12, 12), 6);
        const Eigen::VectorXf w = 3 * d.col(2) + d.col(7);
        const Eigen::VectorXd x = path.solve(d.transpose() * w);
        QVERIFY(x.allFinite());
        QVERIFY((w - d * x.cast<float>()).norm() < w.norm());
    }

    // By theory the sketch's pair is never better than the exact one of the same residual.
    void sketchesComeNearExactUpdates() {
        CpuBackend backend(2);
        const Eigen::MatrixXf w = randomMatrix(40, 120, 5);
        const Eigen::MatrixXf first = randomAtoms(40, 60, 6);
        const auto afterSweep = [&](auto&& sweep) {
            const Matrix target = backend.upload(w);
            Matrix d = backend.upload(first);
            Matrix g = backend.zeros(60, 60);
            Matrix p = backend.zeros(60, 120);
            Matrix codes = backend.zeros(60, 120);
            backend.syrk(Op::Transpose, d, g);
            backend.gemm(Op::Transpose, Op::None, 1, d, target, 0, p);
            backend.ompEncode(g, p, 6, codes);
            Matrix e = backend.zeros(40, 120);
            backend.copy(target, e);
            backend.gemm(Op::None, Op::None, -1, d, codes, 1, e);
            const double before = backend.dot(e, e);
            sweep(e, d, codes);
            const double after = backend.dot(e, e);
            // E is W − D S also after it.
            const double direct = squaredError(w, backend.download(d), backend.download(codes));
            return std::tuple(before, after, direct);
        };
        const auto [before, exact, exactDirect] =
            afterSweep([&](Matrix& e, Matrix& d, Matrix& s) { backend.ksvdSweep(0, e, d, s); });
        const auto [same, sketched, direct] = afterSweep(
            [&](Matrix& e, Matrix& d, Matrix& s) { backend.ksvdSketchSweep(7, e, d, s); });
        QCOMPARE(same, before);
        QVERIFY(sketched < before);
        QVERIFY(std::abs(sketched - direct) < 1e-4 * direct);
        QVERIFY2(sketched < exact + 0.05 * (before - exact), qPrintable(QString::number(sketched)));
    }

    // Where every atom has one column, the residual has rank one, and the sketch is exact.
    void sketchOfRankOneIsExact() {
        CpuBackend backend(1);
        const Eigen::MatrixXf w = randomMatrix(10, 6, 8);
        Matrix d = backend.upload(randomAtoms(10, 6, 9));
        Matrix codes = backend.upload(Eigen::MatrixXf::Identity(6, 6));
        Matrix e = backend.upload(w - backend.download(d));
        backend.ksvdSketchSweep(1, e, d, codes);
        QVERIFY(squaredError(w, backend.download(d), backend.download(codes)) < 1e-8);
    }

    // Each atom is the best there is on the sphere for what the others are: the sum cannot rise,
    // and from where the atoms are the best already they do not move.
    void atomsInTurnNeverRaiseWhatTheyLower() {
        CpuBackend backend(1);
        const Eigen::MatrixXf w = randomMatrix(16, 80, 11);
        Eigen::MatrixXf codes = randomMatrix(20, 80, 12);
        codes.row(3).setZero();  // an atom that nothing uses
        Matrix a = backend.upload(codes * codes.transpose());
        Matrix b = backend.upload(w * codes.transpose());
        const Eigen::MatrixXf first = randomAtoms(16, 20, 13);
        Matrix d = backend.upload(first);
        double before = squaredError(w, first, codes);
        for (int pass = 0; pass < 50; ++pass) {
            solver::updateAtomsInTurn(backend, a, b, d);
            const Eigen::MatrixXf atoms = backend.download(d);
            const double after = squaredError(w, atoms, codes);
            QVERIFY(after < before * (1 + 1e-6));
            before = after;
            QVERIFY((atoms.colwise().norm().array() - 1).abs().maxCoeff() < 1e-5F);
            QVERIFY(atoms.col(3) == first.col(3));
        }
    }

    void everyUpdateFindsTheAtoms_data() {
        QTest::addColumn<int>("update");
        QTest::addColumn<int>("coder");
        for (const auto& [name, update] : {std::pair("power", DictionaryUpdate::KsvdPower),
                                           {"sketch", DictionaryUpdate::KsvdSketch},
                                           {"mod", DictionaryUpdate::Mod},
                                           {"online", DictionaryUpdate::Online}}) {
            QTest::addRow("%s, OMP", name) << int(update) << int(Coder::Omp);
            QTest::addRow("%s, LASSO", name) << int(update) << int(Coder::Lasso);
        }
    }

    // Every column is a multiple of one of 24 orthonormal atoms: begun with random columns, and
    // dead atoms given the direction of what is coded worst, each way must find them all; within
    // its budget of atoms a column, and the same twice.
    void everyUpdateFindsTheAtoms() {
        QFETCH(int, update);
        QFETCH(int, coder);
        const Eigen::MatrixXf truth =
            reference::orthonormal(randomMatrix(30, 24, 21).cast<double>()).cast<float>();
        Eigen::MatrixXf sparse = Eigen::MatrixXf::Zero(24, 300);
        std::mt19937 generator(22);
        for (Eigen::Index j = 0; j < sparse.cols(); ++j) {
            sparse(j % 24, j) = std::ldexp(1.0F, static_cast<int>(generator() % 4));
        }
        CpuBackend backend(2);
        const Matrix w = backend.upload(truth * sparse);
        KsvdOptions options;
        options.update = static_cast<DictionaryUpdate>(update);
        options.coder = static_cast<Coder>(coder);
        options.iterations = 25;
        std::vector<double> errors;
        const auto learn = [&] {
            errors.clear();
            return solveKsvd(backend, w, 24, 1, options, [&](const IterationSummary& summary) {
                errors.push_back(summary.relativeError);
            });
        };
        // Two that begin alike may share their columns for ever, as rounding has it: from one of
        // some beginnings.
        LearnedDictionary learned = learn();
        while (errors.back() >= 1e-5 && ++options.seed < KsvdOptions().seed + 8) {
            learned = learn();
        }
        QCOMPARE(errors.size(), std::size_t{25});
        QVERIFY2(errors.front() > 0.1 && errors.back() < 1e-5,
                 qPrintable(QString("%1 of %2").arg(errors.back()).arg(errors.front())));
        const Eigen::MatrixXf codes = backend.download(learned.codes);
        QVERIFY((codes.array() != 0).colwise().count().maxCoeff() == 1);
        const Eigen::MatrixXf atoms = backend.download(learned.dictionary);
        // Each of theirs is one of ours, up to its sign.
        const Eigen::MatrixXf overlaps = (truth.transpose() * atoms).cwiseAbs();
        QVERIFY(overlaps.rowwise().maxCoeff().minCoeff() > 1 - 1e-4F);
        const LearnedDictionary again = learn();
        QVERIFY(backend.download(again.codes) == codes);
    }
};

COSPADI_TEST(TestCoders)

}  // namespace tst_coders

#include "tst_coders.moc"
