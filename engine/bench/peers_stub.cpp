// SPDX-License-Identifier: MIT
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {

Peer onednn_gemm(Number, int64_t, int64_t, int64_t) { return {}; }
Peer dnnl_sgemm_product(int64_t, int64_t, int64_t, const float*, const float*) { return {}; }
Peer dnnl_conv(const ConvShape&, bool) { return {}; }
Peer dnnl_byte_conv(const ConvShape&) { return {}; }
Peer dnnl_conv_transpose(const ConvShape&) { return {}; }
Peer dnnl_pool(const ConvShape&, bool) { return {}; }
Peer dnnl_soft_max(int64_t, int64_t) { return {}; }
Peer dnnl_layer_norm(int64_t, int64_t) { return {}; }
Peer dnnl_row_sums(int64_t, int64_t) { return {}; }
Peer dnnl_transpose(int64_t, int64_t) { return {}; }
Peer dnnl_function(Function, int64_t) { return {}; }

}  // namespace arenascope::cpu_bench
