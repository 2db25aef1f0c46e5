// Calibration: Gram matrices against float64 references, sampling, cache, bad input.
#include <QProcess>
#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/resources.h"
#include "core/calibration/calibration.h"
#include "core/calibration/gram_accumulator.h"
#include "core/calibration/gram_cache.h"
#include "core/calibration/text_corpus.h"
#include "core/calibration/work_folder.h"
#include "core/model/forward.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_calibration {

using namespace cospadi;

class TestCalibration : public QObject {
    Q_OBJECT

    ThreadPool m_pool;
    QTemporaryDir m_cache;

    CalibrationOptions smallOptions() const {
        CalibrationOptions options;
        options.text = oracle::file("GPL-3.txt");
        options.sequences = 3;
        options.length = 64;
        return options;
    }

  private slots:
    void initTestCase() { qputenv("XDG_CACHE_HOME", m_cache.path().toLocal8Bit()); }

    void gramsMatchReference() {
        SKIP_WITHOUT("arch/a_llama_gqa/gram.safetensors");
        const Model model = Model::load(oracle::file("arch/a_llama_gqa"), {&m_pool, {}});
        const SafetensorsFile expected =
            SafetensorsFile::open(oracle::file("arch/a_llama_gqa/gram.safetensors"));
        const SafetensorsFile reference =
            SafetensorsFile::open(oracle::file("arch/a_llama_gqa/oracle.safetensors"));
        const auto ids = oracle::values<std::int32_t>(reference.require("ids"));
        GramAccumulator accumulator(m_pool);
        ForwardHooks hooks;
        hooks.linearInput = [&](const std::string& key,
                                const Eigen::Ref<const Eigen::MatrixXf>& X) {
            accumulator.accumulate(key, X, 0, 96);
        };
        ForwardPass(model, m_pool).hiddenStates(ids, 96, hooks);
        const auto grams = accumulator.take();
        QCOMPARE(grams.size(), std::size_t{8});
        double worst = 0;
        for (const LayerInfo& layer : model.layers()) {
            const Eigen::MatrixXd& gram = grams.at(layer.gramKey);
            const std::size_t last = layer.gramKey.rfind('.');
            const TensorView& view =
                expected.require(huggingFaceName(layer.block, layer.gramKey.substr(last + 1)));
            const auto values = oracle::values<double>(view);
            const Eigen::Map<const Eigen::MatrixXd> truth(values.data(), gram.rows(), gram.cols());
            worst = std::max(worst, (gram - truth).norm() / truth.norm());
        }
        qInfo("largest relative deviation: %.2e", worst);
        QVERIFY(worst < 1e-5);
    }

    void cacheGivesTheSame() {
        SKIP_WITHOUT_MODEL();
        const Model model = Model::load(*oracle::defaultModel(), {&m_pool, {}});
        CalibrationOptions options = smallOptions();
        std::int64_t reported = 0;
        const auto first =
            calibrate(model, m_pool, options, [&](const Progress& p) { reported = p.done; });
        QVERIFY(first && !first->fromCache);
        QCOMPARE(first->cacheProblem, std::string());
        QCOMPARE(reported, std::int64_t{3 * 30});
        QCOMPARE(first->tokens, std::int64_t{192});
        QCOMPARE(first->keys().size(), std::size_t{120});
        const auto second = calibrate(model, m_pool, options);
        QVERIFY(second && second->fromCache);
        for (const std::string& key : first->keys()) {
            const Eigen::MatrixXd gram = first->gram(key);
            QVERIFY((gram.array() == second->gram(key).array()).all());
            QVERIFY((gram.array() == gram.transpose().array()).all());
        }
        QVERIFY(oracle::errorOf([&] { second->gram("blk.77.attn_q"); }).contains("blk.77"));

        // A damaged cache counts as absent, and is written anew.
        const auto file = gramBlockFile(gramCacheFolder(first->cacheKey), 7);
        std::filesystem::resize_file(file, std::filesystem::file_size(file) - 100);
        const auto third = calibrate(model, m_pool, options);
        QVERIFY(third && !third->fromCache);
        options.seed = 43;
        const auto other = calibrate(model, m_pool, options);
        QVERIFY(other && !other->fromCache && other->cacheKey != first->cacheKey);
        options.useCache = false;
        QVERIFY(!calibrate(model, m_pool, options)->fromCache);
    }

