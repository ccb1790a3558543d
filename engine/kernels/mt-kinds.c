/* mt-kinds.c — what the kinds of a configuration compute: norms, activations, positions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kinds.h"

#include "base/mt-error.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- The configuration ----------------------------------------------------------------------- */

void
mt_kinds_set_defaults(mt_config *config)
{
  if (!config->family)
    config->family = "marian";
  if (config->norm_epsilon == 0)
    config->norm_epsilon = MT_LAYER_NORM_EPSILON;
  if (config->output_scale == 0)
    config->output_scale = 1;
  for (int s = 0; s < MT_N_STACKS; s++) {
    if (config->d_head[s] == 0)
      config->d_head[s] = config->d_model / config->n_heads[s];
    if (config->score_divisor[s] == 0)
      config->score_divisor[s] = sqrt((double) config->d_head[s]);
  }
}

/* More columns of all heads than any model has: no size of a buffer overflows. */
#define MAX_INNER ((size_t) 1 << 20)

/* Of relative positions: buckets, distances, positions times heads. */
#define MAX_BUCKETS  ((size_t) 1 << 16)
#define MAX_DISTANCE ((size_t) 1 << 30)
#define MAX_UNROLLED ((size_t) 1 << 24)

static bool
check_relative(const mt_config *config, const char *label, mt_error *error)
{
  const size_t n = config->n_buckets, most = config->max_distance;
  if (n < 4 || n > MAX_BUCKETS || n % 2 != 0)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected an even number of 4 to %zu buckets of relative positions, found "
                   "%zu.",
                   label, MAX_BUCKETS, n);
  /* Half of a decoder's buckets are of one distance each. */
  if (most <= n / 2 || most > MAX_DISTANCE)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected relative positions up to a distance of %zu to %zu, since there "
                   "are %zu buckets, found %zu.",
                   label, n / 2 + 1, MAX_DISTANCE, n, most);
  for (int s = 0; s < MT_N_STACKS; s++)
    if (config->max_positions < 1 || config->max_positions > MAX_UNROLLED / config->n_heads[s])
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: expected 1 to %zu relative positions with %zu heads, found %zu.", label,
                     MAX_UNROLLED / config->n_heads[s], config->n_heads[s], config->max_positions);
  return true;
}

bool
mt_kinds_check(const mt_config *config, const char *label, mt_error *error)
{
  const struct {
    const char *what;
    int kind, n;
  } kinds[] = {
      {"norm", (int) config->norm_kind, MT_N_NORM_KINDS},
      {"feed-forward network", (int) config->feed_forward_kind, MT_N_FEED_FORWARD_KINDS},
      {"activation", (int) config->activation, MT_N_ACTIVATIONS},
      {"positions", (int) config->position_kind, MT_N_POSITION_KINDS},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].kind < 0 || kinds[i].kind >= kinds[i].n)
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: expected a known kind of %s, found number %d.", label, kinds[i].what,
                     kinds[i].kind);
  for (int s = 0; s < MT_N_STACKS; s++)
    if (config->d_head[s] < 1 || config->d_head[s] > MAX_INNER / config->n_heads[s])
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: expected heads of 1 to %zu columns, found %zu heads of %zu.", label,
                     MAX_INNER / config->n_heads[s], config->n_heads[s], config->d_head[s]);
  return config->position_kind != MT_POSITIONS_RELATIVE || check_relative(config, label, error);
}

/* ---- Norms ----------------------------------------------------------------------------------- */

/* Whether a norm takes the mean of a row from it first. */
static bool
norm_centres(const mt_config *config)
{
  switch (config->norm_kind) {
  case MT_NORM_LAYER:
    return true;
  case MT_NORM_RMS:
    return false;
  }
  return true;
}

void
mt_norm_row(const mt_config *config, const mt_kernels *kernels, float *out, const float *x,
            const float *gain, const float *bias)
{
  switch (config->norm_kind) {
  case MT_NORM_LAYER:
    kernels->layer_norm(out, x, gain, bias, config->d_model, (float) config->norm_epsilon);
    break;
  case MT_NORM_RMS:
    kernels->rms_norm(out, x, gain, config->d_model, (float) config->norm_epsilon);
    break;
  }
}

static void
layer_norm_back(float *out, const float *x, const float *d_y, const float *gain, size_t d,
                double epsilon, bool adds)
{
  double mean = 0, variance = 0, mean_g = 0, mean_gn = 0;
  for (size_t i = 0; i < d; i++)
    mean += x[i];
  mean /= (double) d;
  for (size_t i = 0; i < d; i++)
    variance += (x[i] - mean) * (x[i] - mean);
  const double inverse = 1 / sqrt(variance / (double) d + epsilon);
  for (size_t i = 0; i < d; i++) {
    const double g = (double) gain[i] * d_y[i];
    mean_g += g;
    mean_gn += g * (x[i] - mean) * inverse;
  }
  mean_g /= (double) d;
  mean_gn /= (double) d;
  for (size_t i = 0; i < d; i++) {
    const double g = (double) gain[i] * d_y[i], n = (x[i] - mean) * inverse;
    out[i] = (adds ? out[i] : 0) + (float) ((g - mean_g - n * mean_gn) * inverse);
  }
}

