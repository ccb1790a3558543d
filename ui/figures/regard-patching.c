/* regard-patching.c — where a word is decided: what comes back with single states of another run;
 * the streams of both stacks, tokens by layers from the bottom up as they are computed, and below
 * them the heads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-patching.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-scale.h"
#include "figures/regard-words.h"

#include <math.h>

static gboolean
is_stream(RegardPatched map)
{
  return map <= REGARD_PATCHED_DECODER_STREAM;
}

static mt_stack
stack_of(RegardPatched map)
{
  return map == REGARD_PATCHED_ENCODER_STREAM || map == REGARD_PATCHED_ENCODER_HEADS
             ? MT_STACK_ENCODER
             : MT_STACK_DECODER;
}

static mt_attention_kind
kind_of(RegardPatched map)
{
  return map == REGARD_PATCHED_ENCODER_HEADS ? MT_ENCODER_SELF
         : map == REGARD_PATCHED_CROSS_HEADS ? MT_CROSS
                                             : MT_DECODER_SELF;
}

static void
fill_map(RegardPatchedMap *m, const mt_patching *patching, RegardPatched map, gsize token)
{
  const mt_stack stack = stack_of(map);
  m->n_rows = (guint) patching->n_layers[stack] + is_stream(map);
  m->n_cols = (guint) (is_stream(map) ? patching->n_tokens[stack] : patching->n_heads[stack]);
  m->recovered = g_new0(double, MAX((gsize) m->n_rows * m->n_cols, 1));
  for (guint r = 0; r < m->n_rows; r++)
    for (guint c = 0; c < m->n_cols; c++) {
      const float *logprobs = is_stream(map) ? mt_patching_stream(patching, stack, r, c)
                                             : mt_patching_head(patching, kind_of(map), r, c);
      m->recovered[(gsize) r * m->n_cols + c] = mt_patching_recovered(patching, logprobs, token);
    }
}

static char **
pieces(const mt_tokens *tokens, guint n)
{
  char **texts = g_new0(char *, n + 1);
  for (guint i = 0; i < n; i++)
    texts[i] = g_strdup(mt_tokens_get(tokens, i)->piece);
  return texts;
}

/* What depends on the token. */
static void
look_at(RegardPatching *self, int token)
{
  const gsize at = token < 0 ? SIZE_MAX : (gsize) token;
  self->token = token;
  self->a = mt_patching_measure(self->all, self->all->a, at);
  self->b = mt_patching_measure(self->all, self->all->b, at);
  for (RegardPatched map = 0; map < REGARD_N_PATCHED; map++)
    fill_map(&self->maps[map], self->all, map, at);
}

static void
clear(gpointer subject)
{
  RegardPatching *patching = subject;
  for (guint map = 0; map < REGARD_N_PATCHED; map++)
    g_free(patching->maps[map].recovered);
  g_strfreev(patching->source_texts);
  g_strfreev(patching->target_texts);
  g_free(patching->source_a);
  g_free(patching->source_b);
  g_free(patching->interventions);
  g_free(patching->changes_a);
  g_free(patching->model_name);
  mt_patching_unref(patching->all);
}

RegardPatching *
regard_patching_new(mt_patching *patching, const RegardPatchingOf *of, int token)
{
  RegardPatching *self = regard_subject_alloc(sizeof *self, clear);
  self->all = mt_patching_ref(patching);
  self->model_name = g_strdup(mt_model_name(of->model));
  self->interventions = regard_figure_dup_interventions(of->changes_b);
  self->changes_a = regard_figure_dup_interventions(of->changes_a);
  self->source_a = g_strdup(of->text_a);
  self->source_b = g_strdup(of->text_b);
  self->n_source = (guint) patching->n_tokens[MT_STACK_ENCODER];
  self->n_target = (guint) patching->n_tokens[MT_STACK_DECODER];
  self->source_texts =
      pieces(of->source_b ? of->source_b : mt_translation_source(of->translation), self->n_source);
  self->target_texts =
      pieces(mt_translation_hypothesis(of->translation, of->hypothesis)->tokens, self->n_target);
  look_at(self, token);
  return self;
}

