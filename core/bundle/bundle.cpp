#include "core/bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/program_revision.h"
#include "core/base/sha256.h"
#include "core/base/temporary_folder.h"
#include "core/bundle/bundle_page.h"
#include "core/bundle/run_numbers.h"
#include "core/report/report.h"
#include "core/run/run_archive.h"
#include "core/store/row_fields.h"
#include "core/store/run_file.h"
#include "core/store/run_settings.h"
#include "core/tensors/atomic_file.h"
#include "cospadi_version.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kIndex = "bundle.json";
constexpr const char* kArchive = "runs.tar";
constexpr int kFormat = 1;

std::vector<RunToArchive> toArchive(const std::vector<RunRow>& runs, const RunStore& store) {
    std::vector<RunToArchive> all;
    for (const RunRow& run : runs) {
        all.push_back({run.id, store.directoryOf(run.id), store.annotations(run.id)});
    }
    return all;
}

// With those that they were made of, where these are still there: a hole elsewhere is told there.
std::vector<RunRow> withSources(std::vector<RunRow> runs, const RunStore& store) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto specification = specificationOf(runs[i]);
        const auto isSource = [&](const RunRow& run) {
            return run.id == specification->derived->from;
        };
        if (!specification || !specification->derived ||
            std::any_of(runs.begin(), runs.end(), isSource)) {
            continue;
        }
        try {
            const RunRow source = store.find(specification->derived->from);
            store.directoryOf(source.id);
            runs.push_back(source);
        } catch (const Error&) {
            continue;
        }
    }
    return runs;
}

void requireFree(const fs::path& folder) {
    std::error_code unreadable;
    if (fs::exists(folder, unreadable) && !fs::is_empty(folder, unreadable)) {
        throw Error("already exists", folder.string(), "choose a new folder");
    }
}

}  // namespace

void writeBundle(const fs::path& folder, const BundleContent& given, const RunStore& store) {
    if (given.runs.empty()) {
        throw Error(
            fmt::format("the {} has no runs of your own", given.isFigure() ? "figure" : "table"),
            folder.string(), "bundle one made from stored runs");
    }
    requireFree(folder);
    BundleContent content = given;
    content.runs = withSources(given.runs, store);
    try {
        const TemporaryFolder temporary = TemporaryFolder::beside(folder);
        const auto write = [&](const std::string& name, const std::string& text) {
            writeFileAtomically(temporary.path() / name, text);
        };
        const std::string name = content.isFigure() ? "figure" : "table";
        if (!content.isFigure()) {
            write(name + ".tex", render(content.table, ReportFormat::Latex));
        }
        write(name + ".csv", render(content.table, ReportFormat::Csv));
        write(name + ".md", render(content.table, ReportFormat::Markdown));
        std::vector<std::string> pictures;
        if (content.isFigure()) {
            pictures = content.drawPictures(temporary.path() / (name + ".csv"));
        }
        write("results.csv", render(numbersTable(content.runs), ReportFormat::Csv));
        ArchiveOptions withoutMatrices;
        withoutMatrices.matrices = false;
        writeRunArchive(temporary.path() / kArchive, toArchive(content.runs, store),
                        withoutMatrices);
        write("README.md", bundlePage(content, pictures, store));
        json files = json::object();
        for (const auto& entry : fs::directory_iterator(temporary.path())) {
            files[entry.path().filename().string()] = sha256OfFile(entry.path());
        }
        write(kIndex, json{{"format", kFormat},
                           {"version", COSPADI_VERSION},
                           {"revision", programRevision()},
                           {"command", content.command},
                           {"files", files}}
                          .dump(1));
        std::error_code ignored;
        fs::remove(folder, ignored);  // an empty one of that name
        fs::rename(temporary.path(), folder);
    } catch (const fs::filesystem_error& error) {
        throw Error("cannot be written: " + error.code().message(), folder.string(),
                    "check the folder and its permissions");
    }
}

bool isBundle(const fs::path& folder) {
    std::error_code unreadable;
    return fs::is_regular_file(folder / kIndex, unreadable);
}

Bundle readBundle(const fs::path& folder) {
    const std::string index = (folder / kIndex).string();
    const json object = readRunJson(index);
    Bundle bundle;
    int format = 0;
    takeField(object, "format", format);
    takeField(object, "version", bundle.version);
    if (format != kFormat) {
        throw Error(fmt::format("has format {}, but this program reads {}", format, kFormat), index,
                    "use the version of the program that it names");
    }
    for (const json& word : listField(object, "command")) {
        bundle.command.push_back(plainText(word));
    }
    const auto named = object.find("files");
    if (named == object.end() || !named->is_object() || !named->contains(kArchive)) {
        throw Error("lists no runs", index,
                    "the file is damaged or was written by another program");
    }
    for (const auto& [name, sum] : named->items()) {
        const fs::path file = folder / fs::path(name).filename();
        if (!sum.is_string() || sha256OfFile(file) != sum.get<std::string>()) {
            throw Error("differs from the bundled file", file.string(),
                        "get the folder again; files changed by hand cannot be reproduced");
        }
    }
    const TemporaryFolder unpacked = TemporaryFolder::unique("cospadi-bundle");
    readRunArchive(folder / kArchive, unpacked.path());
    RunStore store = RunStore::open(unpacked.path() / "cospadi.sqlite");
    store.importTree(unpacked.path());
    RunFilter all;
    all.includeArchived = true;
    bundle.runs = store.list(all);
    for (RunRow& run : bundle.runs) {
        run.directory.clear();
    }
    return bundle;
}

}  // namespace cospadi