static void
rms_norm_back(float *out, const float *x, const float *d_y, const float *gain, size_t d,
              double epsilon, bool adds)
{
  double squares = 0, mean_gn = 0;
  for (size_t i = 0; i < d; i++)
    squares += (double) x[i] * x[i];
  const double inverse = 1 / sqrt(squares / (double) d + epsilon);
  for (size_t i = 0; i < d; i++)
    mean_gn += (double) gain[i] * d_y[i] * x[i] * inverse;
  mean_gn /= (double) d;
  for (size_t i = 0; i < d; i++) {
    const double g = (double) gain[i] * d_y[i], n = x[i] * inverse;
    out[i] = (adds ? out[i] : 0) + (float) ((g - n * mean_gn) * inverse);
  }
}

void
mt_norm_back(const mt_config *config, float *out, const float *x, const float *d_y,
             const float *gain, bool adds)
{
  switch (config->norm_kind) {
  case MT_NORM_LAYER:
    layer_norm_back(out, x, d_y, gain, config->d_model, config->norm_epsilon, adds);
    break;
  case MT_NORM_RMS:
    rms_norm_back(out, x, d_y, gain, config->d_model, config->norm_epsilon, adds);
    break;
  }
}

/* Of x[0] … x[d - 1], whatever their type. The mean of an RMS norm is 0. */
#define MEASURE(x)                                              \
  const size_t d = config->d_model;                             \
  double mean = 0, variance = 0;                                \
  for (size_t i = 0; norm_centres(config) && i < d; i++)        \
    mean += (x)[i] / (double) d;                                \
  for (size_t i = 0; i < d; i++)                                \
    variance += ((x)[i] - mean) * ((x)[i] - mean) / (double) d; \
  return (mt_norm_measure)                                      \
  {                                                             \
    mean, sqrt(variance + config->norm_epsilon)                 \
  }

mt_norm_measure
mt_norm_measure_row(const mt_config *config, const float *x)
{
  MEASURE(x);
}

mt_norm_measure
mt_norm_measure_doubles(const mt_config *config, const double *x)
{
  MEASURE(x);
}

void
mt_norm_linear(const mt_config *config, double *u, const float *gain, double sigma)
{
  const size_t d = config->d_model;
  double mean = 0;
  for (size_t i = 0; norm_centres(config) && i < d; i++)
    mean += u[i] / (double) d;
  for (size_t i = 0; i < d; i++)
    u[i] = gain[i] * (u[i] - mean) / sigma;
}

void
mt_norm_linear_row(const mt_config *config, const mt_kernels *kernels, float *out, const float *x,
                   const float *gain)
{
  switch (config->norm_kind) {
  case MT_NORM_LAYER:
    kernels->centre(out, x, gain, config->d_model);
    break;
  case MT_NORM_RMS:
    for (size_t i = 0; i < config->d_model; i++)
      out[i] = gain[i] * x[i];
    break;
  }
}

/* ---- Activations ----------------------------------------------------------------------------- */

/* In blocks whose length the compiler knows, so that it takes vectors for them. */
#define BLOCK 16

static void
relu(float *x, size_t n)
{
  size_t i = 0;
  /* This way round NaN stays NaN. */
  for (; i + BLOCK <= n; i += BLOCK)
    for (size_t k = 0; k < BLOCK; k++)
      x[i + k] = x[i + k] < 0 ? 0 : x[i + k];
  for (; i < n; i++)
    x[i] = x[i] < 0 ? 0 : x[i];
}

void
mt_activate(mt_activation activation, const mt_kernels *kernels, float *x, size_t n)
{
  switch (activation) {
  case MT_ACTIVATION_RELU:
    relu(x, n);
    break;
  case MT_ACTIVATION_SILU:
    kernels->silu(x, n);
    break;
  case MT_ACTIVATION_GELU:
    for (size_t i = 0; i < n; i++)
      x[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678118654752f));
    break;
  case MT_ACTIVATION_GELU_TANH:
    kernels->gelu_tanh(x, n);
    break;
  }
}

bool
mt_activation_needs_input(mt_activation activation)
{
  return activation != MT_ACTIVATION_RELU;
}

