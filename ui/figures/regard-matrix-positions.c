/* regard-matrix-positions.c — matrices of positional encodings: the table itself, its similarity
 * PE · PE^T, a pair of its dimensions, and the linear map that shifts it (the paper, section 3.5).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-positions.h"

#include "figures/regard-language.h"

/* Label "12", or "▁cat" with the position in grey after it: beside the cells, so that numbers line
 * up. */
static void
label_position(gconstpointer data, guint position, RegardLabel *label)
{
  const mt_tokens *tokens = data;
  if (tokens && position < mt_tokens_count(tokens)) {
    const mt_token *token = mt_tokens_get(tokens, position);
    label->text = regard_token_display(tokens, position, position == 0);
    label->piece = g_strdup(token->piece ? token->piece : "");
    label->suffix = g_strdup_printf("  %u", position);
    label->special = token->is_special;
    label->is_task = token->is_prefix;
  } else {
    label->text = g_strdup_printf("%u", position);
    label->piece = g_strdup(label->text);
  }
}

static RegardAxis
positions(guint n, const mt_tokens *tokens)
{
  const gboolean words = tokens && mt_tokens_count(tokens) > 0;
  return (RegardAxis){.n = n,
                      .title = _("position"),
                      .noun = _("position"),
                      .ticks = words ? REGARD_TICKS_WORDS : REGARD_TICKS_DECIMAL,
                      .label = label_position,
                      .data = tokens};
}

/* Where sines come first and then cosines, the axis says so. */
static RegardAxis
dimensions(guint n, mt_position_kind kind, const char *title)
{
  RegardAxis axis = regard_axis_numbers(n, title, REGARD_TICKS_BINARY);
  axis.noun = _("dimension");
  if (kind == MT_POSITIONS_SINUSOIDAL_HALVES || kind == MT_POSITIONS_SINUSOIDAL_FAIRSEQ) {
    axis.split = n / 2;
    axis.parts[0] = _("sine");
    axis.parts[1] = _("cosine");
  }
  return axis;
}

static float
encoding(gconstpointer data, guint position, guint dimension)
{
  return mt_matrix_at((const mt_matrix *) data, position, dimension);
}

static gboolean
is_empty(const mt_matrix *table, guint n)
{
  return !table->data || table->rows == 0 || table->cols == 0 || n == 0;
}

RegardMatrix *
regard_matrix_new_positions(mt_matrix table, guint n, mt_position_kind kind,
                            const mt_tokens *tokens, const char *model_name)
{
  if (is_empty(&table, n))
    return NULL;
  n = (guint) MIN(n, table.rows);
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "positions",
      .title = _("Positional encoding"),
      .value_name = _("encoding"),
      .model_name = model_name,
      .rows = positions(n, tokens),
      .cols = dimensions((guint) table.cols, kind, _("dimension")),
      .value = encoding,
      .data = &table,
      .range = REGARD_RANGE_SIGNED,
      .is_square = n == table.cols,
      .aspect = 16, /* two axes of different kinds: fill the space */
  });
}

/* Four partial sums, so that the compiler may keep them in one vector. */
static float
dot(const float *a, const float *b, gsize n)
{
  float s[4] = {0};
  gsize i = 0;
  for (; i + 4 <= n; i += 4)
    for (gsize k = 0; k < 4; k++)
      s[k] += a[i + k] * b[i + k];
  for (; i < n; i++)
    s[0] += a[i] * b[i];
  return s[0] + s[1] + s[2] + s[3];
}

RegardMatrix *
regard_matrix_new_similarity(mt_matrix table, guint n, const mt_tokens *tokens,
                             const char *model_name)
{
  if (is_empty(&table, n))
    return NULL;
  n = (guint) MIN(n, table.rows);
  float *values = g_new(float, (gsize) n *n);
  for (gsize r = 0; r < n; r++)
    for (gsize c = 0; c <= r; c++)
      values[r * n + c] = values[c * n + r] =
          dot(table.data + r * table.stride, table.data + c * table.stride, table.cols);
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "similarity",
      .title = _("Similarity of positions · PE · PEᵀ"),
      .value_name = _("similarity"),
      .model_name = model_name,
      .rows = positions(n, tokens),
      .cols = positions(n, tokens),
      .values = values,
      /* Sinusoids have no negative products at small offsets: then half a signed range would be
       * void. */
      .range = REGARD_RANGE_VALUES,
      .is_square = TRUE,
  });
}

RegardMatrix *
regard_matrix_new_shift(guint d_model, int k, mt_position_kind kind, const char *model_name)
{
  if (d_model == 0 || d_model % 2 != 0 || regard_positions_omega(kind, d_model, 0) == 0)
    return NULL;
  g_autofree char *title = /* Translators: a sign and a number, twice */
      g_strdup_printf(_("Shift by %s%d · PE(p %s %d) = M · PE(p)"), k < 0 ? "−" : "", ABS(k),
                      k < 0 ? "−" : "+", ABS(k));
  float *values = g_new0(float, (gsize) d_model *d_model);
  mt_positions_shift(values, d_model, k, kind);
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "shift",
      .title = title,
      .value_name = _("coefficient"),
      .model_name = model_name,
      .rows = dimensions(d_model, kind, _("dimension of PE(p + k)")),
      .cols = dimensions(d_model, kind, _("dimension of PE(p)")),
      .values = values,
      .range = REGARD_RANGE_SIGNED,
      .is_square = TRUE,
  });
}

