#include "gpu/peers/peer.hpp"

namespace rtindex::bench {

std::vector<std::unique_ptr<GpuPeer>> gpu_peers() {
  std::vector<std::unique_ptr<GpuPeer>> peers;
#if defined(RTINDEX_HAS_WARPCORE)
  peers.push_back(warpcore_peer());
#endif
#if defined(RTINDEX_HAS_MVGPUBTREE)
  peers.push_back(mvgpubtree_peer());
#endif
  return peers;
}

}  // namespace rtindex::bench