RegardPatching *
regard_patching_new_of_token(const RegardPatching *patching, int token)
{
  RegardPatching *self = regard_subject_alloc(sizeof *self, clear);
  self->all = mt_patching_ref(patching->all);
  self->n_source = patching->n_source;
  self->n_target = patching->n_target;
  self->model_name = g_strdup(patching->model_name);
  self->interventions = g_strdup(patching->interventions);
  self->changes_a = g_strdup(patching->changes_a);
  self->source_a = g_strdup(patching->source_a);
  self->source_b = g_strdup(patching->source_b);
  self->source_texts = g_strdupv(patching->source_texts);
  self->target_texts = g_strdupv(patching->target_texts);
  look_at(self, token); /* maps anew */
  return self;
}

gboolean
regard_patching_has_loss(const RegardPatching *patching)
{
  return isfinite(patching->maps[REGARD_PATCHED_ENCODER_STREAM].recovered[0]);
}

char *
regard_patching_place_name(RegardPatched map, guint row, guint col)
{
  static const char *const kinds[MT_N_KINDS] = {"encoder", "decoder", "cross"};
  if (!is_stream(map))
    return g_strdup_printf("%s %u.%u", kinds[kind_of(map)], row + 1, col + 1);
  if (map == REGARD_PATCHED_ENCODER_STREAM)
    /* Translators: here and below what is copied: what goes in, or the stream behind a layer */
    return row == 0 ? g_strdup_printf(_("encoder input token %u"), col + 1)
                    : g_strdup_printf(_("encoder stream %u token %u"), row, col + 1);
  return row == 0 ? g_strdup_printf(_("decoder input token %u"), col + 1)
                  : g_strdup_printf(_("decoder stream %u token %u"), row, col + 1);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static RegardMatrix *
new_matrix(RegardFigure *figure, guint map)
{
  const RegardPatching *patching = figure->subject;
  static const char *const ids[REGARD_N_PATCHED] = {"encoder_stream", "decoder_stream",
                                                    "encoder_heads", "cross_heads",
                                                    "decoder_heads"};
  static const char *const titles[REGARD_N_PATCHED] = {N_("Patching · encoder stream"),
                                                       N_("Patching · decoder stream"),
                                                       N_("Patching · encoder heads"),
                                                       N_("Patching · cross heads"),
                                                       N_("Patching · decoder heads")};
  const RegardPatchedMap *m = &patching->maps[map];
  const gsize n = (gsize) m->n_rows * m->n_cols;
  const gboolean is_encoder = map == REGARD_PATCHED_ENCODER_STREAM;
  float *values = g_new(float, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    values[i] = (float) m->recovered[i];
  g_autofree char *interventions =
      regard_figure_interventions_badge(_("changed: %s"), patching->interventions);
  g_autofree char *changes_a =
      regard_figure_interventions_badge(_("reference changed: %s"), patching->changes_a);
  g_autofree char *source =
      patching->source_b ? g_strdup_printf(_("reference: “%s”"), patching->source_a) : NULL;
  g_autofree char *word =
      patching->token >= 0
          ? g_strdup_printf(_("of %s, token %d"), patching->target_texts[patching->token],
                            patching->token + 1)
          : NULL;
  const char *badges[5] = {NULL};
  guint k = 0;
  if (word)
    badges[k++] = word;
  if (source)
    badges[k++] = source;
  if (changes_a)
    badges[k++] = changes_a;
  if (interventions)
    badges[k++] = interventions;
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = ids[map],
      .title = _(titles[map]),
      .value_name = _("share of the lost log p that comes back"),
      .model_name = patching->model_name,
      .badges = badges,
      .rows = is_stream(map) ? regard_axis_counted(m->n_rows, 0, _("behind layers"), _("layer"))
                             : regard_axis_counted(m->n_rows, 1, _("layers"), _("layer")),
      .cols =
          !is_stream(map)
              ? regard_axis_counted(m->n_cols, 1, _("heads"), _("head"))
              : regard_axis_texts((const char *const *) (is_encoder ? patching->source_texts
                                                                    : patching->target_texts),
                                  m->n_cols, is_encoder ? _("source tokens") : _("output tokens")),
      .values = values,
      .range = REGARD_RANGE_SIGNED});
}

/* ---- Picture --------------------------------------------------------------------------------- */

