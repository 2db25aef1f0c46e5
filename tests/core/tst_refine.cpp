// Refinement of factors: Adam against its published recursion in double, gradients of factors by
// hand, and whole runs: nearer to the dense model on held-out text by an own count, in the same
// supports and bytes, resumed to the same bits.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "core/forms/forms.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/matrix_file.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/methods/method.h"
#include "core/model/forward.h"
#include "core/refine/adam_matrix.h"
#include "core/refine/trainable_unit.h"
#include "core/run/compression_run.h"
#include "core/run/refine_run.h"
#include "core/run/refinement_phase.h"
#include "core/run/refinement_text.h"
#include "core/run/requantize_run.h"
#include "core/run/slice_run.h"
#include "core/store/method_label.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/run_settings.h"
#include "small_runs.h"
#include "tests/core/low_rank_factors.h"
#include "tests/core/message_of.h"
#include "tests/core/oracle_data.h"
#include "tests/core/small_model_fixture.h"
#include "tests/registered_test.h"

namespace tst_refine {

using namespace cospadi;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLength = 64;
constexpr std::int64_t kSequences = 64;
constexpr std::int64_t kHeldOut = 8;  // an eighth

MatrixXf randomMatrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    MatrixXf result(rows, columns);
    for (float& value : result.reshaped()) {
        value = normal(random);
    }
    return result;
}

StoredWeightPtr sparseWeight(DictionarySide side) {
    SparseDictionaryFactors factors;
    factors.side = side;
    factors.s = 3;
    factors.dictionary = randomMatrix(12, 6, 1);
    factors.codes = randomMatrix(6, 10, 2);
    for (Eigen::Index i = 0; i < factors.codes.size(); ++i) {
        if ((i + i / 6) % 2 == 0) {  // half of every column and of every row
            factors.codes.data()[i] = 0;
        }
    }
    return storedWeight(std::move(factors));
}

std::map<std::string, StoredMatrix> matricesOf(const fs::path& run) {
    std::map<std::string, StoredMatrix> matrices;
    const nlohmann::json result = readRunJson(run / "result.json", "");
    for (const nlohmann::json& matrix : result.at("matrices")) {
        const std::string name = matrix.at("name");
        matrices[name] = readMatrixFile(unitFile(run / "matrices", name));
    }
    return matrices;
}

}  // namespace

class TestRefine : public QObject, SmallModelFixture {
    Q_OBJECT
    fs::path m_source;

