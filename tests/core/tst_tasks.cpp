// The native tasks against lm-eval 0.4.13: its prompts to the character, its choices item by item
// through the same model, its means and errors from the same answers; the scorer against a plain
// forward pass; Python's string functions against Python; records, resumption and bad input.
//
// COSPADI_ALL_ITEMS=1 compares every recorded item (200 a task, minutes); a few otherwise.
#include <QTemporaryDir>
#include <fstream>
#include <set>

#include "core/base/sha256.h"
#include "core/lm_eval/native_evaluation.h"
#include "core/lm_eval/paired_test.h"
#include "core/lm_eval/task_samples.h"
#include "core/tasks/python_text.h"
#include "core/tasks/task_records.h"
#include "served_model.h"

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kShipped = COSPADI_TEST_DATA "/tasks";
const fs::path kShared = COSPADI_SHARED_DIR "/data";
const std::vector<std::string> kTasks = {"piqa",     "hellaswag",     "lambada_openai",
                                         "arc_easy", "arc_challenge", "sciq",
                                         "race",     "mmlu",          "wikitext"};

const json& reference() {
    static const json file = json::parse(oracle::text(kShipped / "reference.json"));
    return file;
}

// The whole sets where they are, else the records that ship; empty where neither has the task.
fs::path dataOf(const std::string& task) {
    const std::string file = task == "mmlu" ? kMmluFile : knownTask(task)->file;
    for (const fs::path& folder : {kShared, kShipped}) {
        if (!findRecords(folder, file).empty()) {
            return folder;
        }
    }
    return {};
}

std::vector<Task> tasksOf(const std::string& name, double limit = 0) {
    TaskSelection selection;
    selection.data = dataOf(name);
    selection.limit = limit;
    std::vector<Task> tasks = readTasks({name}, selection);
    std::erase_if(tasks, [](const Task& task) { return !reference().contains(task.name); });
    return tasks;
}

std::string digest(const std::string& context, const std::string& continuation) {
    return sha256OfString(context + std::string(1, '\0') + continuation).substr(0, 16);
}

void addTaskRows() {
    QTest::addColumn<QString>("name");
    for (const std::string& task : kTasks) {
        QTest::addRow("%s", task.c_str()) << QString::fromStdString(task);
    }
}

void writeLines(const fs::path& file, const std::vector<json>& records) {
    std::ofstream stream(file);
    for (const json& record : records) {
        stream << record.dump() << "\n";
    }
}

// A small data set for the small model, whose tokens are bytes.
const std::vector<json> kQuestions = {
    {{"goal", "ab cd"}, {"sol1", "x"}, {"sol2", "yz"}, {"label", 0}},
    {{"goal", "éf"}, {"sol1", "mm mm"}, {"sol2", "n"}, {"label", 1}},
    {{"goal", "gh"}, {"sol1", "same"}, {"sol2", "same"}, {"label", 1}}};

}  // namespace

