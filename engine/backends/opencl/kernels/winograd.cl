// SPDX-License-Identifier: MIT
// Convolutions of 3x3 taps by Winograd's F(2x2, 3x3): a tile of 4x4 of the image d and a filter g give 2x2 results,
//   results = Aᵀ [ (G g Gᵀ) ∘ (Bᵀ d B) ] A,
// where ∘ goes over sixteen points, and each point is a matmul over the channels (gemm.cl). Transformed values are stored by
// point: filters [16][outputs][channels], images [16][channels][tiles], results [16][outputs][tiles]. One band of tiles is
// processed at a time.

typedef struct {
  int channels, height, width, outputs, out_height, out_width, pad_y, pad_x;
  int tiles_x, tiles, first_row;  // tiles in a row and in the band, and the band's first row of tiles
  int biased;
} Winograd;

// count: outputs · channels.
kernel void filters(global const float* w, int ow, global float* u, int count) {
  const int i = get_global_id(0);
  if (i >= count) return;
  global const float* g = w + ow + (long)i * 9;
  float t[4][3];
  for (int c = 0; c < 3; ++c) {
    t[0][c] = g[c];
    t[1][c] = 0.5f * (g[c] + g[3 + c] + g[6 + c]);
    t[2][c] = 0.5f * (g[c] - g[3 + c] + g[6 + c]);
    t[3][c] = g[6 + c];
  }
  for (int r = 0; r < 4; ++r) {
    global float* to = u + (long)(4 * r) * count + i;
    to[0] = t[r][0];
    to[count] = 0.5f * (t[r][0] + t[r][1] + t[r][2]);
    to[2L * count] = 0.5f * (t[r][0] - t[r][1] + t[r][2]);
    to[3L * count] = t[r][2];
  }
}

// A work item has one tile of one channel.
kernel void image(global const float* x, int ox, long from, global float* v, Winograd p) {
  const int tile = get_global_id(0), c = get_global_id(1);
  if (tile >= p.tiles || c >= p.channels) return;
  const int row = tile / p.tiles_x, y0 = (p.first_row + row) * 2 - p.pad_y, x0 = (tile - row * p.tiles_x) * 2 - p.pad_x;
  global const float* plane = x + ox + from + (long)c * p.height * p.width;
  float d[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int y = y0 + i, z = x0 + j;
      const int inside = y >= 0 && y < p.height && z >= 0 && z < p.width;
      const float value = plane[inside ? y * p.width + z : 0];
      d[i][j] = inside ? value : 0.0f;
    }
  float t[4][4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    t[0][j] = d[0][j] - d[2][j];
    t[1][j] = d[1][j] + d[2][j];
    t[2][j] = d[2][j] - d[1][j];
    t[3][j] = d[1][j] - d[3][j];
  }
  const long point = (long)p.channels * p.tiles;
  global float* to = v + (long)c * p.tiles + tile;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[(4 * i) * point] = t[i][0] - t[i][2];
    to[(4 * i + 1) * point] = t[i][1] + t[i][2];
    to[(4 * i + 2) * point] = t[i][2] - t[i][1];
    to[(4 * i + 3) * point] = t[i][1] - t[i][3];
  }
}

// A work item has the 2x2 results of one tile of one output channel.
kernel void results(global const float* m, global const float* bias, int os, global float* out, int oo, long from, Winograd p) {
  const int tile = get_global_id(0), o = get_global_id(1);
  if (tile >= p.tiles || o >= p.outputs) return;
  const long point = (long)p.outputs * p.tiles;
  global const float* at = m + (long)o * p.tiles + tile;
  float t[2][4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float m0 = at[j * point], m1 = at[(4 + j) * point], m2 = at[(8 + j) * point], m3 = at[(12 + j) * point];
    t[0][j] = m0 + m1 + m2;
    t[1][j] = m1 - m2 - m3;
  }
  const float offset = p.biased ? bias[os + o] : 0.0f;
  const int row = tile / p.tiles_x, y = (p.first_row + row) * 2, z = (tile - row * p.tiles_x) * 2;
  global float* to = out + oo + from + ((long)o * p.out_height + y) * p.out_width + z;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if (y + i >= p.out_height) break;
    to[i * p.out_width] = t[i][0] + t[i][1] + t[i][2] + offset;
    if (z + 1 < p.out_width) to[i * p.out_width + 1] = t[i][1] - t[i][2] - t[i][3] + offset;
  }
}