    RunSpecification specification(const char* method) const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName(method);
        s.cr = 0.4;
        s.calibration = small_runs::onText(8, kLength);
        return s;
    }

    fs::path made(const RunSpecification& s, const std::string& name) const {
        RunExecution execution;
        execution.threads = 2;
        return executeRun(s, place("runs") / name, execution).directory;
    }

    static RefineSettings settings() { return {kSequences, 0.01}; }

    static DerivedRun refined(const fs::path& run, const RefineSettings& how = settings(),
                              int threads = 2, const EventCallback& onEvent = {},
                              const std::stop_token& stop = {}) {
        RunExecution execution;
        execution.threads = threads;
        execution.onEvent = onEvent;
        return refineRun(run, how, execution, stop);
    }

    // Mean KL(dense ‖ run) in nats over the held-out sequences, from logits in double.
    double heldOutDivergence(const fs::path& run) const {
        Model dense = Model::load(m_model);
        Model compressed = Model::load(m_model);
        for (const auto& [name, matrix] : matricesOf(run)) {
            compressed.replaceLayer(name,
                                    std::make_unique<DenseLayer>(matrix.weight->recomposed(), 1));
        }
        CalibrationOptions text;
        text.text = oracle::file("GPL-3.txt");
        text.sequences = kSequences;
        text.length = kLength;
        const std::vector<std::int32_t> ids = sampleSequences(dense.tokenizer(), text);
        const std::vector<std::int32_t> own(ids.end() - kHeldOut * kLength, ids.end());
        ThreadPool pool(2);
        const auto logProbabilities = [&](const Model& model) {
            ForwardPass pass(model, pool);
            MatrixXd logits = pass.logits(pass.hiddenStates(own, kLength)).cast<double>();
            for (auto column : logits.colwise()) {
                const double most = column.maxCoeff();
                column.array() -= most + std::log((column.array() - most).exp().sum());
            }
            return logits;
        };
        const MatrixXd p = logProbabilities(dense);
        const MatrixXd q = logProbabilities(compressed);
        return (p.array().exp() * (p - q).array()).sum() / static_cast<double>(p.cols());
    }

  private slots:
    void initTestCase() {
        makeModel();
        m_source = made(specification("cospadi"), "source");
    }

    // Kingma and Ba 2015, algorithm 1, a scalar at a time.
    void adamIsAsPublished() {
        MatrixXf values = randomMatrix(5, 4, 3);
        values(2, 1) = 0;
        values(0, 3) = 0;
        AdamMatrix adam(values, Atoms::Columns);
        MatrixXd expected = values.cast<double>();
        MatrixXd mean = MatrixXd::Zero(5, 4);
        MatrixXd square = MatrixXd::Zero(5, 4);
        constexpr double kRate = 0.01;
        for (int t = 1; t <= 6; ++t) {
            const MatrixXf gradient = randomMatrix(5, 4, 10 + static_cast<std::uint64_t>(t));
            adam.add(gradient / 4);
            adam.add(gradient * 0.75F);
            adam.move(t, kRate);
            for (Eigen::Index j = 0; j < 4; ++j) {
                const Eigen::VectorXd atom = values.col(j).cast<double>();
                const double size = std::sqrt(atom.squaredNorm() /
                                              static_cast<double>((atom.array() != 0).count()));
                for (Eigen::Index i = 0; i < 5; ++i) {
                    if (values(i, j) == 0) {
                        continue;
                    }
                    const double g = gradient(i, j);
                    mean(i, j) = 0.9 * mean(i, j) + 0.1 * g;
                    square(i, j) = 0.99 * square(i, j) + 0.01 * g * g;
                    expected(i, j) -= kRate * size * (mean(i, j) / (1 - std::pow(0.9, t))) /
                                      std::sqrt(square(i, j) / (1 - std::pow(0.99, t)));
                }
            }
            QVERIFY(adam.values()(2, 1) == 0 && adam.values()(0, 3) == 0);
            QVERIFY((adam.values().cast<double>() - expected).norm() < 1e-5 * expected.norm());
        }
    }

    // The first step of Adam is the rate, against the sign of the gradient: of L for left factors
    // dW Rᵀ, of R for right ones Lᵀ dW.
    void gradientsReachTheFactors_data() {
        QTest::addColumn<bool>("isOutput");
        QTest::newRow("dictionary over the inputs") << false;
        QTest::newRow("dictionary over the outputs") << true;
    }

    void gradientsReachTheFactors() {
        QFETCH(bool, isOutput);
        const StoredWeightPtr weight =
            sparseWeight(isOutput ? DictionarySide::Output : DictionarySide::Input);
        const auto product = weight->product();
        const MatrixXf& left = product->left;
        const MatrixXf& right = product->right;
        ThreadPool pool(2);
        TrainableUnit unit({"layer"}, {weight});
        QVERIFY((unit.weight(pool, 0) - weight->recomposed()).norm() <
                1e-5F * weight->recomposed().norm());
        const MatrixXf dW = randomMatrix(left.rows(), right.cols(), 7);
        unit.addGradient(pool, 0, dW);
        constexpr float kRate = 0.01F;
        unit.move(1, kRate);
        const auto check = [&](const MatrixXf& before, const MatrixXf& after,
                               const MatrixXf& gradient, bool areColumns) {
            for (Eigen::Index j = 0; j < before.cols(); ++j) {
                for (Eigen::Index i = 0; i < before.rows(); ++i) {
                    const Eigen::VectorXf atom = areColumns
                                                     ? Eigen::VectorXf(before.col(j))
                                                     : Eigen::VectorXf(before.row(i).transpose());
                    const float size = std::sqrt(atom.squaredNorm() /
                                                 static_cast<float>((atom.array() != 0).count()));
                    const float step = before(i, j) == 0    ? 0.0F
                                       : gradient(i, j) > 0 ? -kRate * size
                                                            : kRate * size;
                    QVERIFY(std::abs(after(i, j) - before(i, j) - step) < 1e-4F * size);
                }
            }
        };
        check(left, unit.factors()[0].values(), dW * right.transpose(), true);
        check(right, unit.factors()[1].values(), left.transpose() * dW, false);
    }

    // A power of two that moves from an atom into its codes changes nothing of what is found.
    void scalesMakeNoDifference() {
        const MatrixXf left = randomMatrix(8, 3, 1);
        const MatrixXf right = randomMatrix(3, 9, 2);
        const Eigen::Vector3f scale(4, 0.125F, 1);
        const auto after = [&](const MatrixXf& l, const MatrixXf& r) {
            ThreadPool pool(1);
            TrainableUnit unit({"layer"}, {storedWeight(LowRankFactors{l, r})});
            for (int step = 1; step <= 5; ++step) {
                unit.addGradient(pool, 0, unit.weight(pool, 0) - MatrixXf::Ones(8, 9));
                unit.move(step, 0.02);
            }
            return unit.weight(pool, 0);
        };
        const MatrixXf one = after(left, right);
        const MatrixXf other =
            after(left * scale.asDiagonal(), scale.cwiseInverse().asDiagonal() * right);
        QVERIFY((one - left * right).norm() > 0.01F * one.norm());
        QVERIFY((one - other).norm() < 1e-5F * one.norm());
    }

    void predictionsComeNearer() {
        std::vector<double> divergences;
        const DerivedRun run = refined(m_source, settings(), 2, [&](const nlohmann::json& event) {
            if (event.at("event") == "refinement_step") {
                divergences.push_back(event.at("divergence"));
            }
        });
        QVERIFY(!run.wasThere);
        const fs::path& made = run.summary.directory;
        QCOMPARE(divergences.size(), std::size_t{14});  // 56 fitted, four a step
        QVERIFY(!fs::exists(made / "refinement.safetensors"));
        const RefinementGain gain = refinementGainIn(made);
        const double before = heldOutDivergence(m_source);
        const double after = heldOutDivergence(made);
        QVERIFY2(std::abs(gain.before - before) < 1e-3 * before,
                 qPrintable(QString("%1 instead of %2").arg(gain.before).arg(before)));
        QVERIFY2(std::abs(gain.after - after) < 1e-3 * after,
                 qPrintable(QString("%1 instead of %2").arg(gain.after).arg(after)));
        QVERIFY2(after < 0.9 * before, qPrintable(QString("%1, %2").arg(before).arg(after)));
        // Supports, sizes and bytes are as before; numbers are not.
        const auto old = matricesOf(m_source);
        const auto now = matricesOf(made);
        QCOMPARE(now.size(), old.size());
        for (const auto& [name, matrix] : now) {
            const auto* was = sparseFactors(old.at(name).weight);
            const auto* is = sparseFactors(matrix.weight);
            QVERIFY(is->coefficientBits == was->coefficientBits && is->s == was->s);
            QVERIFY(is->dictionary != was->dictionary);
            // A value may round to zero, none may come.
            QVERIFY(((is->codes.array() != 0) <= (was->codes.array() != 0)).all());
            QVERIFY(matrix.record.relativeError > 0);
        }
        const std::int64_t bytes = summaryOfRun(m_source).bytes;
        QVERIFY(std::abs(run.summary.bytes - bytes) < bytes / 100);
        QVERIFY(refined(m_source).wasThere);
    }

    // Cancelled, and gone on with: the same bits, whatever the number of threads.
    void itGoesOnToTheSameBits() {
        RefineSettings how = settings();
        how.rate = 0.02;
        const fs::path whole = refined(m_source, how).summary.directory;
        const auto expected = matricesOf(whole);
        fs::remove_all(whole);
        std::stop_source stop;
        const DerivedRun first = refined(
            m_source, how, 2,
            [&](const nlohmann::json& event) {
                if (event.at("event") == "refinement_step" && event.at("step") == 5) {
                    stop.request_stop();
                }
            },
            stop.get_token());
        QVERIFY(first.summary.termination == Termination::Cancelled);
        QVERIFY(fs::exists(first.summary.directory / "refinement.safetensors"));
        QVERIFY(!fs::exists(first.summary.directory / "result.json"));
        std::vector<int> steps;
        const DerivedRun again = refined(m_source, how, 1, [&](const nlohmann::json& event) {
            if (event.at("event") == "refinement_step") {
                steps.push_back(event.at("step"));
            }
        });
        QCOMPARE(again.summary.id, first.summary.id);
        QCOMPARE(steps.front(), 6);
        QCOMPARE(steps.back(), 14);
        for (const auto& [name, matrix] : matricesOf(again.summary.directory)) {
            QVERIFY2(matrix.weight->equals(*expected.at(name).weight), name.c_str());
        }
        const nlohmann::json record = readRunJson(again.summary.directory / "refinement.json", "");
        QCOMPARE(record.at("divergence").size(), std::size_t{14});
    }

    void lowRankAndSharedFactors() {
        const fs::path low = made(specification("svd-llm"), "low-rank");
        const DerivedRun ofLow = refined(low);
        const RefinementGain gain = refinementGainIn(ofLow.summary.directory);
        QVERIFY(gain.after < gain.before);
        QVERIFY(lowRankFactors(matricesOf(ofLow.summary.directory).at("blk.0.ffn_up").weight) !=
                nullptr);

        RunSpecification s = specification("cospadi");
        setOwnOption(s, "groups", "inputs");
        const fs::path grouped = made(s, "grouped");
        const DerivedRun run = refined(grouped);
        const auto matrices = matricesOf(run.summary.directory);
        const StoredMatrix& gate = matrices.at("blk.0.ffn_gate");
        const StoredMatrix& up = matrices.at("blk.0.ffn_up");
        QVERIFY(!gate.record.unit.empty());
        QCOMPARE(gate.record.unit, up.record.unit);
        QVERIFY(sparseFactors(gate.weight)->dictionary == sparseFactors(up.weight)->dictionary);
        const double after = heldOutDivergence(run.summary.directory);
        QVERIFY(after < heldOutDivergence(grouped));
        QVERIFY(std::abs(refinementGainIn(run.summary.directory).after - after) < 1e-3 * after);
    }

    void labelsAndSettingsTellIt() {
        const fs::path run = refined(m_source).summary.directory;
        const RunRow row = readRunDirectory(run).run;
        const RunSpecification s = *specificationOf(row);
        QVERIFY(!s.derived);
        QCOMPARE(s.refine, static_cast<int>(kSequences));
        QVERIFY2(methodLabel(s).find("refined, 56 × 64 tokens, rate 0.01") != std::string::npos,
                 methodLabel(s).c_str());
        QCOMPARE(settingsOf(row).at("refine"), std::string("64"));
        QVERIFY2(row.id.find("-refined") != std::string::npos, row.id.c_str());
        QVERIFY(toJson(runSpecificationFromJson(toJson(s))) == toJson(s));
        // Coefficients may be shortened afterwards.
        Requantization shorter;
        shorter.bits = 10;
        const DerivedRun both = requantizeRun(run, shorter);
        const RunSpecification derived =
            *specificationOf(readRunDirectory(both.summary.directory).run);
        QVERIFY(isRefined(derived) && derived.derived->isRequantized());
    }

    void whatCannotBeRefinedIsNamed() {
        const auto refusal = [](const fs::path& run, const RefineSettings& how = settings()) {
            return QString::fromStdString(messageOf([&] { refined(run, how); }));
        };
        RunSpecification rtn = specification("rtn");
        rtn.own["group_size"] = std::int64_t{32};
        const fs::path quantised = made(rtn, "quantised");
        QVERIFY2(refusal(quantised).contains("group-quantised"), qPrintable(refusal(quantised)));
        const fs::path once = refined(m_source).summary.directory;
        QVERIFY2(refusal(once).contains("was refined before"), qPrintable(refusal(once)));
        Requantization shorter;
        shorter.bits = 10;
        const fs::path shortened = requantizeRun(m_source, shorter).summary.directory;
        QVERIFY2(refusal(shortened).contains("truncated to 10 bits before"),
                 qPrintable(refusal(shortened)));
        const fs::path slice = sliceRun(m_source, "ffn").summary.directory;
        QVERIFY2(refusal(slice).contains("slice"), qPrintable(refusal(slice)));
        RefineSettings how = settings();
        how.sequences = 1;
        QVERIFY(refusal(m_source, how).contains("1 sequences"));
        how = settings();
        how.rate = 0;
        QVERIFY(refusal(m_source, how).contains("refine_rate"));
        how = settings();
        how.sequences = 100'000;
        QVERIFY(refusal(m_source, how).contains("GPL-3.txt"));
    }

    // Solved and refined at once, or after a finished run that lies beside it: the same bits.
    void aRunRefinesWhatItSolved() {
        const auto expected = matricesOf(refined(m_source).summary.directory);
        RunSpecification s = specification("cospadi");
        s.refine = settings().sequences;
        s.refineRate = settings().rate;
        const auto takes = [&](const fs::path& directory) {
            std::string from;
            RunExecution execution;
            execution.threads = 2;
            execution.onEvent = [&](const nlohmann::json& event) {
                if (event.at("event") == "solved_before") {
                    from = event.at("from").get<std::string>();
                }
            };
            const RunSummary summary = executeRun(s, directory, execution);
            return summary.seconds > 0 ? from : "no seconds";
        };
        QCOMPARE(takes(place("elsewhere") / "whole"), std::string());
        QCOMPARE(takes(place("runs") / "beside"), readRunDirectory(m_source).run.id);
        for (const fs::path& run : {place("elsewhere") / "whole", place("runs") / "beside"}) {
            QVERIFY(!fs::exists(run / "solved"));
            for (const auto& [name, matrix] : matricesOf(run)) {
                QVERIFY2(matrix.weight->equals(*expected.at(name).weight), name.c_str());
            }
        }
        // Of factors that were moved together none can be made again alone.
        const fs::path damaged = place("elsewhere") / "whole" / "matrices";
        fs::resize_file(unitFile(damaged, "blk.0.ffn_up"), 100);
        QCOMPARE(takes(place("elsewhere") / "whole"), std::string());
        for (const auto& [name, matrix] : matricesOf(place("elsewhere") / "whole")) {
            QVERIFY2(matrix.weight->equals(*expected.at(name).weight), name.c_str());
        }
    }

    // What calibration holds out is not fitted afterwards.
    void heldOutSequencesAreNotInTheText() {
        RunSpecification s = specification("cospadi");
        s.heldOut = 0.25;  // the last two of eight
        s.refine = 20;
        const Model model = Model::load(m_model);
        const RefinementText text = refinementText(s, model.tokenizer());
        QCOMPARE(text.sequences(), std::int64_t{20});
        CalibrationOptions drawn;
        drawn.text = oracle::file("GPL-3.txt");
        drawn.sequences = 22;
        drawn.length = kLength;
        std::vector<std::int32_t> expected = sampleSequences(model.tokenizer(), drawn);
        expected.erase(expected.begin() + 6 * kLength, expected.begin() + 8 * kLength);
        QVERIFY(text.ids == expected);
        s.refine = 4;  // fewer than calibration has
        QVERIFY(refinementText(s, model.tokenizer()).ids ==
                std::vector<std::int32_t>(expected.begin(), expected.begin() + 4 * kLength));
    }

    // What is no gain on text that was not fitted is no result.
    void worsePredictionsAreNotKept() {
        RefineSettings how = settings();
        how.rate = 1;
        fs::path directory;
        const std::string message = messageOf([&] {
            refined(m_source, how, 2, [&](const nlohmann::json& event) {
                if (event.at("event") == "run_started") {
                    directory = event.at("directory").get<std::string>();
                }
            });
        });
        QVERIFY2(message.find("refine_rate") != std::string::npos, message.c_str());
        QVERIFY(fs::exists(directory / "run.json"));
        QVERIFY(!fs::exists(directory / "result.json"));
        QVERIFY(!fs::exists(directory / "refinement.safetensors"));
    }
};

COSPADI_TEST(TestRefine)

}  // namespace tst_refine

#include "tst_refine.moc"
