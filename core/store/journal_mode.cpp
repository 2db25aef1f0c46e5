#include "core/store/journal_mode.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace cospadi {

namespace {

// statfs(2) and linux/magic.h list them.
constexpr std::array<std::uint32_t, 16> kNetworkTypes = {
    0x6969,      // NFS
    0x517b,      // SMB
    0xff534d42,  // CIFS
    0xfe534d42,  // SMB 2
    0x65735546,  // FUSE: sshfs and others; of local ones WAL would do, the rollback journal does,
                 // too
    0x01021997,  // 9P: folders of the host in a virtual machine
    0x5346414f,  // AFS
    0x6b414653,  // AFS, the kernel's own
    0x00c36400,  // Ceph
    0x0bd00bd0,  // Lustre
    0x47504653,  // GPFS
    0x01161970,  // GFS2
    0x7461636f,  // OCFS2
    0x19830326,  // BeeGFS
    0x73757245,  // Coda
    0x786f4256,  // VirtualBox' shared folders
};

}  // namespace

bool isNetworkFileSystem(long type) {
    return std::find(kNetworkTypes.begin(), kNetworkTypes.end(),
                     static_cast<std::uint32_t>(type)) != kNetworkTypes.end();
}

const char* journalModeFor(const std::filesystem::path& folder) {
    struct statfs system {};
    const std::filesystem::path place = folder.empty() ? "." : folder;
    return ::statfs(place.c_str(), &system) == 0 && isNetworkFileSystem(system.f_type) ? "DELETE"
                                                                                       : "WAL";
}

}  // namespace cospadi