/* In font sizes. */
#define GAP     1.8 /* between maps */
#define NUMBERS 1.6 /* room for the number of a layer */
#define CELL    1.7 /* height of a cell */
#define WORDS   6.0 /* words above columns lean where they are too wide, up to this height */
#define LEAN    (-45.0)

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardPatching *patching;
  double font, range;
} Maps;

static double
value_of(const RegardPatching *patching, RegardPatched map, guint row, guint col)
{
  const RegardPatchedMap *m = &patching->maps[map];
  return m->recovered[(gsize) row * m->n_cols + col];
}

static double
largest(const RegardPatching *patching)
{
  double most = 0;
  for (RegardPatched map = 0; map < REGARD_N_PATCHED; map++)
    for (guint r = 0; r < patching->maps[map].n_rows; r++)
      for (guint c = 0; c < patching->maps[map].n_cols; c++) {
        const double size = fabs(value_of(patching, map, r, c));
        most = isfinite(size) ? MAX(most, size) : most;
      }
  return MAX(most, 1e-6);
}

static void
draw_cell(const Maps *g, RegardRect box, RegardPatched map, guint row, guint col)
{
  const double value = value_of(g->patching, map, row, col);
  char number[REGARD_CELL_TEXT];
  regard_canvas_spot(g->canvas, box, (int) map, (int) row, (int) col);
  if (!regard_figure_draws(g->canvas) || !isfinite(value))
    return;
  regard_cell_text(number, value, g->range);
  regard_figure_cell(g->canvas, g->style, box, g->font * 0.2, 0.5 + 0.5 * value / g->range, number,
                     box.y + box.height * 0.68, g->font * 0.74, 1.9 * g->font);
}

static const char *
title_of(RegardPatched map)
{
  static const char *const names[REGARD_N_PATCHED] = {N_("Encoder · stream of each token"),
                                                      N_("Decoder · stream of each token"),
                                                      N_("Encoder · heads"), N_("Cross · heads"),
                                                      N_("Decoder · heads")};
  return _(names[map]);
}

/* Pieces above the columns of a stream; NULL: there are numbers. */
static char *const *
words_of(const RegardPatching *patching, RegardPatched map)
{
  return map == REGARD_PATCHED_ENCODER_STREAM   ? patching->source_texts
         : map == REGARD_PATCHED_DECODER_STREAM ? patching->target_texts
                                                : NULL;
}

/* How high they are, leaning or not. */
typedef struct {
  double height;
  gboolean lean;
} Words;

/* A line, if each has room above its column. */
static Words
measure_words(const Maps *g, RegardPatched map, double column)
{
  char *const *words = words_of(g->patching, map);
  double widest = 0;
  for (guint c = 0; words && c < g->patching->maps[map].n_cols; c++) {
    const RegardSpan span = {words[c], 0xff000000, TRUE};
    widest = MAX(widest, regard_canvas_text_width(g->canvas, &span, 1, g->font * 0.86));
  }
  const gboolean lean = widest + 0.3 * g->font > column;
  const double leaning = widest * G_SQRT2 / 2 + g->font;
  return (Words){lean ? MIN(leaning, WORDS * g->font) : 1.4 * g->font, lean};
}

static double
column_width(const Maps *g, RegardPatched map, double width)
{
  return (width - NUMBERS * g->font) / MAX(g->patching->maps[map].n_cols, 1);
}

/* A word that leans is no higher than its row. */
static char *
leaning_word(const Maps *g, const char *word)
{
  return regard_canvas_ellipsize(g->canvas, word, TRUE, g->font * 0.86,
                                 (WORDS - 1) * g->font * G_SQRT2);
}

/* How far leaning words reach beyond the last column. */
static double
overhang(const Maps *g, RegardPatched map, double column)
{
  char *const *words = words_of(g->patching, map);
  const guint n = g->patching->maps[map].n_cols;
  double beyond = 0;
  if (!measure_words(g, map, column).lean)
    return 0;
  for (guint c = 0; words && c < n; c++) {
    g_autofree char *word = leaning_word(g, words[c]);
    const RegardSpan span = {word, 0xff000000, TRUE};
    const double length = regard_canvas_text_width(g->canvas, &span, 1, g->font * 0.86);
    beyond = MAX(beyond, (c + 0.6) * column + length * G_SQRT2 / 2 + 0.3 * g->font - n * column);
  }
  return beyond;
}