    // One block in memory at a time, and what was let go is made again.
    void aDeferredModelGivesTheSame() {
        SKIP_WITHOUT_MODEL();
        const Model whole = Model::load(*oracle::defaultModel(), {.pool = &m_pool});
        const Model deferred =
            Model::load(*oracle::defaultModel(), {.pool = &m_pool, .deferredAbove = 0});
        CalibrationOptions options = smallOptions();
        options.useCache = false;
        const auto expected = calibrate(whole, m_pool, options);
        const auto grams = calibrate(deferred, m_pool, options);
        QVERIFY(expected && grams && grams->keys() == expected->keys());
        for (const std::string& key : grams->keys()) {
            QVERIFY(grams->gram(key) == expected->gram(key));
        }
        const std::vector<std::int32_t> ids{7, 500, 40000};
        const auto logitsOf = [&](const Model& model) {
            ForwardPass pass(model, m_pool);
            return Eigen::MatrixXf(pass.logits(pass.hiddenStates(ids, 3)));
        };
        const std::string layer = "blk.3.ffn_down";
        const Eigen::MatrixXf logits = logitsOf(whole);
        QVERIFY(deferred.weight(layer) == whole.weight(layer));
        QVERIFY(logitsOf(deferred) == logits);
        deferred.letGo();
        QVERIFY(deferred.weight(layer) == whole.weight(layer));
        QVERIFY(logitsOf(deferred) == logits);
        for (std::size_t i = 0; i < whole.plainTensors().size(); ++i) {
            QVERIFY(deferred.plainTensors()[i].values() == whole.plainTensors()[i].values());
        }
    }

    // Stopped in the middle of a block, again and again, the calibration goes on with that block
    // and ends in the bits of one that was not stopped.
    void resumesAfterAStop() {
        SKIP_WITHOUT_MODEL();
        const Model model = Model::load(*oracle::defaultModel(), {&m_pool, {}});
        CalibrationOptions options = smallOptions();
        options.seed = 77;
        options.sequences = 40;  // two batches a block
        options.useCache = false;
        const auto uninterrupted = calibrate(model, m_pool, options);
        options.useCache = true;
        std::optional<GramSet> resumed;
        std::int64_t starts = 0;
        std::int64_t furthest = 0;
        for (; !resumed && starts < 10; ++starts) {
            std::stop_source stop;
            std::int64_t atFirst = -1;
            resumed = calibrate(
                model, m_pool, options,
                [&](const Progress& p) {
                    atFirst = atFirst < 0 ? p.done : atFirst;
                    furthest = p.done;
                    if (p.done > 330 * (starts + 1)) {
                        stop.request_stop();
                    }
                },
                stop.get_token());
            QVERIFY(starts == 0 || atFirst > 330 * starts);  // not from the beginning
        }
        QVERIFY(resumed && !resumed->fromCache);
        QCOMPARE(starts, std::int64_t{4});
        for (const std::string& key : uninterrupted->keys()) {
            QVERIFY((uninterrupted->gram(key).array() == resumed->gram(key).array()).all());
        }
    }

