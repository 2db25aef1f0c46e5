// Mutated files through the public entry points: each one loads, or ends in a cospadi::Error that
// names the file and says what to do. Never a crash, a hang, another exception, or more memory than
// the file justifies.
//
// COSPADI_FUZZ_CASES   how many in all (default 1000; 5000 takes less than a minute)
// COSPADI_FUZZ_ONLY    one case again, e.g. "gguf:123", as a failure names it; its files are kept
//
// The seed is fixed. Ceilings a case: 1 MiB + 64 times the size of its files (JSON text grows about
// 30-fold when parsed, bytes in a GGUF array eightfold, 2-bit weights twelvefold), counted over
// operator new, and 2 s of processor time (20 s under AddressSanitizer); 64 MiB for any single
// allocation under AddressSanitizer, 1 GiB of address space in all without it.
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <atomic>
#include <csignal>
#include <ctime>
#include <functional>
#include <new>
#include <set>

#include "core/model/forward.h"
#include "core/model/model_info.h"
#include "core/tensors/gguf.h"
#include "core/tensors/safetensors_writer.h"
#include "file_mutations.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

#if defined(__SANITIZE_ADDRESS__)
constexpr double kMaxSeconds = 20;
constexpr bool kSanitized = true;
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=64"; }
#else
constexpr double kMaxSeconds = 2;
constexpr bool kSanitized = false;
#endif

