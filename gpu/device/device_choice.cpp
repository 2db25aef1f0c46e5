#include "gpu/device/device_choice.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr int kAnyDevice = -1;

std::string cudaVersion(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string gigabytes(std::int64_t bytes) {
    return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

// What is wrong, and what can be done about it.
struct Obstacle {
    std::string problem;
    std::string hint;
};

std::optional<Obstacle> obstacleOfMachine(const CudaRequirements& needed, CudaDriver& driver) {
    if (!needed.built) {
        return Obstacle{"this program was built without CUDA",
                        "build it on a machine with the CUDA toolkit; see docs/gpu.md"};
    }
    const auto version = driver.version();
    if (!version) {
        return Obstacle{"there is no NVIDIA driver on this machine", "install the device's driver"};
    }
    if (*version / 1000 < needed.toolkitVersion / 1000) {
        return Obstacle{fmt::format("the driver is too old: it supports CUDA {}, but this program "
                                    "was built with {} and needs {}.0 or newer",
                                    cudaVersion(*version), cudaVersion(needed.toolkitVersion),
                                    needed.toolkitVersion / 1000),
                        "install a newer driver"};
    }
    if (const std::string problem = driver.problem(); !problem.empty()) {
        return Obstacle{
            "the driver cannot be initialised: " + problem,
            "check that nvidia-smi lists the device, and that you have access to /dev/nvidia*"};
    }
    return std::nullopt;
}

// freeBytes: what the device has free, where nothing is in the way.
std::optional<Obstacle> obstacleOf(const DeviceInfo& device, const CudaRequirements& needed,
                                   CudaDriver& driver, std::int64_t& freeBytes) {
    if (10 * device.major + device.minor < needed.capability) {
        return Obstacle{fmt::format("{} has compute capability {}.{}; this program has code for "
                                    "{}.{} and newer",
                                    device.name, device.major, device.minor, needed.capability / 10,
                                    needed.capability % 10),
                        "use another device"};
    }
    const auto free = driver.freeBytes(device.index);
    if (!free) {
        return Obstacle{fmt::format("{} cannot be opened", device.name),
                        "another program may use it exclusively, or it was lost: see nvidia-smi"};
    }
    if (*free < needed.freeBytes) {
        return Obstacle{fmt::format("{} has only {} of its {} free: other programs use the rest",
                                    device.name, gigabytes(*free), gigabytes(device.totalBytes)),
                        "close them or wait"};
    }
    freeBytes = *free;
    return std::nullopt;
}

int indexOf(const std::string& request) {
    if (request == "cuda") {
        return kAnyDevice;
    }
    int index = kAnyDevice;
    const std::string prefix = "cuda:";
    const char* end = request.data() + request.size();
    if (request.starts_with(prefix)) {
        const auto [stop, status] = std::from_chars(request.data() + prefix.size(), end, index);
        if (status == std::errc{} && stop == end && index >= 0) {
            return index;
        }
    }
    throw Error(fmt::format("'{}' is not a device", request), "--device",
                "use auto, cpu, cuda or cuda:N, with N counted from 0");
}

std::optional<Obstacle> noSuchDevice(int wanted, std::size_t count) {
    if (count == 0) {
        return Obstacle{"the driver lists no device", "check that nvidia-smi lists one"};
    }
    return Obstacle{
        fmt::format(
            "there is no device {}: the driver lists {}", wanted,
            count == 1 ? "one, cuda:0" : fmt::format("{}, cuda:0 to cuda:{}", count, count - 1)),
        "choose one of these"};
}

}  // namespace

DeviceChoice chooseDevice(const std::string& request, const CudaRequirements& needed,
                          CudaDriver& driver) {
    DeviceChoice choice;
    if (request == "cpu") {
        return choice;
    }
    choice.cpuMayTakeOver = request == "auto";
    const int wanted = choice.cpuMayTakeOver ? kAnyDevice : indexOf(request);
    std::optional<Obstacle> obstacle = obstacleOfMachine(needed, driver);
    if (!obstacle) {
        const std::vector<DeviceInfo> devices = driver.devices();
        obstacle = noSuchDevice(wanted, devices.size());
        for (const DeviceInfo& device : devices) {
            if (wanted != kAnyDevice && wanted != device.index) {
                continue;
            }
            obstacle = obstacleOf(device, needed, driver, choice.freeBytes);
            if (!obstacle) {
                choice.device = device;
                return choice;
            }
        }
    }
    if (!choice.cpuMayTakeOver) {
        throw DeviceError(obstacle->problem, "--device " + request,
                          obstacle->hint + "; or use --device cpu");
    }
    choice.reason = obstacle->problem;
    return choice;
}

std::string describe(const DeviceInfo& device) {
    return fmt::format("cuda:{} {}, {:.0f} GB, compute capability {}.{}", device.index, device.name,
                       static_cast<double>(device.totalBytes) / 1e9, device.major, device.minor);
}

}  // namespace cospadi
