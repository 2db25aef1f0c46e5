#include "app/cli/bench/bench_allocation.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/storage_setting.h"
#include "app/cli/measured_run.h"
#include "core/allocation/allocation_rule.h"
#include "core/run/resolve_specification.h"

namespace cospadi::cli {

namespace {

constexpr const char* kBenchTag = "bench-allocation";

std::vector<StorageSetting> allocationSettings(bool quick) {
    std::vector<StorageSetting> all;
    for (const Accounting accounting :
         {Accounting::Eq11, Accounting::Packed, Accounting::Packed8}) {
        for (const double rho : {2.0, 3.0}) {
            for (const double cr : {0.2, 0.4}) {
                if (!quick || (rho == 3 && cr == 0.2)) {
                    all.push_back({accounting, rho, cr});
                }
            }
        }
    }
    return all;
}

RunSpecification settingSpecification(const AllocationBenchOptions& options,
                                      const StorageSetting& setting,
                                      const AllocationRule& allocation) {
    RunSpecification specification;
    specification.model = options.model;
    if (!options.layers.empty()) {
        specification.layers = options.layers;
    }
    specification.accounting = setting.accounting;
    specification.rho = setting.rho;
    specification.cr = setting.cr;
    specification.allocation = &allocation;
    return specification;
}

}  // namespace

int benchAllocation(const Session& session, const AllocationBenchOptions& options) {
    std::vector<Check> checks;
    std::string table = fmt::format(
        "accounting,rho,cr,uniform_bytes,{0}_bytes,uniform_perplexity,{0}_perplexity,"
        "uniform_seconds,{0}_seconds\n",
        options.rule);
    const std::vector<StorageSetting> grid = allocationSettings(options.quick);
    for (std::size_t i = 0; i < grid.size(); ++i) {
        const StorageSetting& setting = grid[i];
        const std::string title =
            fmt::format("{} ρ {} CR {}", name(setting.accounting), setting.rho, setting.cr);
        fmt::print(stderr, "[{}/{}] {}\n", i + 1, grid.size(), title);
        const auto measured = [&](const AllocationRule& allocation) {
            return measuredRun(session,
                               resolved(settingSpecification(options, setting, allocation)),
                               kBenchTag, options.maxTokens);
        };
        const auto uniform = measured(uniformRule());
        const auto shared = uniform ? measured(allocationFromName(options.rule)) : std::nullopt;
        if (!shared) {
            return kCancelled;
        }
        table += fmt::format("{},{},{},{},{},{:.4f},{:.4f},{:.1f},{:.1f}\n",
                             name(setting.accounting), setting.rho, setting.cr, uniform->run.bytes,
                             shared->run.bytes, uniform->perplexity, shared->perplexity,
                             uniform->run.seconds, shared->run.seconds);
        const double ratio = shared->perplexity / uniform->perplexity;
        checks.push_back({title, shared->perplexity, "perplexity", "uniform", uniform->perplexity,
                          ratio, 1.0, ratio <= 1.0 && shared->run.bytes <= uniform->run.bytes});
    }
    if (!options.csv.empty()) {
        std::ofstream out(options.csv);
        out << table;
        if (!out.flush()) {
            throw Error("cannot be written", options.csv, "choose another file");
        }
    }
    return publishChecks(session, checks,
                         fmt::format("perplexity of the first {} tokens of WikiText-2 test; bytes "
                                     "of {} are at most those of uniform\n",
                                     options.maxTokens, options.rule));
}

}  // namespace cospadi::cli