    // Sums of the first blocks cost those blocks, are found again, and are where more of them, and
    // the whole, go on from.
    void theFirstBlocksAlone() {
        SKIP_WITHOUT_MODEL();
        const Model model = Model::load(*oracle::defaultModel(), {.pool = &m_pool});
        CalibrationOptions options = smallOptions();
        options.seed = 78;
        options.heldOut = 1;
        options.useCache = false;
        const auto expected = calibrate(model, m_pool, options);
        QVERIFY(expected);
        const auto first = [&](std::int64_t blocks, std::int64_t from) {
            std::int64_t least = -1;
            Progress last;
            options.blocks = blocks;
            const auto grams = calibrate(model, m_pool, options, [&](const Progress& p) {
                least = least < 0 ? p.done : least;
                last = p;
            });
            const std::int64_t count = blocks == 0 ? 30 : blocks;
            QVERIFY(grams);
            QCOMPARE(std::ssize(grams->keys()), 4 * count);
            for (const std::string& key : grams->keys()) {
                for (const GramShare share : {GramShare::Fitted, GramShare::HeldOut}) {
                    QVERIFY(grams->gram(key, share) == expected->gram(key, share));
                }
            }
            QCOMPARE(grams->fromCache, from == count);
            if (from < count) {
                QCOMPARE(last.done, count * options.sequences);
                QCOMPARE(last.total, count * options.sequences);
                QVERIFY(least > from * options.sequences);
                QVERIFY(least <= (from + 1) * options.sequences);
            }
        };
        first(3, 0);
        options.useCache = true;
        const std::string key = gramCacheKey(model.sha256(), options);
        QVERIFY(!areGramsCached(key, 1));
        first(3, 0);
        QVERIFY(areGramsCached(key, 3) && !areGramsCached(key, 4) && !areGramsCached(key));
        QVERIFY(*readCachedGram(key, "blk.2.attn_q", 576) == expected->gram("blk.2.attn_q"));
        QVERIFY(!readCachedGram(key, "blk.3.attn_q", 576));
        first(3, 3);
        first(2, 2);
        first(5, 3);
        // What is damaged is made anew.
        const auto file = gramBlockFile(partialOf(gramCacheFolder(key)), 1);
        std::filesystem::resize_file(file, std::filesystem::file_size(file) - 100);
        first(5, 0);
        first(0, 5);
        QVERIFY(areGramsCached(key));
        first(4, 4);
        QVERIFY(!std::filesystem::exists(partialOf(gramCacheFolder(key))));
        // Killed before the whole had its name: nothing is summed again.
        std::filesystem::rename(gramCacheFolder(key), partialOf(gramCacheFolder(key)));
        options.blocks = 0;
        bool sums = false;
        QVERIFY(calibrate(model, m_pool, options, [&](const Progress& /*p*/) { sums = true; }));
        QVERIFY(!sums && areGramsCached(key));
    }

    // A cache that cannot be written costs the cache, not the result.
    void unwritableCache() {
        SKIP_WITHOUT_MODEL();
        const Model model = Model::load(*oracle::defaultModel(), {&m_pool, {}});
        QTemporaryDir place;
        std::ofstream(place.filePath("cospadi").toStdString()) << "in the way";
        const QByteArray before = qgetenv("XDG_CACHE_HOME");
        qputenv("XDG_CACHE_HOME", place.path().toLocal8Bit());
        const auto set = calibrate(model, m_pool, smallOptions());
        qputenv("XDG_CACHE_HOME", before);
        QVERIFY(set && !set->fromCache && !set->cacheProblem.empty());
        CalibrationOptions without = smallOptions();
        without.useCache = false;
        const auto expected = calibrate(model, m_pool, without);
        QVERIFY(expected->cacheProblem.empty());
        QCOMPARE(set->keys(), expected->keys());
        for (const std::string& key : expected->keys()) {
            QVERIFY2(set->gram(key) == expected->gram(key), key.c_str());
        }
    }

