// Where the data sets of the tasks known by name come from when no folder is named: those that were
// fetched once into the user's data directory, else the samples that ship with the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace cospadi {

// Nothing is created.
std::filesystem::path fetchedDataDirectory();

// For TaskSelection::otherwise: the folder above, then the samples.
std::vector<std::filesystem::path> taskDataPlaces();

// Whether this file, as Task::data names it, is a sample that ships with the program: its figures
// are those of its few items, not of the task.
bool isShippedSample(const std::filesystem::path& data);

// fetchedDataDirectory() where it has a file for each of these tasks, else empty.
std::filesystem::path fetchedDataFor(const std::vector<std::string>& tasks);

struct FetchedData {
    std::string task;
    std::filesystem::path file;
    std::int64_t items = 0;
};

struct FetchOptions {
    std::vector<std::string> tasks;  // empty: all that are known; "mmlu" is all subjects
    // A folder that has the data sets as the hub has them, OWNER/NAME; empty: the hub.
    std::filesystem::path mirror;
};

// Fetches whole data sets with the `datasets` of lm-eval's environment, which is made where it is
// missing. A file appears under its name when it is whole; tasks before the one that fails stay.
// onStep is told what is being done, in words. Throws Error for tasks that are not known, a hub
// that cannot be reached, and when cancelled. Call it from the main thread (child_process.h).
std::vector<FetchedData> fetchTaskData(const FetchOptions& options,
                                       const std::function<void(const std::string&)>& onStep,
                                       const std::stop_token& stop);

// What is to be said where Python's output tells that a data set could not be reached: its name, or
// words in its place. Empty where the output tells something else.
std::string unreachableDataSet(const std::string& output);

}  // namespace cospadi
