// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/onednn/onednn.h"
#include "engine/backends/cpu/onednn/onednn_conv.h"
#include "engine/backends/cpu/onednn/onednn_matmul.h"

namespace arenascope::cpu {

bool onednn_present() { return false; }

bool onednn_matmul(Range, Range, int64_t, const Lines&, const Lines&, float*, int64_t) { return false; }

std::unique_ptr<OnednnConv> make_onednn_conv(const TensorImpl&) { return nullptr; }

bool onednn_supports_nhwc(const TensorImpl&) { return false; }
bool reads_plain_source(const TensorImpl&) { return false; }

Bytes onednn_conv_work(const TensorImpl&) { return 0; }

std::unique_ptr<OnednnMatmul> make_onednn_matmul(const TensorImpl&) { return nullptr; }
Bytes onednn_matmul_work(const TensorImpl&) { return 0; }

}  // namespace arenascope::cpu
