// The engine behind `cospadi serve`: completions, scores, sampling, batches and shared prefixes,
// against the float64 references of the same models; and recorded traffic of lm-eval.
#include <cmath>

#include "core/serving/completion_inbox.h"
#include "core/serving/completion_scheduler.h"
#include "core/serving/prefix_cache.h"
#include "core/serving/stop_text.h"
#include "core/serving/token_choice.h"
#include "core/tokenizer/decode_stream.h"
#include "http_client.h"
#include "served_model.h"
#include "tests/registered_test.h"

namespace tst_serving {

using namespace cospadi;
using nlohmann::json;
using Ids = std::vector<std::int32_t>;

namespace {

struct Completed {
    std::vector<TokenScore> prompt, generated;
    std::string text;
    FinishReason finish = FinishReason::Failed;
    std::string failure;
    std::int64_t cached = 0;
};

std::vector<Completed> complete(CompletionScheduler& scheduler,
                                const std::vector<CompletionRequest>& requests) {
    CompletionInbox inbox;
    CompletionTicket ticket;
    const auto refusal = scheduler.submit(
        requests, [&](CompletionEvent event) { inbox.put(std::move(event)); }, ticket);
    std::vector<Completed> all(requests.size());
    if (refusal != CompletionScheduler::Refusal::None) {
        return all;
    }
    for (std::size_t open = requests.size(); open > 0;) {
        CompletionEvent event = inbox.take(std::chrono::seconds(60)).value();
        Completed& one = all[event.index];
        std::move(event.prompt.begin(), event.prompt.end(), std::back_inserter(one.prompt));
        std::move(event.generated.begin(), event.generated.end(),
                  std::back_inserter(one.generated));
        one.text += event.text;
        if (event.finish) {
            one.finish = *event.finish;
            one.failure = event.failure;
            one.cached = event.cachedTokens;
            --open;
        }
    }
    return all;
}

CompletionRequest scored(Ids prompt, std::int64_t maxTokens = 1) {
    CompletionRequest request;
    request.prompt = std::move(prompt);
    request.maxTokens = maxTokens;
    request.scorePrompt = true;
    return request;
}

// Numbers within `tolerance`, all else equal. Fields that depend on the moment are left out, and
// those where the recorded server did more than it was asked (it generated past its stop string).
QString difference(const json& expected, const json& found, double tolerance,
                   const std::string& path = "") {
    if (expected.is_number_float() && found.is_number_float()) {
        const double apart = std::abs(expected.get<double>() - found.get<double>());
        return apart <= tolerance ? QString()
                                  : QString::fromStdString(path) + QString(" by %1").arg(apart);
    }
    if (expected.is_structured() && found.type() == expected.type() &&
        (expected.is_object() || found.size() == expected.size())) {
        for (const auto& [key, value] : expected.items()) {
            if (key == "created" || key == "id" || key == "max_model_len" || key == "usage") {
                continue;
            }
            const json missing = "missing";
            const json& other = expected.is_array()   ? found[std::stoul(key)]
                                : found.contains(key) ? found[key]
                                                      : missing;
            const QString apart = difference(value, other, tolerance, path + "/" + key);
            if (!apart.isEmpty()) {
                return apart;
            }
        }
        return {};
    }
    return expected == found
               ? QString()
               : QString::fromStdString(path + ": " + expected.dump() + ", not " + found.dump());
}

}  // namespace

class TestServing : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    struct Reference {
        Ids ids, greedy;
        std::int64_t length = 0;
        std::vector<float> logits;
    };
    static Reference reference() {
        const auto file =
            SafetensorsFile::open(oracle::file("arch/a_llama_gqa") / "oracle.safetensors");
        return {oracle::values<std::int32_t>(file.require("ids")),
                oracle::values<std::int32_t>(file.require("greedy_ids")),
                file.require("ids").shape[1], oracle::values<float>(file.require("logits_seq0"))};
    }