class TestTasks : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    fs::path place(const std::string& name) const {
        return fs::path(m_folder.path().toStdString()) / name;
    }

  private slots:
    void initTestCase() {
        qputenv("COSPADI_RUNS", QByteArray::fromStdString(place("runs").string()));
        fs::create_directories(place("data"));
        writeLines(place("data") / "piqa.jsonl", kQuestions);
    }

    void textFunctionsAreThoseOfPython() {
        // Each value is what Python 3.11 answers.
        QCOMPARE(pythonLength("aé€😀"), 4);
        QCOMPARE(std::string(pythonStrip("\u00a0\u3000 a b\x1f\n")), std::string("a b"));
        QCOMPARE(std::string(pythonLeftStrip("\t\n a ")), std::string("a "));
        QCOMPARE(std::string(pythonRightStrip(" a \u2003")), std::string(" a"));
        QCOMPARE(std::string(pythonStrip(" \u200b")), std::string("\u200b"));
        QCOMPARE(pythonCapitalize("éCOLE DE Ñandú"), std::string("École de ñandú"));
        QCOMPARE(pythonCapitalize(""), std::string());
        QCOMPARE(pythonReplace("aaaa", "aa", "b"), std::string("bb"));
        QCOMPARE(pythonSubstitute("\\[.*?\\]", "", "a [x] b [y\nz] [w]"),
                 std::string("a  b [y\nz] "));
        QCOMPARE(pythonSubstitute(R"(\(\s*([^\)]*?)\s*\))", "(${1})", "( a ) (b\u00a0)"),
                 std::string("(a) (b)"));
        QCOMPARE(pythonMatches("\\s+", " a\u2003b \n c"), 3);
    }

    void promptsAreThoseOfLmEval_data() { addTaskRows(); }
    void promptsAreThoseOfLmEval() {
        QFETCH(QString, name);
        if (dataOf(name.toStdString()).empty()) {
            QSKIP("the data set is not shipped and absent from shared/data");
        }
        const std::vector<Task> tasks = tasksOf(name.toStdString());
        if (tasks.empty()) {
            QSKIP("lm-eval's answers are not recorded");
        }
        std::int64_t compared = 0;
        for (const Task& task : tasks) {
            const json& expected = reference()[task.name];
            QCOMPARE(QString::fromStdString(task.version),
                     QString::fromStdString(expected["version"].get<std::string>()));
            QCOMPARE(task.shots, expected["shots"].get<std::int64_t>());
            const std::size_t count = std::min(task.items.size(), expected["items"].size());
            for (std::size_t i = 0; i < count; ++i) {
                std::vector<std::string> prompts;
                for (const std::string& continuation : task.items[i].continuations) {
                    prompts.push_back(digest(task.items[i].context, continuation));
                }
                QVERIFY2(prompts == expected["items"][i]["prompts"].get<std::vector<std::string>>(),
                         qPrintable(QString("%1 item %2: %3")
                                        .arg(name)
                                        .arg(i)
                                        .arg(QString::fromStdString(task.items[i].context))));
                ++compared;
            }
        }
        QVERIFY(compared >= (name == "wikitext" ? 6 : 25));
    }

    // The means and errors that lm-eval made of the answers that it recorded.
    void metricsAreThoseOfLmEval_data() { addTaskRows(); }
    void metricsAreThoseOfLmEval() {
        QFETCH(QString, name);
        const fs::path data = dataOf(name.toStdString());
        if (data.empty()) {
            QSKIP("the data set is not shipped and absent from shared/data");
        }
        for (const Task& task : tasksOf(name.toStdString())) {
            const json& expected = reference()[task.name];
            if (task.items.size() < expected["items"].size()) {
                QSKIP("only the first records of the data set are here");
            }
            TaskTally tally(task);
            for (std::size_t i = 0; i < expected["items"].size(); ++i) {
                const json& item = expected["items"][i];
                std::vector<ContinuationScore> scores;
                for (std::size_t c = 0; c < item["log_likelihoods"].size(); ++c) {
                    scores.push_back({item["log_likelihoods"][c].get<double>(),
                                      item.contains("greedy") && item["greedy"][c].get<bool>()});
                }
                tally.add(task.items[i], outcomeOf(task, task.items[i], std::move(scores)));
            }
            std::set<std::string> names;
            for (const TaskMetric& metric : tally.metrics()) {
                names.insert(metric.name);
                const double value = expected["metrics"][metric.name];
                QVERIFY2(std::abs(metric.value - value) <= 1e-6 * std::abs(value),
                         qPrintable(QString("%1 %2: %3, lm-eval %4")
                                        .arg(name, QString::fromStdString(metric.name))
                                        .arg(metric.value)
                                        .arg(value)));
                const json& error = expected["metrics"][metric.name + "_stderr"];
                QCOMPARE(std::isfinite(metric.standardError), error.is_number());
                if (metric.name.starts_with("acc")) {
                    QVERIFY(std::abs(metric.standardError - error.get<double>()) < 1e-9);
                } else if (error.is_number()) {  // lm-eval draws samples for it
                    QVERIFY(std::abs(metric.standardError / error.get<double>() - 1) < 0.2);
                }
            }
            for (const auto& [metric, value] : expected["metrics"].items()) {
                QVERIFY2(metric.ends_with("_stderr") || names.contains(metric), metric.c_str());
            }
        }
    }

    void choicesAreThoseOfLmEval_data() { addTaskRows(); }
    void choicesAreThoseOfLmEval() {
        QFETCH(QString, name);
        SKIP_WITHOUT_MODEL();
        if (dataOf(name.toStdString()).empty()) {
            QSKIP("the data set is not shipped and absent from shared/data");
        }
        const bool all = qEnvironmentVariableIntValue("COSPADI_ALL_ITEMS") != 0;
        if (!all && (name == "wikitext" || name == "race")) {
            QSKIP("long texts: set COSPADI_ALL_ITEMS=1");
        }
        static const Model model = Model::load(*oracle::defaultModel());
        ThreadPool pool;
        TaskEvaluator evaluator(model, pool, {2048, model.tokenizer().bosId()});
        std::vector<Task> tasks = tasksOf(name.toStdString());
        if (tasks.empty()) {
            QSKIP("lm-eval's answers are not recorded");
        }
        std::int64_t compared = 0;
        for (Task& task : tasks) {
            const json& expected = reference()[task.name]["items"];
            const std::size_t most = all ? expected.size() : name == "mmlu" ? 2 : 6;
            task.items.resize(std::min({task.items.size(), expected.size(), most}));
            const auto outcome = evaluator.evaluate(task);
            QVERIFY(outcome);
            for (std::size_t i = 0; i < task.items.size(); ++i) {
                std::vector<ContinuationScore> answered;
                for (std::size_t c = 0; c < expected[i]["log_likelihoods"].size(); ++c) {
                    const double known = expected[i]["log_likelihoods"][c];
                    const ContinuationScore& score = outcome->items[i].scores[c];
                    QVERIFY2(std::abs(score.logLikelihood - known) < 1e-5 * std::abs(known) + 2e-4,
                             qPrintable(QString("%1 item %2 continuation %3: %4, lm-eval %5")
                                            .arg(name)
                                            .arg(i)
                                            .arg(c)
                                            .arg(score.logLikelihood)
                                            .arg(known)));
                    if (task.form != TaskForm::Rolling) {
                        QCOMPARE(score.isGreedy, expected[i]["greedy"][c].get<bool>());
                    }
                    answered.push_back({known, score.isGreedy});
                }
                const ItemOutcome its = outcomeOf(task, task.items[i], std::move(answered));
                QCOMPARE(outcome->items[i].chosen, its.chosen);
                QCOMPARE(outcome->items[i].chosenByLength, its.chosenByLength);
                ++compared;
            }
        }
        QVERIFY(compared > 0);
        qInfo("%s: %lld items agree", qPrintable(name), static_cast<long long>(compared));
    }

    // Whatever is grouped, every likelihood is that of the sequence alone.
    void scorerAgreesWithAPlainForwardPass() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const Model model = served::model(m_folder);
        ThreadPool pool;
        const std::vector<ContinuationGroup> groups = {
            {{{5, 6, 7, 8, 9}, 3}, {{5, 6, 7, 10}, 3}, {{5, 6, 7, 8, 11, 12}, 3}},
            {{{1, 2}, 1}},
            {{{3, 4, 20}, 2}, {{3, 4, 21}, 2}},             // nothing but the common part
            {{{30, 31, 32}, 1}, {{40, 41, 42, 43}, 2}},     // nothing in common
            {{{50, 51, 52, 53}, 2}, {{50, 51, 52, 53}, 2}}  // the same twice
        };
        ContinuationScorer scorer(model, pool);
        const auto scores = scorer.score(groups);
        // Common parts, then what is left of each: the last id is predicted and never read.
        QCOMPARE(scorer.computedTokens(), (3 + 1 + 0 + 2) + 1 + 2 + (2 + 3) + 3);
        ForwardPass pass(model, pool);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            for (std::size_t r = 0; r < groups[g].size(); ++r) {
                const ContinuationRequest& request = groups[g][r];
                const auto length = static_cast<std::int64_t>(request.ids.size());
                const Eigen::MatrixXf logits = pass.logits(pass.hiddenStates(request.ids, length));
                double sum = 0;
                bool isGreedy = true;
                for (std::int64_t t = request.context; t < length; ++t) {
                    const Eigen::VectorXd column = logits.col(t - 1).cast<double>();
                    const int target = request.ids[static_cast<std::size_t>(t)];
                    const double largest = column.maxCoeff();
                    sum +=
                        column[target] - largest - std::log((column.array() - largest).exp().sum());
                    isGreedy = isGreedy && column[target] == largest;
                }
                QVERIFY(std::abs(scores[g][r].logLikelihood - sum) < 1e-4);
                QCOMPARE(scores[g][r].isGreedy, isGreedy);
            }
        }
    }

    // A text longer than the window: every token is predicted once, and a text that fits gives the
    // sum over all its tokens after the prefix.
    void rollingWindowsPredictEveryTokenOnce() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const Model model = served::model(m_folder);
        ThreadPool pool;
        Task task;
        task.name = "wikitext";
        task.form = TaskForm::Rolling;
        TaskItem item;
        item.continuations = {"abcdefghijklmnopqrstuvwxyz"};
        item.words = 1;
        item.bytes = 26;
        task.items = {item};
        const std::vector<std::int32_t> ids =
            model.tokenizer().encode("abcdefghijklmnopqrstuvwxyz");
        const auto length = static_cast<std::int64_t>(ids.size());
        for (const std::int64_t window : {std::int64_t{5}, std::int64_t{7}, length, 4 * length}) {
            TaskEvaluator evaluator(model, pool, {window + 2, 3});
            const auto outcome = evaluator.evaluate(task);
            QVERIFY(outcome);
            // lm-eval: windows of `window` predictions, each token after as many as fit before it.
            double expected = 0;
            ForwardPass pass(model, pool);
            for (std::int64_t begin = 0; begin < length; begin += window) {
                const std::int64_t end = std::min(length, begin + window);
                std::vector<std::int32_t> sequence = {3};
                sequence.insert(sequence.end(), ids.begin(), ids.end());
                const std::int64_t first = begin == 0 ? 0 : end - window;
                const std::vector<std::int32_t> input(sequence.begin() + first,
                                                      sequence.begin() + end);
                const Eigen::MatrixXf hidden =
                    pass.hiddenStates(input, static_cast<std::int64_t>(input.size()));
                const std::vector<std::int32_t> targets(ids.begin() + first, ids.begin() + end);
                const std::vector<double> all = pass.logProbabilities(hidden, targets);
                for (std::int64_t t = begin; t < end; ++t) {
                    expected += all[static_cast<std::size_t>(t - first)];
                }
            }
            QVERIFY(std::abs(outcome->items[0].scores[0].logLikelihood - expected) < 1e-3);
        }
    }

    void resultsAreRecordedAndNotAskedTwice() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const fs::path model = served::model(m_folder).sourcePath();
        NativeRequest request;
        request.model = model.string();
        request.tasks = {"piqa"};
        request.selection.data = place("data");
        int answered = 0;
        int remembered = 0;
        NativeHooks hooks;
        hooks.finished = [&](const TaskEvaluation&, bool wasThere) {
            (wasThere ? remembered : answered) += 1;
        };
        const auto first = evaluateTasks(request, hooks, {});
        QVERIFY(first);
        QVERIFY(first->run.filename().string().starts_with("dense-"));
        QCOMPARE(first->items, 3);
        const auto second = evaluateTasks(request, hooks, {});
        QVERIFY(second);
        QCOMPARE(second->items, 0);
        QCOMPARE(answered, 1);
        QCOMPARE(remembered, 1);
        QCOMPARE(second->evaluation.results.size(), first->evaluation.results.size());
        for (std::size_t i = 0; i < first->evaluation.results.size(); ++i) {
            QVERIFY(first->evaluation.results[i].measuresSameAs(second->evaluation.results[i]));
            QCOMPARE(first->evaluation.results[i].value, second->evaluation.results[i].value);
        }
        request.again = true;
        QCOMPARE(evaluateTasks(request, hooks, {})->items, 3);

        fs::path samples;
        for (const auto& entry : fs::directory_iterator(first->run / "evaluations")) {
            if (entry.path().extension() == ".json") {
                samples = samplesFileOf(first->run, entry.path().filename().string(), "piqa");
            }
        }
        const std::vector<TaskSample> items = readTaskSamples(samples);
        QCOMPARE(items.size(), std::size_t{3});
        QCOMPARE(QString::fromStdString(items[1].context), QString("Question: éf\nAnswer:"));
        QCOMPARE(items[1].continuations, (std::vector<std::string>{" mm mm", " n"}));
        QCOMPARE(items[0].answer, 0);
        QCOMPARE(items[2].chosen, 0);  // the first of equals
        QCOMPARE(items[2].acc, 0.0);
        QVERIFY(items[0].asksSameAs(items[0]) && !items[0].asksSameAs(items[1]));
    }

    // Binomial sums by hand, and the normal limit.
    void pairsAreTestedExactly() {
        QVERIFY(std::abs(exactSignTest(2, 10) - 2 * (1 + 10 + 45) / 1024.0) < 1e-12);
        QCOMPARE(exactSignTest(5, 10), 1.0);
        QCOMPARE(exactSignTest(0, 0), 1.0);
        // 2 Φ((900 + ½ − 1000) / √500), from tables
        QVERIFY(std::abs(exactSignTest(900, 2000) / 8.6e-6 - 1) < 0.03);
        std::vector<SamplePair> pairs(100);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            pairs[i].change = i < 2    ? SampleChange::Lost
                              : i < 10 ? SampleChange::Gained
                              : i < 60 ? SampleChange::BothRight
                                       : SampleChange::BothWrong;
        }
        const PairedTest test = pairedTest(pairs);
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
        const PairedTest byPairs = pairedTest(pairSamples(a, b));
        const PairedTest byValues = pairedTest(pairedValues(a, b, &TaskSample::acc));
        QCOMPARE(static_cast<int>(byValues.items), 5);
        QCOMPARE(byValues.onlyFirst, byPairs.onlyFirst);
        QCOMPARE(byValues.onlySecond, byPairs.onlySecond);
        QCOMPARE(byValues.pValue, byPairs.pValue);
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

    void cancellingLeavesWhatHadEnded() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const fs::path data = place("two");
        fs::create_directories(data);
        writeLines(data / "piqa.jsonl", kQuestions);
        writeLines(data / "lambada_openai.jsonl", {{{"text", "a b c"}}});
        NativeRequest request;
        request.model = served::model(m_folder, "a_llama_gqa").sourcePath().string();
        request.tasks = {"lambada_openai", "piqa"};
        request.selection.data = data;
        request.again = true;
        std::stop_source stop;
        NativeHooks hooks;
        hooks.finished = [&](const TaskEvaluation&, bool) { stop.request_stop(); };
        QVERIFY(!evaluateTasks(request, hooks, stop.get_token()));
        request.again = false;
        std::vector<std::string> remembered;
        hooks.finished = [&](const TaskEvaluation& evaluation, bool wasThere) {
            if (wasThere) {
                remembered.push_back(evaluation.results.front().task);
            }
        };
        QVERIFY(evaluateTasks(request, hooks, {}));
        QVERIFY(!remembered.empty());
        QCOMPARE(QString::fromStdString(remembered.front()), QString("lambada_openai"));
    }

    void badDataIsNamed_data() {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("content");
        QTest::addColumn<QString>("message");
        QTest::newRow("unknown task") << "nothing"
                                      << ""
                                      << ""
                                      << "there is no task nothing here";
        QTest::newRow("no file") << "piqa"
                                 << ""
                                 << ""
                                 << "the data of piqa is not there";
        QTest::newRow("empty") << "piqa"
                               << "piqa.jsonl"
                               << "\n"
                               << "holds no records";
        QTest::newRow("no JSON") << "piqa"
                                 << "piqa.jsonl"
                                 << "{\"goal\": "
                                 << "line 1 is not";
        QTest::newRow("no object") << "piqa"
                                   << "piqa.jsonl"
                                   << "\n[1]\n"
                                   << "line 2 is not";
        QTest::newRow("missing field") << "piqa"
                                       << "piqa.jsonl"
                                       << R"({"goal": "a", "sol1": "b", "label": 0})"
                                       << "record 1 has no field \"sol2\"";
        QTest::newRow("wrong type") << "piqa"
                                    << "piqa.jsonl"
                                    << R"({"goal": 7, "sol1": "b", "sol2": "c", "label": 0})"
                                    << "record 1: ";
        QTest::newRow("label beyond the choices")
            << "piqa"
            << "piqa.jsonl"
            << R"({"goal": "a", "sol1": "b", "sol2": "c", "label": 2})"
            << "record 1: its answer is none of its choices";
        QTest::newRow("label no number")
            << "piqa"
            << "piqa.jsonl"
            << R"({"goal": "a", "sol1": "b", "sol2": "c", "label": ""})"
            << "record 1: its label is not a number";
        QTest::newRow("key among no labels")
            << "arc_easy"
            << "arc_easy.jsonl"
            << R"({"question": "q", "choices": {"text": ["a"], "label": ["A"]}, "answerKey": "B"})"
            << "none of its choices";
        QTest::newRow("race without problems") << "race"
                                               << "race_high.jsonl"
                                               << R"({"article": "a", "problems": []})"
                                               << "it has no problems";
        QTest::newRow("deep") << "piqa"
                              << "piqa.jsonl" << QString(5000, '[') << "line 1 is not";
        QTest::newRow("rows of another form") << "piqa"
                                              << "piqa.json"
                                              << R"({"rows": [5]})"
                                              << "record 1 is not a JSON object";
        QTest::newRow("no such subject")
            << "mmlu_botany"
            << "mmlu.jsonl"
            << R"({"question": "q", "subject": "art", "choices": ["a","b","c","d"], "answer": 0})"
            << "the data has no such subject";
    }
    void badDataIsNamed() {
        QFETCH(QString, task);
        QFETCH(QString, file);
        QFETCH(QString, content);
        QFETCH(QString, message);
        const fs::path folder = place("bad");
        fs::remove_all(folder);
        fs::create_directories(folder);
        if (!file.isEmpty()) {
            std::ofstream(folder / file.toStdString()) << content.toStdString();
        }
        TaskSelection selection;
        selection.data = folder;
        const QString error =
            oracle::errorOf([&] { (void)readTasks({task.toStdString()}, selection); });
        QVERIFY2(error.contains(message), qPrintable(error));
        QVERIFY2(file.isEmpty() || error.contains(file), qPrintable(error));
    }

    void otherFormsOfTheSameRecords() {
        const fs::path folder = place("forms");
        fs::create_directories(folder);
        json rows = json::array();
        for (const json& record : kQuestions) {
            rows.push_back({{"row_idx", rows.size()}, {"row", record}});
        }
        std::ofstream(folder / "piqa.json") << json{{"features", {}}, {"rows", rows}};
        TaskSelection selection;
        selection.data = place("data");
        const std::vector<Task> lines = readTasks({"piqa"}, selection);
        selection.data = folder;
        const std::vector<Task> server = readTasks({"piqa"}, selection);
        std::ofstream(folder / "piqa.json") << json(kQuestions);
        const std::vector<Task> list = readTasks({"piqa"}, selection);
        for (std::size_t i = 0; i < kQuestions.size(); ++i) {
            QCOMPARE(server[0].items[i].context, lines[0].items[i].context);
            QCOMPARE(list[0].items[i].continuations, lines[0].items[i].continuations);
        }
    }

    void examplesAreRefusedWhereThereAreNone() {
        TaskSelection selection;
        selection.data = place("data");
        selection.shots = 5;
        QVERIFY(oracle::errorOf([&] {
                    (void)readTasks({"piqa"}, selection);
                }).contains("has no examples"));
        selection.data = kShipped;
        const Task with = readTasks({"mmlu_astronomy"}, selection).front();
        selection.shots = 0;
        const Task without = readTasks({"mmlu_astronomy"}, selection).front();
        const std::string& text = with.items[0].context;
        QVERIFY(
            text.starts_with("The following are multiple choice questions (with answers) about "
                             "astronomy.\n\n"));
        QCOMPARE(pythonMatches("\nAnswer: [ABCD]\n\n", text), 5);
        const std::size_t start = text.rfind("\n\n") + 2;
        QVERIFY(without.items[0].context.ends_with(text.substr(start)));
        selection.shots = 6;
        QVERIFY(oracle::errorOf([&] {
                    (void)readTasks({"mmlu_astronomy"}, selection);
                }).contains("5 are there"));
    }
};

QTEST_GUILESS_MAIN(TestTasks)
#include "tst_tasks.moc"
