// Runs that are refined: resumed to the same bits, after solving or in one go, told by labels and
// settings, and which are refused.
#include <QtTest>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "core/methods/method.h"
#include "core/run/compression_run.h"
#include "core/run/derived_run.h"
#include "core/run/refine_run.h"
#include "core/run/requantize_run.h"
#include "core/run/slice_run.h"
#include "core/store/method_label.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/run_settings.h"
#include "tests/core/message_of.h"
#include "tests/core/refine_fixture.h"
#include "tests/registered_test.h"

namespace tst_refine_runs {

using namespace cospadi;
using namespace refine_fixture;

class TestRefineRuns : public QObject, RefineFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeSource(); }

    // Cancelled, and gone on with: the same bits, whatever the number of threads, and wherever the
    // model lies by now.
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
        const fs::path record = m_source / "run.json";
        const nlohmann::json before = readRunJson(record, "");
        const std::string moved = (place("moved") / m_model.filename()).string();
        fs::create_directories(place("moved"));
        fs::copy(m_model, moved, fs::copy_options::recursive);
        nlohmann::json after = before;
        after["specification"]["model"] = moved;
        std::ofstream(record) << after;
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
        const nlohmann::json told = readRunJson(again.summary.directory / "refinement.json", "");
        QCOMPARE(told.at("divergence").size(), std::size_t{14});
        std::ofstream(record) << before;
    }

    // The run whose matrices are taken took its time once, also where the refined one is mended;
    // what a killed start had half taken is taken anew.
    void whatIsTakenCountsOnce() {
        const fs::path slow = place("slow") / "source";
        fs::create_directories(slow.parent_path());
        fs::copy(m_source, slow, fs::copy_options::recursive);
        nlohmann::json result = readRunJson(slow / "result.json", "");
        result["seconds"] = 1000.0;
        std::ofstream(slow / "result.json") << result;
        RunSpecification s = specification("cospadi");
        s.refine = settings().sequences;
        s.refineRate = settings().rate;
        const fs::path run = place("slow") / "taken";
        fs::create_directories(run / "solved.taken");
        std::ofstream(run / "run.lock");
        std::ofstream(run / "solved.taken" / "blk.0.attn_q.safetensors") << "half";
        RunExecution execution;
        execution.threads = 2;
        execution.solved = slow;
        for (const bool mends : {false, true}) {
            int solved = 0;
            execution.onEvent = [&](const nlohmann::json& event) {
                solved += event.at("event") == "matrix_started" ? 1 : 0;
            };
            const double seconds = executeRun(s, run, execution).seconds;
            QCOMPARE(solved, 0);
            QVERIFY2(seconds >= 1000 && seconds < 1900, qPrintable(QString::number(seconds)));
            QVERIFY(!fs::exists(run / "solved.taken"));
            if (!mends) {
                fs::remove(unitFile(run / "matrices", "blk.0.attn_q"));
            }
        }
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
        // where: what the message begins with, the word or field to give otherwise.
        const auto isOf = [](const QString& message, const QString& where, const QString& words) {
            return message.startsWith(where + ": ") && message.contains(words);
        };
        RunSpecification rtn = specification("rtn");
        rtn.own["group_size"] = std::int64_t{32};
        const fs::path quantised = made(rtn, "quantised");
        QVERIFY2(isOf(refusal(quantised), "RUN", "group-quantised"),
                 qPrintable(refusal(quantised)));
        const fs::path once = refined(m_source).summary.directory;
        QVERIFY2(isOf(refusal(once), "RUN", "has already been refined"), qPrintable(refusal(once)));
        Requantization shorter;
        shorter.bits = 10;
        const fs::path shortened = requantizeRun(m_source, shorter).summary.directory;
        QVERIFY2(isOf(refusal(shortened), "RUN", "already been truncated to 10 bits"),
                 qPrintable(refusal(shortened)));
        const fs::path slice = sliceRun(m_source, "ffn").summary.directory;
        QVERIFY2(isOf(refusal(slice), "RUN", "slice"), qPrintable(refusal(slice)));
        RefineSettings how = settings();
        how.sequences = 1;
        QVERIFY(isOf(refusal(m_source, how), "refine", "1 sequences"));
        how = settings();
        how.rate = 0;
        QVERIFY(isOf(refusal(m_source, how), "refine_rate", "rate 0"));
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
        // What it took to refine counts once.
        const nlohmann::json beside = readRunJson(place("runs") / "beside" / "result.json", "");
        const double solving = readRunJson(m_source / "result.json", "").at("seconds");
        const double refining = beside.at("refinement_seconds");
        const double rest = beside.at("seconds").get<double>() - solving - refining;
        QVERIFY2(rest >= -1e-9 && rest < refining / 2, qPrintable(QString::number(rest)));
        for (const fs::path& run : {place("elsewhere") / "whole", place("runs") / "beside"}) {
            QVERIFY(!fs::exists(run / "solved"));
            for (const auto& [name, matrix] : matricesOf(run)) {
                QVERIFY2(matrix.weight->equals(*expected.at(name).weight), name.c_str());
            }
        }
        // A model that is asked for afterwards leaves the result as it is.
        const fs::path whole = place("elsewhere") / "whole";
        const nlohmann::json result = readRunJson(whole / "result.json", "");
        QVERIFY(result.contains("refinement_seconds"));
        fs::remove_all(whole / "model");
        RunExecution withModel;
        withModel.partialModel = true;
        QVERIFY(executeRun(s, whole, withModel).modelBytes > 0);
        QVERIFY(readRunJson(whole / "result.json", "") == result);
        // Of factors that were moved together none can be made again alone.
        const fs::path damaged = place("elsewhere") / "whole" / "matrices";
        fs::resize_file(unitFile(damaged, "blk.0.ffn_up"), 100);
        QCOMPARE(takes(place("elsewhere") / "whole"), std::string());
        for (const auto& [name, matrix] : matricesOf(place("elsewhere") / "whole")) {
            QVERIFY2(matrix.weight->equals(*expected.at(name).weight), name.c_str());
        }
    }
};

COSPADI_TEST(TestRefineRuns)

}  // namespace tst_refine_runs

#include "tst_refine_runs.moc"