  private slots:
    // Both sequences, several times, in steps much smaller than a prompt: ids of the reference.
    void greedyAsTheReference() {
        const Model model = served::model(m_folder);
        const Reference truth = reference();
        SchedulerOptions options;
        options.stepTokens = 7;
        options.activeSequences = 3;
        CompletionScheduler scheduler(model, options);
        std::vector<CompletionRequest> requests;
        for (std::int64_t copy = 0; copy < 6; ++copy) {
            const auto first = truth.ids.begin() + copy % 2 * truth.length;
            CompletionRequest request;
            request.prompt.assign(first, first + truth.length);
            request.maxTokens = 16;
            requests.push_back(request);
        }
        const auto results = complete(scheduler, requests);
        const auto& ends = model.config().eosIds;
        for (std::size_t r = 0; r < results.size(); ++r) {
            Ids expected(truth.greedy.begin() + static_cast<std::ptrdiff_t>(r % 2 * 16),
                         truth.greedy.begin() + static_cast<std::ptrdiff_t>(r % 2 * 16 + 16));
            const auto end =
                std::find_first_of(expected.begin(), expected.end(), ends.begin(), ends.end());
            if (end != expected.end()) {
                expected.erase(end + 1, expected.end());
            }
            Ids found;
            for (const TokenScore& score : results[r].generated) {
                found.push_back(score.id);
                QCOMPARE(score.top.at(0).second, score.logProbability);  // to the last bit
            }
            QCOMPARE(found, expected);
        }
    }

    // Memory for two requests of 20 tokens: never more under way, and the same tokens as with
    // memory for all.
    void workingMemoryIsBounded() {
        const Model model = served::model(m_folder);
        std::vector<CompletionRequest> requests;
        for (std::int32_t i = 0; i < 7; ++i) {
            CompletionRequest request;
            request.prompt = {5 + i, 6, 7, 8, 9, 10, 11, 12, 13, 14};
            request.maxTokens = 10;
            requests.push_back(request);
        }
        CompletionScheduler unbounded(model, {});
        const auto expected = complete(unbounded, requests);

        const ModelConfig& config = model.config();
        SchedulerOptions options;
        options.workingBytes =
            50 * 4 *
            (2 * config.blocks * config.keyValueHeads * config.headDim + config.hiddenSize);
        CompletionScheduler scheduler(model, options);
        CompletionInbox inbox;
        CompletionTicket ticket;
        std::int64_t most = 0;  // of the scheduler's thread until the last event
        scheduler.submit(
            requests,
            [&](CompletionEvent event) {
                most = std::max(most, scheduler.counts().active);
                inbox.put(std::move(event));
            },
            ticket);
        std::vector<Ids> found(requests.size());
        for (std::size_t open = requests.size(); open > 0;) {
            const CompletionEvent event = inbox.take(std::chrono::seconds(60)).value();
            for (const TokenScore& score : event.generated) {
                found[event.index].push_back(score.id);
            }
            open -= event.finish ? 1 : 0;
        }
        QCOMPARE(most, 2);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            Ids ids;
            for (const TokenScore& score : expected[i].generated) {
                ids.push_back(score.id);
            }
            QCOMPARE(found[i], ids);
        }