namespace {

std::atomic<std::int64_t> allocated{0};
std::atomic<std::int64_t> peak{0};
std::atomic<std::int64_t> ceilingBytes{INT64_MAX};

void* counted(std::size_t size, std::size_t alignment) {
    const std::int64_t now = allocated + static_cast<std::int64_t>(size);
    if (now > ceilingBytes) {
        peak = now;
        throw std::bad_alloc();
    }
    void* memory = alignment > 16 ? std::aligned_alloc(
                                        alignment, (size + alignment - 1) / alignment * alignment)
                                  : std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    allocated += static_cast<std::int64_t>(malloc_usable_size(memory));
    std::int64_t highest = peak;
    while (highest < allocated && !peak.compare_exchange_weak(highest, allocated)) {
    }
    return memory;
}

void uncounted(void* memory) {
    if (memory != nullptr) {
        allocated -= static_cast<std::int64_t>(malloc_usable_size(memory));
        std::free(memory);
    }
}

char currentCase[64] = "";

void onAlarm(int) {
    constexpr char kText[] = "tst_fuzz_files: a case hangs: ";
    static_cast<void>(!write(STDERR_FILENO, kText, sizeof kText - 1));
    static_cast<void>(!write(STDERR_FILENO, currentCase, std::strlen(currentCase)));
    _exit(99);
}

double processorSeconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, 16); }
void* operator new[](std::size_t size) { return counted(size, 16); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    try {
        return counted(size, 16);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
    return operator new(size, tag);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { uncounted(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { uncounted(memory); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { uncounted(memory); }

using namespace cospadi;
using mutations::Dice;

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSeed = 20261121;
const fs::path kData = COSPADI_TEST_DATA;

void put(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

std::int64_t bytesIn(const fs::path& folder) {
    std::int64_t sum = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        sum += entry.is_regular_file() ? static_cast<std::int64_t>(entry.file_size()) : 0;
    }
    return sum;
}

// What a program does with a model that it could load.
void use(const Model& model, ThreadPool& pool) {
    ForwardPass pass(model, pool);
    const std::int32_t ids[] = {0, 0, 0};
    static_cast<void>(pass.logits(pass.hiddenStates(ids, 3)));
    if (model.hasTokenizer()) {
        const auto text = model.tokenizer().encode("The dog, 日本 <|end|> 123", true, true);
        static_cast<void>(model.tokenizer().decode(text));
    }
}

}  // namespace

class TestFuzzFiles : public QObject {
    Q_OBJECT

    ThreadPool m_pool{2};
    int m_cases = 1000;
    QString m_only;

    struct Outcome {
        int loaded = 0;
        int refused = 0;
        std::int64_t peakBytes = 0;
        double slowest = 0;
        std::set<std::string> problems;
    };

    // Empty, or what is wrong.
    QString runCase(const fs::path& folder, const std::function<void()>& load, Outcome& outcome) {
        QString failure;
        const std::int64_t before = allocated;
        const std::int64_t allowance = (1 << 20) + 64 * bytesIn(folder);
        peak = before;
        ceilingBytes = before + allowance;
        const double begin = processorSeconds();
        alarm(120);
        try {
            load();
            ++outcome.loaded;
        } catch (const Error& error) {
            ceilingBytes = INT64_MAX;
            ++outcome.refused;
            outcome.problems.insert(error.problem());
            if (error.where().find(folder.string()) == std::string::npos || error.hint().empty()) {
                failure = QString("no file or no hint: ") + error.what();
            }
        } catch (const std::bad_alloc&) {
            ceilingBytes = INT64_MAX;
            failure = QString("asks for %1 bytes").arg(peak - before);
        } catch (const std::exception& error) {
            ceilingBytes = INT64_MAX;
            failure = QString("is no cospadi::Error: ") + error.what();
        }
        alarm(0);
        ceilingBytes = INT64_MAX;
        const double seconds = processorSeconds() - begin;
        outcome.slowest = std::max(outcome.slowest, seconds);
        outcome.peakBytes = std::max(outcome.peakBytes, peak - before);
        if (failure.isEmpty() && seconds > kMaxSeconds) {
            failure = QString("takes %1 s").arg(seconds);
        }
        return failure;
    }

    // share: percent of all cases. prepare writes the files of a case into the folder.
    void fuzz(const char* kind, int share,
              const std::function<void(const fs::path&, Dice&)>& prepare,
              const std::function<void(const fs::path&)>& load) {
        Outcome outcome;
        int ran = 0;
        for (int i = 0; i < m_cases * share / 100; ++i) {
            std::snprintf(currentCase, sizeof currentCase, "%s:%d", kind, i);
            if (!m_only.isEmpty() && m_only != currentCase) {
                continue;
            }
            QTemporaryDir place;
            place.setAutoRemove(m_only.isEmpty());
            const fs::path folder = place.path().toStdString();
            Dice dice(kSeed + static_cast<std::uint64_t>(i) * 256 +
                      static_cast<unsigned char>(kind[0]));
            prepare(folder, dice);
            const QString failure = runCase(
                folder, [&] { load(folder); }, outcome);
            ++ran;
            QVERIFY2(failure.isEmpty(), qPrintable(QString("%1 %2").arg(currentCase, failure)));
        }
        qInfo(
            "%s: %d cases, %d load, %d refused with %zu different messages; peak %.1f MiB, "
            "slowest %.3f s",
            kind, ran, outcome.loaded, outcome.refused, outcome.problems.size(),
            static_cast<double>(outcome.peakBytes) / (1 << 20), outcome.slowest);
        QCOMPARE(outcome.loaded + outcome.refused, ran);
        if (m_only.isEmpty() && m_cases >= 1000) {  // the damage reaches deep, but not always
            QVERIFY(outcome.loaded > 0 && outcome.refused > ran / 10);
            QVERIFY(outcome.problems.size() >= 8);
        }
    }

    void loadAndUse(const fs::path& path) {
        static_cast<void>(inspectModel(path));
        use(Model::load(path, {&m_pool, {}}), m_pool);
    }

  private slots:
    void initTestCase() {
        m_only = qEnvironmentVariable("COSPADI_FUZZ_ONLY");
        if (qEnvironmentVariableIsSet("COSPADI_FUZZ_CASES")) {
            m_cases = qEnvironmentVariableIntValue("COSPADI_FUZZ_CASES");
        }
        std::signal(SIGALRM, onAlarm);
        // Once through everything, so that what is made once is not counted for a case.
        loadAndUse(kData / "fuzz/byte_level.gguf");
        static_cast<void>(Tokenizer::fromJson(kData / "fuzz/byte_level.json").encode("a b"));
        static_cast<void>(Tokenizer::fromJson(kData / "fuzz/byte_fallback.json").encode("a b"));
        if (!kSanitized) {
            std::ifstream statm("/proc/self/statm");
            std::uint64_t pages = 0;
            statm >> pages;
            const rlim_t limit = pages * static_cast<std::uint64_t>(getpagesize()) + (1ULL << 30);
            const rlimit address{limit, limit};
            QCOMPARE(setrlimit(RLIMIT_AS, &address), 0);
        }
    }

    void safetensors() {
        const std::string config = oracle::text(kData / "arch/mistral_window/config.json");
        const std::string weights = oracle::text(kData / "arch/mistral_window/model.safetensors");
        fuzz(
            "safetensors", 25,
            [&](const fs::path& folder, Dice& dice) {
                put(folder / "config.json", config);
                put(folder / "model.safetensors",
                    dice.chance(50) ? mutations::damageBytes(weights, {0}, dice)
                                    : mutations::damageSafetensorsHeader(weights, dice));
            },
            [&](const fs::path& folder) {
                static_cast<void>(SafetensorsFile::open(folder / "model.safetensors"));
                loadAndUse(folder);
            });
    }

    void index() {
        const std::string config = oracle::text(kData / "arch/mistral_window/config.json");
        const SafetensorsFile whole =
            SafetensorsFile::open(kData / "arch/mistral_window/model.safetensors");
        QTemporaryDir place;
        const fs::path shards = place.path().toStdString();
        std::vector<TensorToWrite> parts[2];
        nlohmann::json map;
        for (std::size_t i = 0; i < whole.tensors().size(); ++i) {
            const TensorView& view = whole.tensors()[i];
            parts[i % 2].push_back({view.name, view.dtype, view.shape, view.bytes});
            map[view.name] = i % 2 == 0 ? "a.safetensors" : "b.safetensors";
        }
        writeSafetensors(shards / "a.safetensors", parts[0]);
        writeSafetensors(shards / "b.safetensors", parts[1]);
        const std::string text =
            nlohmann::json{{"metadata", {{"total_size", 1}}}, {"weight_map", map}}.dump();
        fuzz(
            "index", 10,
            [&](const fs::path& folder, Dice& dice) {
                put(folder / "config.json", config);
                for (const char* name : {"a.safetensors", "b.safetensors"}) {
                    const std::string content = oracle::text(shards / name);
                    put(folder / name,
                        dice.chance(20) ? mutations::damageBytes(content, {0}, dice) : content);
                }
                put(folder / "model.safetensors.index.json", mutations::damageJsonText(text, dice));
            },
            [&](const fs::path& folder) { loadAndUse(folder); });
    }

    void gguf() {
        const fs::path files[] = {kData / "fuzz/byte_level.gguf", kData / "arch/qwen25/model.gguf",
                                  kData / "arch/llama31_long/model.gguf",
                                  kData / "gguf/blocks_v2_align64.gguf"};
        std::vector<std::string> contents;
        std::vector<std::vector<std::size_t>> fields;
        for (const fs::path& file : files) {
            contents.push_back(oracle::text(file));
            fields.push_back(mutations::ggufFields(contents.back()));
        }
        fuzz(
            "gguf", 25,
            [&](const fs::path& folder, Dice& dice) {
                const std::size_t which = dice.below(contents.size());
                put(folder / "model.gguf",
                    mutations::damageBytes(contents[which], fields[which], dice));
            },
            [&](const fs::path& folder) {
                const GgufFile file = GgufFile::open(folder / "model.gguf");
                for (const TensorView& view : file.tensors()) {
                    if (isFloatLike(view.dtype)) {
                        static_cast<void>(view.toFloat());
                    }
                }
                loadAndUse(folder / "model.gguf");
            });
    }

    void config() {
        const char* variants[] = {"mistral_window", "qwen25", "qwen3", "llama32", "llama_biases"};
        std::vector<std::string> configs;
        for (const char* variant : variants) {
            configs.push_back(oracle::text(kData / "arch" / variant / "config.json"));
            configs.push_back(oracle::text(kData / "arch" / variant / "config_old.json"));
        }
        fuzz(
            "config", 20,
            [&](const fs::path& folder, Dice& dice) {
                const std::size_t which = dice.below(configs.size());
                fs::copy_file(kData / "arch" / variants[which / 2] / "model.safetensors",
                              folder / "model.safetensors");
                put(folder / "config.json", mutations::damageJsonText(configs[which], dice));
            },
            [&](const fs::path& folder) { loadAndUse(folder); });
    }

    void tokenizer() {
        const std::string texts[] = {oracle::text(kData / "fuzz/byte_level.json"),
                                     oracle::text(kData / "fuzz/byte_fallback.json")};
        fuzz(
            "tokenizer", 20,
            [&](const fs::path& folder, Dice& dice) {
                put(folder / "tokenizer.json",
                    mutations::damageJsonText(texts[dice.below(2)], dice));
            },
            [&](const fs::path& folder) {
                const Tokenizer tokenizer = Tokenizer::fromJson(folder / "tokenizer.json");
                const auto ids = tokenizer.encode("The dog, 日本 <|end|></s> 123\n", true, true);
                static_cast<void>(tokenizer.decode(ids));
            });
    }
};

COSPADI_TEST(TestFuzzFiles)

#include "tst_fuzz_files.moc"
