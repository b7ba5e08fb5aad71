// SPDX-License-Identifier: MIT
#include <openjpeg.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "engine/models/onnx/images/image.h"

namespace arenascope::models::images {
namespace {

struct Jpeg2000Source {
  Encoded file;
  size_t at = 0;
};

OPJ_SIZE_T read_part(void* to, OPJ_SIZE_T count, void* user) {
  auto* s = static_cast<Jpeg2000Source*>(user);
  const size_t part = std::min(count, s->file.size() - s->at);
  if (part == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(to, s->file.data() + s->at, part);
  s->at += part;
  return part;
}

OPJ_OFF_T skip(OPJ_OFF_T count, void* user) {
  auto* s = static_cast<Jpeg2000Source*>(user);
  if (count < 0) return -1;
  const auto part = std::min(static_cast<size_t>(count), s->file.size() - s->at);
  s->at += part;
  return static_cast<OPJ_OFF_T>(part);
}

OPJ_BOOL seek(OPJ_OFF_T to, void* user) {
  auto* s = static_cast<Jpeg2000Source*>(user);
  if (to < 0 || static_cast<size_t>(to) > s->file.size()) return OPJ_FALSE;
  s->at = static_cast<size_t>(to);
  return OPJ_TRUE;
}

struct Free {
  void operator()(opj_codec_t* codec) const { opj_destroy_codec(codec); }
  void operator()(opj_image_t* image) const { opj_image_destroy(image); }
};
struct FreeStream {
  void operator()(opj_stream_t* stream) const { opj_stream_destroy(stream); }
};
using Stream = std::unique_ptr<opj_stream_t, FreeStream>;  // the type is void*, as that of a codec

Stream stream_of(Jpeg2000Source& source) {
  Stream stream(opj_stream_create(OPJ_J2K_STREAM_CHUNK_SIZE, OPJ_TRUE));
  if (!stream) return stream;
  opj_stream_set_user_data(stream.get(), &source, nullptr);
  opj_stream_set_user_data_length(stream.get(), source.file.size());
  opj_stream_set_read_function(stream.get(), read_part);
  opj_stream_set_skip_function(stream.get(), skip);
  opj_stream_set_seek_function(stream.get(), seek);
  return stream;
}

// Grey, or red, green and blue, each for every pixel.
Status check_parts(const opj_image_t& from, const Image& image) {
  if (from.numcomps == 0 || (from.numcomps == 2) || from.color_space == OPJ_CLRSPC_SYCC ||
      from.color_space == OPJ_CLRSPC_CMYK || from.color_space == OPJ_CLRSPC_EYCC)
    return Error{"its colours are neither grey nor red, green and blue"};
  for (OPJ_UINT32 c = 0; c < std::min<OPJ_UINT32>(from.numcomps, 3); ++c) {
    const opj_image_comp_t& part = from.comps[c];
    if (part.w != static_cast<OPJ_UINT32>(image.width) || part.h != static_cast<OPJ_UINT32>(image.height) ||
        part.prec < 1 || part.prec > 16)
      return Error{"its colours have sizes or depths of their own"};
  }
  return {};
}

void copy_parts(const opj_image_t& from, Image& image) {
  for (size_t c = 0; c < 3; ++c) {
    const opj_image_comp_t& part = from.comps[from.numcomps >= 3 ? c : 0];
    const int most = (1 << part.prec) - 1, shift = part.sgnd != 0 ? 1 << (part.prec - 1) : 0;
    for (size_t i = 0; i < image.rgb.size() / 3; ++i)
      image.rgb[3 * i + c] = static_cast<uint8_t>((std::clamp(part.data[i] + shift, 0, most) * 255 + most / 2) / most);
  }
}

}  // namespace

Result<Image> decode_jpeg2000(Encoded file) {
  Jpeg2000Source source{file};
  const Stream stream = stream_of(source);
  const std::unique_ptr<opj_codec_t, Free> codec(
      opj_create_decompress(file[0] == 0xFF ? OPJ_CODEC_J2K : OPJ_CODEC_JP2));
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t* read = nullptr;
  if (!stream || !codec || !opj_setup_decoder(codec.get(), &parameters) ||
      !opj_decoder_set_strict_mode(codec.get(), 1) || !opj_read_header(stream.get(), codec.get(), &read))
    return Error{"its header is damaged"};
  const std::unique_ptr<opj_image_t, Free> held(read);
  auto image =
      make_image(static_cast<int64_t>(read->y1) - read->y0, static_cast<int64_t>(read->x1) - read->x0, file.size());
  if (!image) return image.error();
  if (auto ok = check_parts(*read, *image); !ok) return ok.error();
  if (!opj_decode(codec.get(), stream.get(), read) || !opj_end_decompress(codec.get(), stream.get()))
    return Error{"it is damaged"};
  for (OPJ_UINT32 c = 0; c < std::min<OPJ_UINT32>(read->numcomps, 3); ++c)
    if (!read->comps[c].data) return Error{"it is damaged"};
  if (auto ok = check_parts(*read, *image); !ok) return ok.error();
  copy_parts(*read, *image);
  return image;
}

}  // namespace arenascope::models::images
