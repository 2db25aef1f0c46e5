#include "core/report/report.h"

#include <fmt/format.h>

#include "app/cli/session.h"
#include "core/store/locations.h"

namespace cospadi::cli {

namespace {

int report(const Session& session, const std::string& preset, const std::string& format) {
    const ReportTable table = buildReport(RunStore::open(storePath()), preset);
    if (!session.json) {
        session.print(render(table, reportFormatFromName(format)), {});
        return kOk;
    }
    nlohmann::json rows = nlohmann::json::array();
    for (const ReportRow& row : table.rows) {
        nlohmann::json object;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            nlohmann::json& cell = object[table.columns[c].name];
            std::visit(
                [&cell](const auto& value) {
                    if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
                        cell = value;
                    }
                },
                row.cells[c]);
        }
        rows.push_back(object);
    }
    session.print("", {{"preset", preset}, {"rows", rows}});
    return kOk;
}

}  // namespace

void addReport(CLI::App& app, Session& session) {
    auto* command = app.add_subcommand("report", "Tables of stored results");
    auto preset = std::make_shared<std::string>("demo");
    auto format = std::make_shared<std::string>("table");
    std::string presets;
    for (const ReportPreset& p : reportPresets()) {
        presets += fmt::format("{}{}: {}", presets.empty() ? "" : "; ", p.name, p.description);
    }
    command->add_option("--preset", *preset, presets)->capture_default_str();
    command->add_option("--format", *format, "table, csv, md or latex")->capture_default_str();
    finishCommand(command, session,
                  [&session, preset, format] { return report(session, *preset, *format); });
}

}  // namespace cospadi::cli
