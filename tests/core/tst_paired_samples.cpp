// The answers of two models to the same questions: paired item by item, and tested for a
// difference.
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>

#include "core/lm_eval/paired_test.h"
#include "core/lm_eval/task_samples.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_paired_samples {

using namespace cospadi;
using nlohmann::json;

class TestPairedSamples : public QObject {
    Q_OBJECT

  private slots:
    // winogrande as lm-eval writes it: the sentence differs before the gap, and the right answer is
    // told by its text alone.
    void answersWithContextsOfTheirOwn() {
        const QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.filePath("samples.jsonl").toStdString());
        const auto line = [](const char* first, const char* second, const char* likelier,
                             double acc) {
            const auto pair = [](const std::string& name) {
                return json{{"arg_0", "Then " + name}, {"arg_1", " sang."}};
            };
            return json{{"doc_id", 0},
                        {"target", "sang."},
                        {"arguments", {{"gen_args_0", pair(first)}, {"gen_args_1", pair(second)}}},
                        {"filtered_resps",
                         json::array(
                             {json::array({likelier == first ? "-1.0" : "-2.0", "False"}),
                              json::array({likelier == second ? "-1.0" : "-2.0", "False"})})},
                        {"acc", acc}}
                       .dump() +
                   "\n";
        };
        const char* anna = "Anna";
        const char* anton = "Anton";
        std::ofstream(file) << line(anna, anton, anna, 1) << line(anna, anton, anna, 0)
                            << line(anna, anton, anton, 1);
        const std::vector<TaskSample> samples = readTaskSamples(file);
        QCOMPARE(samples[0].context, std::string("Then "));
        QCOMPARE(samples[0].continuations, (std::vector<std::string>{"Anna sang.", "Anton sang."}));
        QCOMPARE(static_cast<int>(samples[0].answer), 0);
        QCOMPARE(static_cast<int>(samples[1].answer), 1);
        QCOMPARE(static_cast<int>(samples[2].answer), 1);
    }

    // A text that begins with a number is not the index of an answer.
    void answersWithNumbersInThem() {
        const QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.filePath("samples.jsonl").toStdString());
        const auto answerTo = [&](const char* target) {
            const auto pair = [](const char* answer) {
                return json{{"arg_0", "How long?"}, {"arg_1", answer}};
            };
            std::ofstream(file) << json{
                {"doc_id", 0},
                {"target", target},
                {"arguments", {{"gen_args_0", pair(" a")}, {"gen_args_1", pair(" b")}}},
                {"filtered_resps", json::parse(R"([["-2.0", "False"], ["-1.0", "True"]])")},
                {"acc", 1.0}};
            return static_cast<int>(readTaskSamples(file).front().answer);
        };
        QCOMPARE(answerTo("0"), 0);
        for (const char* text : {"0 days", "0.5", "days", ""}) {
            QCOMPARE(answerTo(text), 1);  // the likelier one was right
        }
    }

    // Binomial sums by hand, and the normal limit.
    void pairsAreTestedExactly() {
        QVERIFY(std::abs(exactSignTest(2, 10) - 2 * (1 + 10 + 45) / 1024.0) < 1e-12);
        QCOMPARE(exactSignTest(5, 10), 1.0);
        QCOMPARE(exactSignTest(0, 0), 1.0);
        // 2 Φ((900 + ½ − 1000) / √500), from tables
        QVERIFY(std::abs(exactSignTest(900, 2000) / 8.6e-6 - 1) < 0.03);
        PairedValues values;  // 2 lost, 8 gained, 50 right in both, 40 wrong in both
        for (int i = 0; i < 100; ++i) {
            values.first.push_back(i < 2 || (i >= 10 && i < 60) ? 1 : 0);
            values.second.push_back(i >= 2 && i < 60 ? 1 : 0);
        }
        const PairedTest test = pairedTest(values);
        QCOMPARE(static_cast<int>(test.items), 100);
        QCOMPARE(test.difference, 0.06);
        QVERIFY(std::abs(test.standardError - std::sqrt(10 - 0.36) / 100) < 1e-12);
        QVERIFY(std::abs(test.pValue - 0.109375) < 1e-12);
    }

    // Of 400 items 100 are gained: a resample gains a binomial number of them, 400 throws at 1/4,
    // whose quantiles are known exactly.
    void bootstrapAgreesWithTheBinomial() {
        PairedValues values;
        for (int i = 0; i < 400; ++i) {
            values.first.push_back(i % 2);
            values.second.push_back(i < 200 && i % 2 == 0 ? 1 : i % 2);
        }
        const PairedBootstrap found = pairedBootstrap(values);
        QCOMPARE(static_cast<int>(found.items), 400);
        QCOMPARE(found.difference, 0.25);
        const auto quantile = [](double level) {
            double below = 0;
            double term = 400 * std::log(0.75);
            for (int k = 0;; ++k) {
                below += std::exp(term);
                if (below >= level) {
                    return k;
                }
                term += std::log((400.0 - k) / (k + 1)) + std::log(0.25 / 0.75);
            }
        };
        QVERIFY2(std::abs(400 * found.low - quantile(0.025)) <= 1,
                 qPrintable(QString::number(400 * found.low)));
        QVERIFY2(std::abs(400 * found.high - quantile(0.975)) <= 1,
                 qPrintable(QString::number(400 * found.high)));
        // The same again; another seed moves it within its own uncertainty.
        QCOMPARE(pairedBootstrap(values).low, found.low);
        const PairedBootstrap other = pairedBootstrap(values, kBootstrapResamples, 7);
        QVERIFY(std::abs(other.low - found.low) <= 2.0 / 400);
        // Against the other way round it is the mirror image, to the same uncertainty.
        const PairedBootstrap back = pairedBootstrap({values.second, values.first});
        QCOMPARE(back.difference, -0.25);
        QVERIFY(std::abs(back.low + found.high) <= 2.0 / 400);
    }

    void bootstrapOfEqualsIsNothing() {
        const PairedBootstrap same = pairedBootstrap({{1, 0, 1, 1}, {1, 0, 1, 1}});
        QCOMPARE(same.difference, 0.0);
        QCOMPARE(same.low, 0.0);
        QCOMPARE(same.high, 0.0);
        const PairedBootstrap one = pairedBootstrap({{0}, {1}});
        QCOMPARE(one.low, 1.0);
        QCOMPARE(one.high, 1.0);
        QCOMPARE(static_cast<int>(pairedBootstrap({}).items), 0);
    }

    // By values as by pairs, and of any metric of an item: the order of the second does not matter,
    // what asks something else or has no metric is left out.
    void valuesArePaired() {
        std::vector<TaskSample> a(6);
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i].item = static_cast<std::int64_t>(i);
            a[i].acc = i % 2 == 0 ? 1 : 0;
            a[i].accNorm = 1;
        }
        std::vector<TaskSample> b(a.rbegin(), a.rend());
        b[0].acc = 1;                 // item 5, gained
        b[1].acc = 0;                 // item 4, lost
        b[2].context = "another";     // item 3
        b[3].accNorm = std::nan("");  // item 2
        b[5].accNorm = 0;             // item 0, lost
        const std::vector<SamplePair> pairs = pairSamples(a, b);
        const auto counted = [&](SampleChange change) {
            return std::count_if(pairs.begin(), pairs.end(),
                                 [&](const SamplePair& pair) { return pair.change == change; });
        };
        const std::int64_t lost = counted(SampleChange::Lost);
        const std::int64_t gained = counted(SampleChange::Gained);
        const PairedTest byValues = pairedTest(pairedValues(a, b, &TaskSample::acc));
        QCOMPARE(static_cast<int>(byValues.items), 5);
        QCOMPARE(byValues.onlyFirst, lost);
        QCOMPARE(byValues.onlySecond, gained);
        QCOMPARE(byValues.pValue, exactSignTest(std::min(lost, gained), lost + gained));
        const PairedTest normalised = pairedTest(pairedValues(a, b, &TaskSample::accNorm));
        QCOMPARE(static_cast<int>(normalised.items), 4);
        QCOMPARE(static_cast<int>(normalised.onlyFirst), 1);
    }

    void storedSamplesArePaired() {
        const QTemporaryDir folder;
        RunRow run;
        run.directory = folder.path().toStdString();
        TaskResultRow row;
        row.file = "lm-eval-1.json";
        row.task = "toy_mc";
        row.metric = "acc";
        QVERIFY(!storedPairs(run, row, run, row));  // it kept none
        const QString place = folder.path() + "/evaluations/lm-eval-1";
        QVERIFY(QDir().mkpath(place));
        QVERIFY(QFile::copy(COSPADI_TEST_DATA
                            "/lm_eval/samples_toy_mc_2026-11-21T02-03-31.333142.jsonl",
                            place + "/samples_toy_mc.jsonl"));
        const auto pairs = storedPairs(run, row, run, row);
        QVERIFY(pairs && !pairs->first.empty());
        QCOMPARE(pairs->first, pairs->second);
        row.metric = "perplexity";
        QVERIFY(!storedPairs(run, row, run, row));
    }

    void samplesOfLmEvalAreRead() {
        const std::vector<TaskSample> samples = readTaskSamples(
            COSPADI_TEST_DATA "/lm_eval/samples_toy_mc_2026-11-21T02-03-31.333142.jsonl");
        const json likelihoods =
            json::parse(oracle::text(COSPADI_TEST_DATA "/lm_eval/toy_mc_logliks_fp64.json"));
        QVERIFY(!samples.empty());
        for (const TaskSample& sample : samples) {
            QCOMPARE(sample.continuations.size(), sample.logLikelihoods.size());
            QVERIFY(sample.answer >= 0 && sample.chosen >= 0);
            QCOMPARE(sample.acc, sample.answer == sample.chosen ? 1.0 : 0.0);
            QVERIFY(!sample.context.empty());
        }
        QVERIFY(!likelihoods.empty());
    }

    void samplesOfTwoModelsArePaired() {
        const auto sample = [](std::int64_t item, const char* context, std::int64_t chosen,
                               double acc) {
            TaskSample s;
            s.item = item;
            s.context = context;
            s.continuations = {" a", " b"};
            s.chosen = chosen;
            s.acc = acc;
            return s;
        };
        const std::vector<TaskSample> first = {sample(0, "p", 0, 1), sample(1, "q", 0, 1),
                                               sample(2, "r", 1, 0), sample(3, "s", 1, 0),
                                               sample(4, "t", 0, 1), sample(5, "u", 0, 1)};
        const std::vector<TaskSample> second = {sample(3, "s", 1, 0), sample(2, "r", 0, 1),
                                                sample(1, "q", 1, 0), sample(0, "p", 0, 1),
                                                sample(4, "another question", 0, 1)};
        const std::vector<SamplePair> pairs = pairSamples(first, second);
        QCOMPARE(pairs.size(), std::size_t{4});
        QCOMPARE(pairs[0].change, SampleChange::BothRight);
        QCOMPARE(pairs[0].second, std::size_t{3});
        QCOMPARE(pairs[1].change, SampleChange::Lost);
        QVERIFY(pairs[1].isOtherChoice && !pairs[0].isOtherChoice);
        QCOMPARE(pairs[2].change, SampleChange::Gained);
        QCOMPARE(pairs[3].change, SampleChange::BothWrong);
    }
};

COSPADI_TEST(TestPairedSamples)

}  // namespace tst_paired_samples

#include "tst_paired_samples.moc"