/* Pieces, or numbers of heads. */
static void
draw_columns(const Maps *g, RegardPatched map, double left, double top, double column,
             gboolean lean)
{
  const RegardPatchedMap *m = &g->patching->maps[map];
  char *const *words = words_of(g->patching, map);
  const double f = g->font;
  if (!regard_figure_draws(g->canvas))
    return;
  for (guint c = 0; c < m->n_cols; c++) {
    const gboolean is_it = map == REGARD_PATCHED_DECODER_STREAM && (int) c == g->patching->token;
    const guint32 colour = is_it ? g->palette->text : g->palette->dim;
    char number[16];
    g_snprintf(number, sizeof number, "%u", c + 1);
    if (lean && column < 0.7 * f) /* they would lie on each other */
      continue;
    if (lean) {
      g_autofree char *word = leaning_word(g, words[c]);
      regard_figure_text(g->canvas, left + (c + 0.6) * column, top - 0.4 * f, word, colour, is_it,
                         f * 0.86, REGARD_ANCHOR_START, LEAN);
    } else
      regard_figure_text_within(g->canvas, left + (c + 0.5) * column, top - 0.4 * f, column,
                                words ? words[c] : number, colour, is_it, f * 0.86,
                                REGARD_ANCHOR_MIDDLE);
  }
}

/* Returns the height; words: how high those of the row are. */
static double
draw_map(const Maps *g, double x, double y, double width, RegardPatched map, double words)
{
  const RegardPatchedMap *m = &g->patching->maps[map];
  const double f = g->font, left = x + NUMBERS * f;
  const double column = column_width(g, map, width), gap = MIN(0.12 * f, column / 8);
  const double top = y + words + 1.8 * f;
  const gboolean lean = measure_words(g, map, column).lean;
  regard_figure_text_within(g->canvas, left, y + f, width - NUMBERS * f, title_of(map),
                            g->palette->text, TRUE, f, REGARD_ANCHOR_START);
  draw_columns(g, map, left, top, column, lean);
  for (guint r = 0; r < m->n_rows; r++) {
    /* What is computed last is on top. */
    const double row = top + (m->n_rows - 1 - r) * CELL * f;
    char number[16];
    g_snprintf(number, sizeof number, "%u", r + !is_stream(map));
    regard_figure_text_within(g->canvas, left - 0.5 * f, row + CELL * f * 0.66, NUMBERS * f, number,
                              g->palette->dim, FALSE, f * 0.86, REGARD_ANCHOR_END);
    for (guint c = 0; c < m->n_cols; c++)
      draw_cell(g, (RegardRect){left + c * column, row, column - gap, CELL * f - gap}, map, r, c);
  }
  return top - y + m->n_rows * CELL * f;
}

/* Maps beside each other, as wide as they have columns. */
static double
draw_row(const Maps *g, double x, double y, double width, RegardPatched first, guint n)
{
  double height = 0, words = 0, n_cols = 0, beyond = 0, widths[REGARD_N_PATCHED];
  for (guint i = 0; i < n; i++)
    n_cols += g->patching->maps[first + i].n_cols + 1;
  /* The last words need room, and narrower columns let them reach further: twice settles it. */
  for (int round = 0; round < 3; round++) {
    const double room = width - (n - 1) * GAP * g->font - beyond;
    for (guint i = 0; i < n; i++)
      widths[i] = room * (g->patching->maps[first + i].n_cols + 1) / n_cols;
    const RegardPatched last = (RegardPatched) (first + n - 1);
    beyond = MAX(beyond, overhang(g, last, column_width(g, last, widths[n - 1])));
  }
  for (guint i = 0; i < n; i++) {
    const RegardPatched map = (RegardPatched) (first + i);
    words = MAX(words, measure_words(g, map, column_width(g, map, widths[i])).height);
  }
  for (guint i = 0; i < n; i++) {
    height = MAX(height, draw_map(g, x, y, widths[i], (RegardPatched) (first + i), words));
    x += widths[i] + GAP * g->font;
  }
  return height;
}

