// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/library/library.h"
#include "engine/backends/cpu/library/library_conv.h"
#include "engine/backends/cpu/library/library_product.h"

namespace arenascope::cpu {

bool library_present() { return false; }

bool library_product(Range, Range, int64_t, const Lines&, const Lines&, float*, int64_t) { return false; }

std::unique_ptr<LibraryConv> make_library_conv(const TensorImpl&) { return nullptr; }

bool library_takes_channels_last(const TensorImpl&) { return false; }
bool reads_plain_source(const TensorImpl&) { return false; }

Bytes library_conv_work(const TensorImpl&) { return 0; }

std::unique_ptr<LibraryProduct> make_library_product(const TensorImpl&) { return nullptr; }
Bytes library_product_work(const TensorImpl&) { return 0; }

}  // namespace arenascope::cpu