/* ---- A pair of dimensions -------------------------------------------------------------------- */

void
regard_positions_pair(mt_position_kind kind, guint d_model, guint pair, guint dims[2])
{
  const gboolean halves =
      kind == MT_POSITIONS_SINUSOIDAL_HALVES || kind == MT_POSITIONS_SINUSOIDAL_FAIRSEQ;
  dims[0] = halves ? pair : 2 * pair;
  dims[1] = halves ? d_model / 2 + pair : 2 * pair + 1;
}

double
regard_positions_omega(mt_position_kind kind, guint d_model, guint pair)
{
  return mt_positions_frequency(pair, d_model, kind);
}

/* A message. */
static const char *
pair_format(mt_position_kind kind, guint side)
{
  return regard_positions_omega(kind, 2, 0) == 0 ? N_("dimension %u")
         : side == 0                             ? N_("dimension %u (sine)")
                                                 : N_("dimension %u (cosine)");
}

char *
regard_positions_pair_name(mt_position_kind kind, const guint dims[2], guint side)
{
  return g_strdup_printf(_(pair_format(kind, side)), dims[side]);
}

typedef struct {
  mt_matrix table;
  mt_position_kind kind;
  guint dims[2];
} Pair;

/* For files in English. */
static void
label_pair(gconstpointer data, guint side, RegardLabel *label)
{
  const Pair *pair = data;
  label->text = regard_positions_pair_name(pair->kind, pair->dims, side);
  label->piece = g_strdup_printf(pair_format(pair->kind, side), pair->dims[side]);
}

static float
pair_encoding(gconstpointer data, guint position, guint side)
{
  const Pair *pair = data;
  return mt_matrix_at(&pair->table, position, pair->dims[side]);
}

/* Two columns of a table; tokens: as in positions. */
static RegardMatrix *
matrix_new_pair(const RegardPositions *p, const mt_tokens *tokens)
{
  const mt_matrix table = p->table;
  const guint n = p->n, pair = p->pair;
  const mt_position_kind kind = p->kind;
  if (is_empty(&table, n) || pair >= table.cols / 2)
    return NULL;
  Pair data = {.table = table, .kind = kind};
  regard_positions_pair(kind, (guint) table.cols, pair, data.dims);
  g_autofree char *title =
      g_strdup_printf(_("Positional encoding · dimensions %u and %u"), data.dims[0], data.dims[1]);
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "pair",
      .title = title,
      .value_name = _("encoding"),
      .model_name = p->model_name,
      .rows = positions((guint) MIN(n, table.rows), tokens),
      .cols = {.n = 2, .title = _("dimension"), .label = label_pair, .data = &data},
      .value = pair_encoding,
      .data = &data,
      .range = REGARD_RANGE_SIGNED,
  });
}

const RegardPicture regard_positions_pictures[] = {
    [REGARD_POSITIONS_TABLE] = {"positions", N_("Position table")},
    [REGARD_POSITIONS_SIMILARITY] = {"similarity", N_("Similarity of positions")},
    [REGARD_POSITIONS_PAIR] = {"waves", N_("Pair of dimensions")},
    [REGARD_POSITIONS_SHIFT] = {"shift", N_("Map from PE(p) to PE(p + k)")},
};

RegardMatrix *
regard_positions_matrix(const RegardPositions *p, RegardPositionsPicture picture)
{
  switch (picture) {
  case REGARD_POSITIONS_TABLE:
    return regard_matrix_new_positions(p->table, p->n, p->kind, p->tokens, p->model_name);
  case REGARD_POSITIONS_SIMILARITY:
    return regard_matrix_new_similarity(p->table, p->n, p->tokens, p->model_name);
  case REGARD_POSITIONS_PAIR:
    return matrix_new_pair(p, NULL);
  case REGARD_POSITIONS_SHIFT:
    return p->table.data
               ? regard_matrix_new_shift((guint) p->table.cols, p->k, p->kind, p->model_name)
               : NULL;
  default:
    return NULL;
  }
}

RegardFigure *
regard_positions_figure(const RegardPositions *p, RegardPositionsPicture picture,
                        const RegardFigureStyle *style)
{
  g_autoptr(RegardMatrix) matrix = regard_positions_matrix(p, picture);
  if (!matrix)
    return NULL;
  if (picture != REGARD_POSITIONS_PAIR)
    return regard_figure_new_matrix(matrix, style);
  const RegardCurvesOptions look = {.omega = regard_positions_omega(p->kind, (guint) p->table.cols,
                                                                    p->pair),
                                    .pointed = -1};
  return regard_figure_new_curves(matrix, &look, style);
}

RegardFigure *
regard_positions_new_waves(const RegardPositions *p, int pointed, const RegardFigureStyle *style)
{
  g_autoptr(RegardMatrix) matrix = matrix_new_pair(p, p->tokens);
  const RegardCurvesOptions look = {.omega = regard_positions_omega(p->kind, (guint) p->table.cols,
                                                                    p->pair),
                                    .is_page = TRUE,
                                    .pointed = pointed};
  return matrix ? regard_figure_new_curves(matrix, &look, style) : NULL;
}