static char *
title_text(const RegardPatching *patching)
{
  char a[32], b[32];
  return g_strdup_printf(_("Patching · share of the lost log p that each state brings back; "
                           "log p %s in the reference run, %s without"),
                         regard_figure_number(a, patching->a, 3),
                         regard_figure_number(b, patching->b, 3));
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardPatching *patching = figure->subject;
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  RegardFigureStyle style = figure->style;
  style.scale = REGARD_SCALE_LINEAR; /* what rows or logarithms show would not compare */
  const Maps g = {canvas, regard_figure_palette(&style), &style, patching, font, largest(patching)};
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  g_autofree char *title = title_text(patching);
  double y = margin;
  y += regard_figure_header(canvas, g.palette, margin, y, inner, regard_figure_title(&style, title),
                            m->badges, font);
  y += font * 0.4;
  y += draw_row(&g, margin, y, inner, REGARD_PATCHED_ENCODER_STREAM, 2) + font * 1.2;
  y += draw_row(&g, margin, y, inner, REGARD_PATCHED_ENCODER_HEADS, 3) + font * 0.6;
  y += regard_figure_signed_footer(canvas, g.palette, &style, m, g.range, margin, y, inner, font);
  return y + margin;
}

/* "the run of “…”", which states are copied from. */
static char *
describe_from(const RegardPatching *patching)
{
  g_autofree char *changes = patching->changes_a ? regard_naming_joined(patching->changes_a) : NULL;
  return changes
             /* Translators: stands in "Each state alone is copied from %s into %s: …" */
             ? g_strdup_printf(_("the run of “%s”, changed by %s,"), patching->source_a, changes)
             : g_strdup_printf(_("the run of “%s”"), patching->source_a);
}

/* "that of “…”", the run which they are copied into. */
static char *
describe_into(const RegardPatching *patching)
{
  g_autofree char *changes =
      patching->interventions ? regard_naming_joined(patching->interventions) : NULL;
  if (patching->source_b)
    /* Translators: these four stand at the end of "Each state alone is copied from %s into %s: …"
     */
    return changes ? g_strdup_printf(_("that of “%s” changed by %s"), patching->source_b, changes)
                   : g_strdup_printf(_("that of “%s”"), patching->source_b);
  return changes ? g_strdup_printf(_("that changed by %s"), changes)
                 : g_strdup(_("that without changes"));
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const RegardPatching *patching = figure->subject;
  g_autofree char *title = title_text(patching);
  g_autofree char *from = describe_from(patching), *into = describe_into(patching);
  regard_words_add_title(caption, title);
  regard_words_add_sentence(
      /* Translators: two runs of the model, "the run of “A dog.”" and "that without changes" */
      caption, _("Each state alone is copied from %s into %s: 1 brings all back, 0 nothing."), from,
      into);
  if (patching->token >= 0)
    regard_words_add_sentence(caption, _("Looked at is output token %d, %s, alone."),
                              patching->token + 1, patching->target_texts[patching->token]);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardPatching *patching = figure->subject;
  const RegardPatched map = (RegardPatched) spot->part;
  const double value = value_of(patching, map, (guint) spot->row, (guint) spot->col);
  g_autofree char *name = regard_patching_place_name(map, (guint) spot->row, (guint) spot->col);
  char *const *words = words_of(patching, map);
  const char *piece = words ? words[spot->col] : NULL;
  if (!isfinite(value))
    return g_strdup_printf(_("%s: nothing was lost"), name);
  return piece ? g_strdup_printf(_("%s, %s: %.4f of what was lost comes back"), name, piece, value)
               : g_strdup_printf(_("%s: %.4f of what was lost comes back"), name, value);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  return regard_exact_copy(
      value_of(figure->subject, (RegardPatched) spot->part, (guint) spot->row, (guint) spot->col));
}

static RegardMatrix *
new_map(RegardFigure *figure, guint i)
{
  return i < REGARD_N_PATCHED ? new_matrix(figure, i) : NULL;
}

RegardFigure *
regard_figure_new_patching(RegardPatching *patching, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .new_map = new_map,
      .n = REGARD_N_PATCHED,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
  };
  return regard_figure_new(&klass, regard_patching_ref(patching), NULL, TRUE, style);
}
