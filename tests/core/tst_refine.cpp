// What refinement gains: nearer to the dense model on held-out text by an own count, in the same
// supports and bytes, and nothing that is no gain.
#include <Eigen/Core>
#include <QtTest>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/forms/matrix_file.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/methods/method.h"
#include "core/model/forward.h"
#include "core/run/derived_run.h"
#include "core/run/refine_run.h"
#include "core/run/refinement_phase.h"
#include "core/run/refinement_text.h"
#include "core/run/run_summary.h"
#include "tests/core/low_rank_factors.h"
#include "tests/core/message_of.h"
#include "tests/core/oracle_data.h"
#include "tests/core/refine_fixture.h"
#include "tests/registered_test.h"

namespace tst_refine {

using namespace cospadi;
using namespace refine_fixture;
using Eigen::MatrixXd;

namespace {

constexpr std::int64_t kHeldOut = 8;  // an eighth

}  // namespace

class TestRefine : public QObject, RefineFixture {
    Q_OBJECT

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
    void initTestCase() { makeSource(); }

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