void
mt_activate_back(mt_activation activation, float *d_x, const float *in, const float *out, size_t n)
{
  switch (activation) {
  case MT_ACTIVATION_RELU:
    for (size_t i = 0; i < n; i++)
      d_x[i] = out[i] > 0 ? d_x[i] : 0;
    break;
  case MT_ACTIVATION_SILU:
    for (size_t i = 0; i < n; i++) {
      const float s = 1 / (1 + expf(-in[i]));
      d_x[i] *= s * (1 + in[i] * (1 - s));
    }
    break;
  case MT_ACTIVATION_GELU:
    for (size_t i = 0; i < n; i++) {
      const float z = in[i];
      d_x[i] *= 0.5f * (1 + erff(z * 0.70710678f)) + z * 0.39894228f * expf(-0.5f * z * z);
    }
    break;
  case MT_ACTIVATION_GELU_TANH:
    for (size_t i = 0; i < n; i++) {
      const float z = in[i], t = tanhf(MT_GELU_SCALE * (z + MT_GELU_CUBE * z * z * z));
      d_x[i] *=
          0.5f * (1 + t) + 0.5f * z * (1 - t * t) * MT_GELU_SCALE * (1 + 3 * MT_GELU_CUBE * z * z);
    }
    break;
  }
}

/* ---- Positions, the paper, section 3.5 ------------------------------------------------------- */

/*     PE(pos, 2i)   = sin(pos / 10000^(2i/d_model))
 *     PE(pos, 2i+1) = cos(pos / 10000^(2i/d_model))
 *
 * Marian computes the same numbers and puts all sines first, then all cosines; fairseq has them so,
 * too, of other frequencies. */

bool
mt_positions_are_computed(mt_position_kind kind)
{
  switch (kind) {
  case MT_POSITIONS_SINUSOIDAL_HALVES:
  case MT_POSITIONS_SINUSOIDAL_INTERLEAVED:
  case MT_POSITIONS_SINUSOIDAL_FAIRSEQ:
    return true;
  case MT_POSITIONS_LEARNED:
  case MT_POSITIONS_RELATIVE:
    return false;
  }
  return false;
}

bool
mt_positions_are_added(mt_position_kind kind)
{
  return kind != MT_POSITIONS_RELATIVE;
}

bool
mt_scores_have_bias(const mt_config *config, mt_attention_kind kind)
{
  return config->position_kind == MT_POSITIONS_RELATIVE && kind != MT_CROSS;
}

/* Positions per radian of pair i are 10000 to the power of this. fairseq's last pair has 10000, and
 * the others lie evenly between. */
static double
exponent_of(mt_position_kind kind, size_t i, size_t d)
{
  if (kind == MT_POSITIONS_SINUSOIDAL_FAIRSEQ)
    return d > 2 ? (double) i / (double) (d / 2 - 1) : 0;
  return 2 * (double) i / (double) d;
}

/* In double: far positions times small errors would show. */
static double
divisor_of(mt_position_kind kind, size_t i, size_t d)
{
  return pow(10000, exponent_of(kind, i, d));
}

double
mt_positions_frequency(size_t pair, size_t d, mt_position_kind kind)
{
  return mt_positions_are_computed(kind) ? pow(10000, -exponent_of(kind, pair, d)) : 0;
}

/* Columns of the sine and the cosine of pair i. */
static void
columns(mt_position_kind kind, size_t i, size_t d, size_t *sine, size_t *cosine)
{
  bool halves = kind != MT_POSITIONS_SINUSOIDAL_INTERLEAVED;
  *sine = halves ? i : 2 * i;
  *cosine = halves ? d / 2 + i : 2 * i + 1;
}

void
mt_positions_sinusoidal(float *out, size_t n, size_t d, mt_position_kind kind)
{
  assert(mt_positions_are_computed(kind) && d % 2 == 0);
  for (size_t i = 0; i < d / 2; i++) {
    size_t sine, cosine;
    columns(kind, i, d, &sine, &cosine);
    const double divisor = divisor_of(kind, i, d);
    for (size_t p = 0; p < n; p++) {
      out[p * d + sine] = (float) sin((double) p / divisor);
      out[p * d + cosine] = (float) cos((double) p / divisor);
    }
  }
}

/* sin((p+k)w) = cos(kw) sin(pw) + sin(kw) cos(pw) and cos((p+k)w) = -sin(kw) sin(pw) +
 * cos(kw) cos(pw): a rotation by the angle kw, which does not depend on p. */
void
mt_positions_shift(float *out, size_t d, long k, mt_position_kind kind)
{
  assert(mt_positions_are_computed(kind) && d % 2 == 0);
  memset(out, 0, d * d * sizeof *out);
  for (size_t i = 0; i < d / 2; i++) {
    size_t sine, cosine;
    columns(kind, i, d, &sine, &cosine);
    const double angle = (double) k * (1 / divisor_of(kind, i, d));
    out[sine * d + sine] = out[cosine * d + cosine] = (float) cos(angle);
    out[sine * d + cosine] = (float) sin(angle);
    out[cosine * d + sine] = (float) -sin(angle);
  }
}

void
mt_positions_encode(float *out, long position, size_t d, mt_position_kind kind)
{
  for (size_t i = 0; i < d / 2; i++) {
    size_t sine, cosine;
    columns(kind, i, d, &sine, &cosine);
    const double angle = (double) position / divisor_of(kind, i, d);
    out[sine] = (float) sin(angle);
    out[cosine] = (float) cos(angle);
  }
}