    void samplingIsSeeded() {
        SKIP_WITHOUT("tokenizers/smollm_style.json");
        const Tokenizer tokenizer =
            Tokenizer::fromJson(oracle::file("tokenizers/smollm_style.json"));
        CalibrationOptions options = smallOptions();
        const auto first = sampleSequences(tokenizer, options);
        QCOMPARE(first.size(), std::size_t{192});
        QCOMPARE(sampleSequences(tokenizer, options), first);
        options.seed = 7;
        QVERIFY(sampleSequences(tokenizer, options) != first);
        options.sequences = 100000;
        QVERIFY(oracle::errorOf([&] { sampleSequences(tokenizer, options); }).contains("needed"));
    }

    void nanNamesLayerAndSequence() {
        Eigen::MatrixXf X = Eigen::MatrixXf::Random(5, 300);
        X(2, 210) = std::numeric_limits<float>::quiet_NaN();
        X(2, 290) = std::numeric_limits<float>::infinity();
        GramAccumulator accumulator(m_pool);
        const QString error =
            oracle::errorOf([&] { accumulator.accumulate("blk.4.ffn_down", X, 30, 100); });
        QVERIFY2(error.contains("blk.4.ffn_down") && error.contains("sequence 32"),
                 qPrintable(error));
    }

    // As gzip itself writes them; one that ends early or is none is named.
    void compressedTexts() {
        QTemporaryDir folder;
        const auto pathOf = [&](const char* name) { return folder.filePath(name).toStdString(); };
        std::ofstream(pathOf("t.jsonl")) << "{\"text\":\"a\"}\n{\"text\":\"b\\n\"}\n";
        std::ofstream(pathOf("t.txt")) << "a\n\nb\n";
        std::string words;
        for (int i = 0; i < 400'000; ++i) {  // longer than one look at the file
            words += std::to_string(i) + " ";
        }
        std::ofstream(pathOf("long.txt")) << words;
        for (const char* name : {"t.jsonl", "t.txt", "long.txt"}) {
            if (QProcess::execute("gzip", {"-k", folder.filePath(name)}) != 0) {
                QSKIP("there is no gzip on this machine");
            }
        }
        QCOMPARE(readDocuments(pathOf("t.jsonl.gz")), readDocuments(pathOf("t.jsonl")));
        QCOMPARE(readDocuments(pathOf("t.txt.gz")), (std::vector<std::string>{"a\n\n", "b\n"}));
        QVERIFY(readWholeText(pathOf("long.txt.gz")) == words);
        const auto errorOf = [&](const char* name) {
            return oracle::errorOf([&] { readWholeText(pathOf(name)); });
        };
        for (const std::uintmax_t size : {12U, 1000U, 800'000U}) {
            std::filesystem::copy_file(pathOf("long.txt.gz"), pathOf("short.txt.gz"),
                                       std::filesystem::copy_options::overwrite_existing);
            QVERIFY(std::filesystem::file_size(pathOf("short.txt.gz")) > size);
            std::filesystem::resize_file(pathOf("short.txt.gz"), size);
            QVERIFY2(errorOf("short.txt.gz").contains("truncated"),
                     qPrintable(errorOf("short.txt.gz")));
        }
        std::fstream(pathOf("long.txt.gz"), std::ios::in | std::ios::out | std::ios::binary)
                .seekp(5000)
            << "nonsense";
        QVERIFY(errorOf("long.txt.gz").contains("damaged"));
        std::filesystem::rename(pathOf("t.txt"), pathOf("plain.txt.gz"));
        QVERIFY(errorOf("plain.txt.gz").contains("not compressed"));
        QVERIFY(errorOf("nothing.txt.gz").contains("nothing.txt.gz"));
    }

    // The paper's 256 x 1024 tokens, no document twice; the other text that ships is a part of it.
    void textForThePapersTokens() {
        const std::vector<std::string> documents = readDocuments(namedText("web"));
        const std::set<std::string> different(documents.begin(), documents.end());
        QCOMPARE(different.size(), documents.size());
        for (const std::string& document : readDocuments(namedText("c4"))) {
            QVERIFY(different.contains(document));
        }
        SKIP_WITHOUT_MODEL();
        const Model model = Model::load(*oracle::defaultModel(), {&m_pool, {}});
        CalibrationOptions options;
        options.text = namedText("web");
        options.sequences = 256;
        options.length = 1024;
        QCOMPARE(sampleSequences(model.tokenizer(), options).size(), std::size_t{262'144});
        options.text = namedText("c4");
        const QString error = oracle::errorOf([&] { sampleSequences(model.tokenizer(), options); });
        QVERIFY2(error.contains("262144 are needed"), qPrintable(error));
    }

    // Results are kept by the hash of a text: its content says how it is read, not its name.
    void equalBytesAreReadAlike() {
        QTemporaryDir folder;
        const auto pathOf = [&](const char* name) { return folder.filePath(name).toStdString(); };
        const auto put = [&](const char* name, const std::string& bytes) {
            std::ofstream(pathOf(name), std::ios::binary) << bytes;
        };
        const std::string lines = "\n  {\"text\":\"a\"}\n\n{\"page\":\"b\\n\"}\n";
        for (const char* name : {"t.jsonl", "t.txt", "t"}) {
            put(name, lines);
            QCOMPARE(readDocuments(pathOf(name)), (std::vector<std::string>{"a", "b\n"}));
            QCOMPARE(readWholeText(pathOf(name)), std::string("ab\n"));
        }
        put("t.txt", "{\"text\":\"a\"}\nplain\n");
        QVERIFY(oracle::errorOf([&] { readDocuments(pathOf("t.txt")); }).contains("t.txt, line 2"));
        for (const std::string& plain :
             {std::string("{\"x\":1}\n{\"text\":\"a\"}\n"), std::string("[\"text\"]\n"),
              std::string("{\"text\":7}\n"), "{\"text\":" + std::string(1000, '[') + "\n",
              std::string("{\"text\":\"a\",\n \"more\":1}\n"), std::string(" \n\n")}) {
            put("t.txt", plain);
            QCOMPARE(readWholeText(pathOf("t.txt")), plain);
            put("t.jsonl", plain);
            QVERIFY2(oracle::errorOf([&] { readDocuments(pathOf("t.jsonl")); }).contains("t.jsonl"),
                     plain.c_str());
        }
        put("t.jsonl", lines);
        if (QProcess::execute("gzip", {"-k", folder.filePath("t.jsonl")}) != 0) {
            QSKIP("there is no gzip on this machine");
        }
        for (const char* name : {"t.txt", "t.txt.gz"}) {
            std::filesystem::copy_file(pathOf("t.jsonl.gz"), pathOf(name),
                                       std::filesystem::copy_options::overwrite_existing);
            QCOMPARE(readDocuments(pathOf(name)), (std::vector<std::string>{"a", "b\n"}));
        }
    }

    void texts() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("t.jsonl").toStdString();
        std::ofstream(path) << "{\"text\":\"a\"}\n\n{\"page\":\"b\\n\"}\n";
        QCOMPARE(readDocuments(path), (std::vector<std::string>{"a", "b\n"}));
        QCOMPARE(readWholeText(path), std::string("ab\n"));
        std::ofstream(path) << "{\"text\":\"a\"}\n{\"x\":1}\n";
        QVERIFY(oracle::errorOf([&] { readDocuments(path); }).contains("line 2"));
        std::ofstream(path) << "{\"text\":";
        QVERIFY(oracle::errorOf([&] { readDocuments(path); }).contains("line 1"));
        const std::filesystem::path plain = folder.filePath("t.txt").toStdString();
        std::ofstream(plain) << "a\nb\n\n\nc\n";
        QCOMPARE(readDocuments(plain), (std::vector<std::string>{"a\nb\n\n\n", "c\n"}));
        QVERIFY(oracle::errorOf([&] { readWholeText("/no/such/text"); }).contains("/no/such"));
    }
};

COSPADI_TEST(TestCalibration)

}  // namespace tst_calibration

#include "tst_calibration.moc"
