// SPDX-License-Identifier: MIT
#include <webp/decode.h>

#include "engine/models/onnx/images/image.h"

namespace arenascope::models::images {

Result<Image> decode_webp(Encoded file) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(file.data(), file.size(), &features) != VP8_STATUS_OK) return Error{"its header is damaged"};
  if (features.has_animation != 0) return Error{"it is animated"};
  auto image = make_image(features.height, features.width, file.size());
  if (!image) return image.error();
  if (!WebPDecodeRGBInto(file.data(), file.size(), image->rgb.data(), image->rgb.size(),
                         static_cast<int>(3 * image->width)))
    return Error{"it is damaged"};
  return image;
}

}  // namespace arenascope::models::images
