/* mt-positions.c — positional encoding, the paper, section 3.5:
 *
 *     PE(pos, 2i)   = sin(pos / 10000^(2i/d_model))
 *     PE(pos, 2i+1) = cos(pos / 10000^(2i/d_model))
 *
 * Marian computes the same numbers and puts all sines first, then all cosines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-model.h"
#include "paper/mt-changes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Angle per position of pair i, in double: far positions times small errors would show. */
static double
frequency(size_t i, size_t d)
{
  return 1 / pow(10000, 2 * (double) i / (double) d);
}

/* Columns of the sine and the cosine of pair i. */
static void
columns(mt_position_kind kind, size_t i, size_t d, size_t *sine, size_t *cosine)
{
  bool halves = kind == MT_POSITIONS_SINUSOIDAL_HALVES;
  *sine = halves ? i : 2 * i;
  *cosine = halves ? d / 2 + i : 2 * i + 1;
}

/* out [n][d] */
void
mt_positions_sinusoidal(float *out, size_t n, size_t d, mt_position_kind kind)
{
  assert(kind != MT_POSITIONS_LEARNED && d % 2 == 0);
  for (size_t i = 0; i < d / 2; i++) {
    size_t sine, cosine;
    columns(kind, i, d, &sine, &cosine);
    double divisor = pow(10000, 2 * (double) i / (double) d);
    for (size_t p = 0; p < n; p++) {
      out[p * d + sine] = (float) sin((double) p / divisor);
      out[p * d + cosine] = (float) cos((double) p / divisor);
    }
  }
}

/* sin((p+k)w) = cos(kw) sin(pw) + sin(kw) cos(pw) and cos((p+k)w) = -sin(kw) sin(pw) +
 * cos(kw) cos(pw): a rotation by the angle kw, which does not depend on p. out [d][d] */
void
mt_positions_shift(float *out, size_t d, long k, mt_position_kind kind)
{
  assert(kind != MT_POSITIONS_LEARNED && d % 2 == 0);
  memset(out, 0, d * d * sizeof *out);
  for (size_t i = 0; i < d / 2; i++) {
    size_t sine, cosine;
    columns(kind, i, d, &sine, &cosine);
    double angle = (double) k * frequency(i, d);
    out[sine * d + sine] = out[cosine * d + cosine] = (float) cos(angle);
    out[sine * d + cosine] = (float) sin(angle);
    out[cosine * d + sine] = (float) -sin(angle);
  }
}

/* out [d], of any position, before the first, too. */
static void
encode_one(float *out, long position, size_t d, mt_position_kind kind)
{
  for (size_t i = 0; i < d / 2; i++) {
    size_t sine, cosine;
    columns(kind, i, d, &sine, &cosine);
    double angle = (double) position / pow(10000, 2 * (double) i / (double) d);
    out[sine] = (float) sin(angle);
    out[cosine] = (float) cos(angle);
  }
}

void
mt_position_encode(const mt_model *model, mt_stack stack, const mt_change_position *position,
                   float *out)
{
  size_t d = model->config.d_model;
  long p = position->position;
  if (position->is_zero) {
    memset(out, 0, d * sizeof *out);
    return;
  }
  mt_position_kind kind = model->config.position_kind;
  bool interleaves = position->interleaves && kind == MT_POSITIONS_SINUSOIDAL_HALVES;
  if (p < 0 || (size_t) p >= model->config.max_positions) {
    /* Lists that ask for what was not learned are refused (mt_changes_check). */
    assert(kind != MT_POSITIONS_LEARNED);
    encode_one(out, p, d, interleaves ? MT_POSITIONS_SINUSOIDAL_INTERLEAVED : kind);
    return;
  }
  const float *row = model->stacks[stack].positions + (size_t) p * d;
  if (!interleaves)
    memcpy(out, row, d * sizeof *out);
  for (size_t i = 0; interleaves && i < d / 2; i++) {
    out[2 * i] = row[i];
    out[2 * i + 1] = row[d / 2 + i];
  }
}
