/* mt-simd-neon.h — the words of mt-simd.h for four floats of NEON, which every 64-bit Arm has.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define TARGET
#define SIMD(name) name##_neon
#define SIMD_NAME  "neon"
#define LANES      4
#define VEC        float32x4_t

static inline __attribute__((always_inline)) float
neon_reduce_add(float32x4_t v)
{
  const float32x4_t pairs = vpaddq_f32(v, v);
  return vgetq_lane_f32(vpaddq_f32(pairs, pairs), 0);
}

/* Four times neon_reduce_add, bit for bit. */
static inline __attribute__((always_inline)) float32x4_t
neon_reduce_add_4(float32x4_t a, float32x4_t b, float32x4_t c, float32x4_t d)
{
  return vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d));
}

/* a where it is greater, else b: also where one of them is no number, as on other processors. */
static inline __attribute__((always_inline)) float32x4_t
neon_max(float32x4_t a, float32x4_t b)
{
  return vbslq_f32(vcgtq_f32(a, b), a, b);
}

static inline __attribute__((always_inline)) float32x4_t
neon_load_tail(const float *p, size_t n)
{
  const float32x2_t none = vdup_n_f32(0);
  if (n < 2)
    return vcombine_f32(n ? vld1_lane_f32(p, none, 0) : none, none);
  return vcombine_f32(vld1_f32(p), n > 2 ? vld1_lane_f32(p + 2, none, 0) : none);
}

static inline __attribute__((always_inline)) void
neon_store_tail(float *p, float32x4_t v, size_t n)
{
  if (n & 2) {
    vst1_f32(p, vget_low_f32(v));
    if (n & 1)
      vst1q_lane_f32(p + 2, v, 2);
  } else if (n & 1) {
    vst1q_lane_f32(p, v, 0);
  }
}

/* 2^m by writing m into the exponent field. */
static inline __attribute__((always_inline)) float32x4_t
neon_exp_scale(float32x4_t v, float32x4_t m)
{
  const int32x4_t exponent = vaddq_s32(vcvtq_s32_f32(m), vdupq_n_s32(127));
  return vmulq_f32(v, vreinterpretq_f32_s32(vshlq_n_s32(exponent, 23)));
}

static inline __attribute__((always_inline)) unsigned
neon_mask_above(float32x4_t a, float32x4_t b)
{
  static const uint32_t bits[4] = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(vcgtq_f32(a, b), vld1q_u32(bits)));
}

static inline __attribute__((always_inline)) float32x4_t
neon_zero_below(float32x4_t v, float32x4_t x, float least)
{
  const uint32x4_t is_below = vcltq_f32(x, vdupq_n_f32(least));
  return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(v), is_below));
}

#define LOAD(p)                 vld1q_f32(p)
#define STORE(p, v)             vst1q_f32(p, v)
#define SET1(x)                 vdupq_n_f32(x)
#define ADD(a, b)               vaddq_f32(a, b)
#define SUB(a, b)               vsubq_f32(a, b)
#define MUL(a, b)               vmulq_f32(a, b)
#define DIV(a, b)               vdivq_f32(a, b)
#define MAX(a, b)               neon_max(a, b)
#define FMA(a, b, c)            vfmaq_f32(c, a, b)
#define REDUCE_ADD(v)           neon_reduce_add(v)
#define REDUCE_MAX(v)           vmaxvq_f32(v)
#define REDUCE_ADD_4            neon_reduce_add_4
#define SUMS(v)                 neon_reduce_add_4((v)[0], (v)[1], (v)[2], (v)[3])
#define LOAD_DOUBLES(p)         __builtin_convertvector(mt_four_load(p), mt_doubles)
#define LOAD_F16(p)             vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)))
#define LOAD_PAIRS(p)           vld1q_u32(p)
#define FIRST_OF(v)             vreinterpretq_f32_u32(vandq_u32(v, vdupq_n_u32(0xffff0000)))
#define SECOND_OF(v)            vreinterpretq_f32_u32(vshlq_n_u32(v, 16))
#define LOAD_TAIL(p, n)         neon_load_tail(p, n)
#define STORE_TAIL(p, v, n)     neon_store_tail(p, v, n)
#define ROUND(v)                vrndnq_f32(v)
#define EXP_SCALE(v, m)         neon_exp_scale(v, m)
#define MASK_ABOVE(a, b)        neon_mask_above(a, b)
#define ZERO_BELOW(v, x, least) neon_zero_below(v, x, least)