        requests.resize(1);
        requests[0].maxTokens = 41;  // 51 tokens
        const QString error = oracle::errorOf([&] {
            scheduler.submit(
                requests, [](const auto&) {}, ticket);
        });
        QVERIFY2(error.contains("max_tokens") && error.contains("50"), qPrintable(error));
        requests[0].maxTokens = 1'000'000;  // as far as the context goes, which is more
        QVERIFY(oracle::errorOf([&] {
                    scheduler.submit(
                        requests, [](const auto&) {}, ticket);
                }).contains("max_tokens"));
    }

    // log-softmax of the reference logits in double, for every token of a prompt.
    void scoresAsTheReference() {
        const Model model = served::model(m_folder);
        const Reference truth = reference();
        const std::int64_t vocabulary = model.config().vocabularySize;
        CompletionScheduler scheduler(model, {});
        CompletionRequest request =
            scored(Ids(truth.ids.begin(), truth.ids.begin() + truth.length));
        request.topTokens = 5;
        const Completed result = complete(scheduler, {request}).at(0);
        QCOMPARE(static_cast<std::int64_t>(result.prompt.size()), truth.length);
        QVERIFY(std::isnan(result.prompt[0].logProbability));
        QVERIFY(result.prompt[0].top.empty());
        double worst = 0;
        for (std::int64_t t = 1; t < truth.length; ++t) {
            const float* column = truth.logits.data() + (t - 1) * vocabulary;
            double sum = 0;
            for (std::int64_t i = 0; i < vocabulary; ++i) {
                sum += std::exp(static_cast<double>(column[i]));
            }
            const TokenScore& score = result.prompt[static_cast<std::size_t>(t)];
            const auto expected = [&](std::int32_t id) {
                return static_cast<double>(column[id]) - std::log(sum);
            };
            worst = std::max(worst, std::abs(score.logProbability - expected(score.id)));
            QCOMPARE(score.top.size(), std::size_t{5});
            for (std::size_t k = 0; k < 5; ++k) {
                worst =
                    std::max(worst, std::abs(score.top[k].second - expected(score.top[k].first)));
                QVERIFY(k == 0 || score.top[k].second <= score.top[k - 1].second);
            }
        }
        qInfo("largest deviation of a log probability: %.2e", worst);
        QVERIFY(worst < 1e-4);
        QCOMPARE(result.generated.size(), std::size_t{1});
    }

    // The choices of one question, asked at once: their context is computed once.
    void sharedContextIsComputedOnce() {
        const Model model = served::model(m_folder);
        const Reference truth = reference();
        const Ids context(truth.ids.begin(), truth.ids.begin() + 60);
        std::vector<CompletionRequest> requests;
        std::vector<Completed> apart;
        for (std::int32_t choice = 0; choice < 4; ++choice) {
            Ids prompt = context;
            prompt.insert(prompt.end(), {10 + choice, 20, 30});
            requests.push_back(scored(prompt));
            SchedulerOptions alone;
            alone.cacheBytes = 0;
            CompletionScheduler fresh(model, alone);
            apart.push_back(complete(fresh, {requests.back()}).at(0));
            QCOMPARE(fresh.counts().computedTokens, 63);
        }
        CompletionScheduler scheduler(model, {});
        const auto together = complete(scheduler, requests);
        QCOMPARE(scheduler.counts().computedTokens, 60 + 4 * 3);
        QCOMPARE(scheduler.counts().cachedTokens, 3 * 60);
        for (std::size_t choice = 0; choice < 4; ++choice) {
            QCOMPARE(together[choice].prompt.size(), std::size_t{63});
            for (std::size_t t = 1; t < 63; ++t) {
                const TokenScore& a = apart[choice].prompt[t];
                const TokenScore& b = together[choice].prompt[t];
                QVERIFY(a.id == b.id && a.top.at(0).first == b.top.at(0).first);
                QVERIFY(std::abs(a.logProbability - b.logProbability) < 1e-4);
            }
        }
        // The same again: nothing at all is computed for the one that is kept whole.
        const auto again = complete(scheduler, {requests[0]});
        QCOMPARE(scheduler.counts().computedTokens, 60 + 4 * 3);
        QCOMPARE(again[0].cached, 63);
        for (std::size_t t = 1; t < 63; ++t) {
            QCOMPARE(again[0].prompt[t].logProbability, together[0].prompt[t].logProbability);
        }
        QCOMPARE(again[0].generated[0].id, together[0].generated[0].id);
    }

    // A conversation that grows: each turn begins with all that was said before.
    void growingPromptIsContinued() {
        const Model model = served::model(m_folder);
        CompletionScheduler scheduler(model, {});
        CompletionRequest request;
        request.prompt = {5, 6, 7, 8, 9, 10, 11, 12};
        request.maxTokens = 5;
        const Completed first = complete(scheduler, {request}).at(0);
        const std::int64_t computed = scheduler.counts().computedTokens;
        for (const TokenScore& score : first.generated) {
            request.prompt.push_back(score.id);
        }
        request.prompt.push_back(40);
        const Completed second = complete(scheduler, {request}).at(0);
        // The last generated token was never computed: nothing came after it.
        QCOMPARE(second.cached, static_cast<std::int64_t>(request.prompt.size()) - 2);
        QVERIFY(scheduler.counts().computedTokens - computed <= 2 + 4);
    }

    void cacheStaysWithinItsBound() {
        const Model model = served::model(m_folder);
        const ModelConfig& config = model.config();
        const auto sequence = [&](std::int32_t first, std::int64_t length) {
            KeyValueCache cache(config);
            cache.reserve(length);
            cache.advance(length);
            Ids ids(static_cast<std::size_t>(length), first);
            return ComputedSequence{ids,
                                    cache.firstTokens(length),
                                    Eigen::MatrixXf::Zero(config.hiddenSize, length),
                                    {},
                                    0};
        };
        const std::int64_t one = sequence(1, 20).bytes();
        PrefixCache cache(3 * one);
        for (std::int32_t id = 1; id <= 3; ++id) {
            cache.insert(sequence(id, 20));
        }
        QCOMPARE(cache.size(), std::size_t{3});
        QCOMPARE(cache.longest(Ids{1, 1, 9}).length, 2);  // 1 counts as used now
        cache.insert(sequence(4, 20));                    // drops 2
        QCOMPARE(cache.longest(Ids{2}).length, 0);
        QCOMPARE(cache.longest(Ids{1}).length, 1);
        QVERIFY(cache.bytes() <= 3 * one);
        cache.insert(sequence(5, 70));  // larger than the bound
        QCOMPARE(cache.longest(Ids{5}).length, 0);
        cache.insert(sequence(1, 22));  // takes the place of its beginning
        QCOMPARE(cache.longest(Ids(30, 1)).length, 22);
        QVERIFY(cache.bytes() <= 3 * one);
    }

    // Frequencies of 20000 draws against the probabilities of the softmax, by hand.
    void samplingFollowsTheDistribution() {
        Eigen::VectorXf logits(4);
        logits << std::log(0.1F), std::log(0.2F), std::log(0.3F), std::log(0.4F);
        const auto frequencies = [&](double temperature, double topP) {
            std::mt19937_64 random(1);
            std::vector<double> share(4, 0.0);
            for (int draw = 0; draw < 20000; ++draw) {
                share[static_cast<std::size_t>(
                    chooseToken(logits, {temperature, topP, 0}, random))] += 1.0 / 20000;
            }
            return share;
        };
        const auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
            for (std::size_t i = 0; i < a.size(); ++i) {
                if (std::abs(a[i] - b[i]) > 0.015) {
                    return false;
                }
            }
            return true;
        };
        QVERIFY(near(frequencies(1, 1), {0.1, 0.2, 0.3, 0.4}));
        // p² / Σ p²
        QVERIFY(near(frequencies(0.5, 1), {0.01 / 0.3, 0.04 / 0.3, 0.09 / 0.3, 0.16 / 0.3}));
        // The two likeliest reach 0.7.
        QVERIFY(near(frequencies(1, 0.65), {0, 0, 3.0 / 7, 4.0 / 7}));
        QVERIFY(near(frequencies(1, 0.9), {0, 2.0 / 9, 3.0 / 9, 4.0 / 9}));
        QVERIFY(near(frequencies(1, 0), {0, 0, 0, 1}));
        QVERIFY(near(frequencies(0, 1), {0, 0, 0, 1}));
        logits[2] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(oracle::errorOf([&] { scoreToken(logits, 0, 1); }).contains("not finite"));
    }

    void seedsRepeat() {
        const Model model = served::model(m_folder);
        CompletionScheduler scheduler(model, {});
        CompletionRequest request;
        request.prompt = {5, 6, 7};
        request.maxTokens = 12;
        request.sampling = {1.5, 1, 7};
        const auto idsOf = [&](std::uint64_t seed) {
            request.sampling.seed = seed;
            Ids ids;
            const auto completed = complete(scheduler, {request});
            for (const TokenScore& score : completed.at(0).generated) {
                ids.push_back(score.id);
            }
            return ids;
        };
        QCOMPARE(idsOf(7), idsOf(7));
        QVERIFY(idsOf(7) != idsOf(8));
    }

    void stopStrings_data() {
        QTest::addColumn<QStringList>("stops");
        QTest::addColumn<QString>("text");
        const QString text = "abcabcabdabab\nxyz";
        QTest::newRow("none") << QStringList{} << text;
        QTest::newRow("absent") << QStringList{"nothing"} << text;
        QTest::newRow("one letter") << QStringList{"\n"} << text;
        QTest::newRow("overlapping itself") << QStringList{"abcabd"} << text;
        QTest::newRow("two, one earlier") << QStringList{"yz", "abd"} << text;
        QTest::newRow("one inside another") << QStringList{"bcab", "ca"} << text;
        QTest::newRow("two that end together") << QStringList{"ab", "cab"} << "xcab";
        QTest::newRow("at the beginning") << QStringList{"abc"} << text;
        QTest::newRow("begins at the end") << QStringList{"yzq"} << text;
        QTest::newRow("empty") << QStringList{""} << text;
    }

    // However the text is cut, what comes out is what stands before the first stop string that a
    // reader of one character after another finds complete.
    void stopStrings() {
        QFETCH(const QStringList, stops);
        QFETCH(const QString, text);
        const std::string whole = text.toStdString();
        std::vector<std::string> list;
        for (const QString& stop : stops) {
            list.push_back(stop.toStdString());
        }
        std::size_t end = whole.size();  // of what is kept
        for (std::size_t read = 1; read <= whole.size() && end == whole.size(); ++read) {
            for (const std::string& stop : list) {
                if (!stop.empty() && whole.substr(0, read).ends_with(stop)) {
                    end = std::min(end, read - stop.size());
                }
            }
        }
        for (std::size_t piece = 1; piece <= whole.size(); ++piece) {
            StopText stop(list);
            std::string out;
            for (std::size_t at = 0; at < whole.size() && !stop.found(); at += piece) {
                out += stop.add(whole.substr(at, piece));
            }
            QCOMPARE(stop.found(), end < whole.size());
            out += stop.finish();
            QCOMPARE(out, whole.substr(0, end));
        }
    }

    // A generation with stop words is the one without, cut before the first of them, and it ends
    // with the token that completes the word.
    void stopWordsAcrossTokens() {
        const Model model = served::model(m_folder);
        CompletionScheduler scheduler(model, {});
        CompletionRequest request;
        request.prompt = {5, 6, 7, 8};
        request.maxTokens = 60;
        const Completed plain = complete(scheduler, {request}).at(0);
        // Where each token's text ends.
        DecodeStream decoder(model.tokenizer(), true);
        std::vector<std::size_t> ends;
        std::string text;
        for (const TokenScore& score : plain.generated) {
            text += score.id < model.tokenizer().vocabularySize() ? decoder.add(score.id) : "";
            ends.push_back(text.size());
        }
        QVERIFY(plain.text.starts_with(text));
        int tried = 0;
        for (std::size_t token = 1; token + 1 < ends.size(); ++token) {
            const std::size_t border = ends[token];
            if (border < 2 || border + 2 > text.size()) {
                continue;
            }
            const std::string word = text.substr(border - 2, 4);  // of both sides
            const std::size_t first = text.find(word);
            request.stop = {"\x01 never", word};
            const Completed found = complete(scheduler, {request}).at(0);
            QCOMPARE(found.text, text.substr(0, first));
            QVERIFY(found.finish == FinishReason::Stop);
            const auto last = std::lower_bound(ends.begin(), ends.end(), first + word.size());
            QCOMPARE(static_cast<std::ptrdiff_t>(found.generated.size()), last - ends.begin() + 1);
            ++tried;
        }
        QVERIFY2(tried >= 10, qPrintable(QString::number(tried)));
    }

    // Tokens that end this text, as a chat template's end of turn, beside the model's own.
    void endsOfARequest() {
        const Model model = served::model(m_folder);
        CompletionScheduler scheduler(model, {});
        CompletionRequest request;
        request.prompt = {5, 6, 7, 8};
        request.maxTokens = 30;
        const Completed plain = complete(scheduler, {request}).at(0);
        QVERIFY(plain.generated.size() > 5);
        request.ends = {plain.generated[5].id};
        std::size_t first = 0;
        while (plain.generated[first].id != request.ends[0]) {
            ++first;
        }
        const Completed found = complete(scheduler, {request}).at(0);
        QCOMPARE(found.generated.size(), first + 1);
        QVERIFY(found.finish == FinishReason::Stop);
        QVERIFY(plain.text.starts_with(found.text));
        request.ends.clear();
        request.maxTokens = static_cast<std::int64_t>(first);
        QCOMPARE(found.text, complete(scheduler, {request}).at(0).text);
    }

    void refusedByTheScheduler() {
        const Model model = served::model(m_folder);
        SchedulerOptions options;
        options.waitingPrompts = 2;
        CompletionScheduler scheduler(model, options);
        const auto refusal = [&](const Ids& prompt) {
            return oracle::errorOf([&] { complete(scheduler, {scored(prompt)}); });
        };
        QVERIFY(refusal({}).contains("no tokens"));
        QVERIFY(refusal({512}).contains("512"));
        QVERIFY(refusal({-1}).contains("-1"));
        QVERIFY(refusal(Ids(257, 5)).contains("257"));
        CompletionTicket ticket;
        const std::vector<CompletionRequest> three(3, scored({5}));
        QVERIFY(scheduler.submit(
                    three, [](const CompletionEvent&) {}, ticket) ==
                CompletionScheduler::Refusal::Busy);
        // A prompt that fills the context still gets its one token, and no second one.
        const Completed full = complete(scheduler, {scored(Ids(256, 5), 9)}).at(0);
        QCOMPARE(full.generated.size(), std::size_t{1});
        scheduler.drain();
        QVERIFY(scheduler.submit(
                    {scored({5})}, [](const CompletionEvent&) {}, ticket) ==
                CompletionScheduler::Refusal::Closing);
    }

    // What lm-eval 0.4.13 sent to another server, and what that answered.
    void recordedTraffic() {
        SKIP_WITHOUT_MODEL();
        const Model model = Model::load(*oracle::defaultModel());
        const json samples = oracle::json("http_samples.json");
        const json info = samples.at(0).at("response");
        ServerOptions options;
        options.port = 0;
        ModelServer server(model, info, options);
        const std::jthread thread([&](const std::stop_token& stop) { server.serve(stop); });
        http::Client client(server.port());
        int compared = 0;
        for (const json& sample : samples) {
            const std::string method = sample.at("method");
            const std::string path = sample.at("path");
            std::string headers;
            for (const auto& [name, value] : sample.at("headers").items()) {
                headers += name + ": " + value.get<std::string>() + "\r\n";
            }
            client.send(method == "GET" ? "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                        : http::post(path, sample.at("body").dump(), headers));
            const http::Answer answer = client.answer();
            QCOMPARE(answer.status, sample.at("status").get<int>());
            const json found = answer.json();
            const QString apart = difference(sample.at("response"), found, 1e-3);
            QVERIFY2(apart.isEmpty(), qPrintable(QString::fromStdString(path) + apart));
            if (path == "/v1/completions") {
                QCOMPARE(found["usage"]["prompt_tokens"],
                         sample["response"]["usage"]["prompt_tokens"]);
            }
            ++compared;
        }
        QCOMPARE(compared, 8);
    }
};

COSPADI_TEST(TestServing)

}  // namespace tst_serving

#include "tst_serving.moc"
