/* regard-figure-corpus-heads.c — the list of heads over a text as a picture, with all its numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drawn are name, roles, a histogram and a few numbers, as on the screen; files have all measures,
 * roles, the histogram and the distances of these heads, each a table of its own.
 */
#include "figures/regard-corpus-heads.h"
#include "figures/regard-figure-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* In font sizes. */
#define PITCH     1.7
#define NAME      6.5
#define HISTOGRAM 7.0
#define NUMBER    6.0
#define GAP       0.8

enum { MEAN, DEVIATION, ROLES, ROLES_N, ROLES_P, HISTOGRAMS, DISTANCES, N_MATRICES };

/* Numbers that are drawn, besides the mean of the measure that is looked at. */
static const mt_corpus_measure drawn[] = {MT_CORPUS_ENTROPY, MT_CORPUS_CONFIDENCE,
                                          MT_CORPUS_SPECIAL, MT_CORPUS_EFFECT};

typedef struct {
  RegardFigure parent;
  RegardCorpus *corpus;
  guint *heads, n;
  mt_corpus_measure measure;
  int selected;
  RegardMatrix *matrices[N_MATRICES]; /* NULL: not asked for yet */
} HeadsFigure;

/* ---- Files ----------------------------------------------------------------------------------- */

static void
label_head(gconstpointer data, guint i, RegardLabel *label)
{
  const HeadsFigure *self = data;
  label->text = regard_corpus_head_name(&self->corpus->heads[self->heads[i]]);
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

static void
label_measure(gconstpointer data, guint i, RegardLabel *label)
{
  label->text = regard_corpus_measure_title((mt_corpus_measure) i);
  label->piece = g_strdup(mt_corpus_measure_about((mt_corpus_measure) i)->id);
}

static void
label_role(gconstpointer data, guint i, RegardLabel *label)
{
  label->text = g_strdup(_(mt_corpus_role_about((mt_corpus_role) i)->name));
  label->piece = g_strdup(mt_corpus_role_about((mt_corpus_role) i)->id);
}

/* The least value of each bin. */
static void
label_bin(gconstpointer data, guint i, RegardLabel *label)
{
  const HeadsFigure *self = data;
  const mt_corpus_statistics *s = &self->corpus->heads[self->heads[0]].measures[self->measure];
  label->text = g_strdup_printf("%.4g", s->low + (s->high - s->low) * i / MT_CORPUS_BINS);
  label->piece = g_strdup(label->text);
}

typedef struct {
  const HeadsFigure *figure;
  guint which;
} Values;

static float
value(gconstpointer data, guint row, guint col)
{
  const Values *v = data;
  const HeadsFigure *self = v->figure;
  const RegardCorpusHead *head = &self->corpus->heads[self->heads[row]];
  switch (v->which) {
  case MEAN:
    return (float) regard_corpus_head_mean(head, (mt_corpus_measure) col);
  case DEVIATION:
    return head->measures[col].n > 0 ? (float) head->measures[col].sd : NAN;
  case ROLES:
    return head->roles[col].n > 0 ? (float) head->roles[col].value : NAN;
  case ROLES_N:
    return (float) head->roles[col].n;
  case ROLES_P:
    return head->roles[col].n > 0 ? (float) head->roles[col].p : NAN;
  case HISTOGRAMS:
    return (float) head->measures[self->measure].bins[col];
  default:
    return (float) regard_corpus_distance(self->corpus, self->heads[row], self->heads[col]);
  }
}

static RegardMatrix *
make_matrix(const HeadsFigure *self, guint which)
{
  static const struct {
    const char *id, *title, *value_name;
  } names[] = {{"mean", N_("Means over sentences"), "mean"},
               {"sd", N_("Deviations over sentences"), "deviation"},
               {"role", N_("Roles: weight by that of the average key"), "times"},
               {"role_n", N_("Roles: sentences"), "sentences"},
               {"role_p", N_("Roles: p"), "p"},
               {"histogram", N_("Histograms"), "sentences"},
               {"distance", N_("Jensen–Shannon distances"), "distance"}};
  const RegardAxis heads = {
      .n = self->n, .title = "heads", .noun = "head", .label = label_head, .data = self};
  const RegardAxis columns[] = {
      [MEAN] = {.n = MT_N_CORPUS_MEASURES, .title = "measures", .label = label_measure},
      [DEVIATION] = {.n = MT_N_CORPUS_MEASURES, .title = "measures", .label = label_measure},
      [ROLES] = {.n = MT_N_CORPUS_ROLES, .title = "roles", .label = label_role},
      [ROLES_N] = {.n = MT_N_CORPUS_ROLES, .title = "roles", .label = label_role},
      [ROLES_P] = {.n = MT_N_CORPUS_ROLES, .title = "roles", .label = label_role},
      [HISTOGRAMS] = {.n = MT_CORPUS_BINS, .title = "bins", .label = label_bin, .data = self},
      [DISTANCES] = heads,
  };
  const Values values = {self, which};
  const char *const badges[] = {self->corpus->about.text_name ? self->corpus->about.text_name
                                                              : self->corpus->name,
                                NULL};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = names[which].id,
      .title = _(names[which].title),
      .value_name = names[which].value_name,
      .model_name = self->corpus->about.model_name,
      .badges = badges,
      .rows = heads,
      .cols = columns[which],
      .value = value,
      .data = &values,
      .range = REGARD_RANGE_VALUES,
  });
}

static guint
n_matrices(RegardFigure *figure)
{
  return N_MATRICES;
}

static RegardMatrix *
matrix(RegardFigure *figure, guint i)
{
  HeadsFigure *self = (HeadsFigure *) figure;
  if (!self->matrices[i])
    self->matrices[i] = make_matrix(self, i);
  return self->matrices[i];
}

/* ---- Picture --------------------------------------------------------------------------------- */

typedef struct {
  const HeadsFigure *figure;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  double font, x, width, roles; /* width of the roles */
  guint n_numbers;
  mt_corpus_measure numbers[G_N_ELEMENTS(drawn) + 1];
  gboolean has_distance;
} Table;

static void
lay_out(Table *t)
{
  const HeadsFigure *self = t->figure;
  t->numbers[t->n_numbers++] = self->measure;
  for (guint i = 0; i < G_N_ELEMENTS(drawn); i++)
    if (drawn[i] != self->measure &&
        (drawn[i] != MT_CORPUS_EFFECT || self->corpus->about.has_effects))
      t->numbers[t->n_numbers++] = drawn[i];
  t->has_distance = self->selected >= 0;
  t->roles = t->width - t->font * (NAME + HISTOGRAM + GAP +
                                   NUMBER * (t->n_numbers + (t->has_distance ? 1 : 0)));
}

static double
number_end(const Table *t, guint column)
{
  return t->x + t->font * (NAME + HISTOGRAM + GAP + NUMBER * (column + 1)) + t->roles;
}

static void
draw_titles(const Table *t, double baseline)
{
  const double size = 0.85 * t->font;
  regard_figure_text(t->canvas, t->x, baseline, _("head"), t->palette->dim, FALSE, size,
                     REGARD_ANCHOR_START, 0);
  regard_figure_text_within(t->canvas, t->x + NAME * t->font, baseline, t->roles,
                            _("role: times the weight of the average key"), t->palette->dim, FALSE,
                            size, REGARD_ANCHOR_START);
  for (guint c = 0; c < t->n_numbers; c++) {
    g_autofree char *title = regard_corpus_measure_title(t->numbers[c]);
    regard_figure_text_within(t->canvas, number_end(t, c), baseline, (NUMBER - 0.4) * t->font,
                              title, t->palette->dim, FALSE, size, REGARD_ANCHOR_END);
  }
  if (t->has_distance) {
    g_autofree char *name = regard_corpus_head_name(&t->figure->corpus->heads[t->figure->selected]);
    g_autofree char *title = g_strdup_printf(_("from %s"), name);
    regard_figure_text_within(t->canvas, number_end(t, t->n_numbers), baseline,
                              (NUMBER - 0.4) * t->font, title, t->palette->dim, FALSE, size,
                              REGARD_ANCHOR_END);
  }
}

/* Badges as far as there is room. */
static void
draw_roles(const Table *t, const RegardCorpusHead *head, double y)
{
  RegardCorpusBadge badges[REGARD_MOST_BADGES];
  const guint n = regard_corpus_head_badges(t->figure->corpus, head, badges);
  const double size = 0.85 * t->font, end = t->x + NAME * t->font + t->roles - 0.5 * t->font;
  double x = t->x + NAME * t->font;
  for (guint i = 0; i < n; i++) {
    const RegardSpan span = {badges[i].text, t->palette->badge_text, FALSE};
    const double width = regard_canvas_text_width(t->canvas, &span, 1, size) + size;
    if (x + width <= end) {
      regard_canvas_fill_rect(t->canvas, (RegardRect){x, y + 0.2 * t->font, width, 1.3 * t->font},
                              0.65 * t->font, t->palette->badge_fill);
      regard_canvas_text(t->canvas, x + size / 2, y + 1.15 * t->font, &span, 1, size,
                         REGARD_ANCHOR_START, 0);
    }
    x += width + 0.4 * t->font;
    regard_corpus_badge_clear(&badges[i]);
  }
}

static void
draw_histogram(const Table *t, const mt_corpus_statistics *s, double y)
{
  const double x = t->x + NAME * t->font + t->roles, bar = HISTOGRAM * t->font / MT_CORPUS_BINS;
  guint64 most = 1;
  for (guint i = 0; i < MT_CORPUS_BINS; i++)
    most = MAX(most, s->bins[i]);
  for (guint i = 0; s->n > 0 && i < MT_CORPUS_BINS; i++) {
    const double height = 1.2 * t->font * (double) s->bins[i] / (double) most;
    if (s->bins[i] > 0)
      regard_canvas_fill_rect(t->canvas,
                              (RegardRect){x + i * bar,
                                           y + 1.45 * t->font - MAX(height, 0.08 * t->font), bar,
                                           MAX(height, 0.08 * t->font)},
                              0, t->palette->badge_text);
  }
}

static void
draw_row(const Table *t, guint i, double y)
{
  const HeadsFigure *self = t->figure;
  const guint at = self->heads[i];
  const RegardCorpusHead *head = &self->corpus->heads[at];
  const gboolean is_selected = (int) at == self->selected;
  const double baseline = y + 1.2 * t->font;
  g_autofree char *name = regard_corpus_head_name(head);
  if (!regard_canvas_shows(t->canvas, y, y + PITCH * t->font))
    return;
  if (is_selected)
    regard_canvas_fill_rect(t->canvas,
                            (RegardRect){t->x - 0.3 * t->font, y, t->width + 0.6 * t->font,
                                         PITCH * t->font},
                            0.3 * t->font, t->palette->bar_background);
  regard_figure_text(t->canvas, t->x, baseline, name, t->palette->text, is_selected, t->font,
                     REGARD_ANCHOR_START, 0);
  draw_roles(t, head, y);
  draw_histogram(t, &head->measures[self->measure], y);
  for (guint c = 0; c < t->n_numbers; c++) {
    g_autofree char *number =
        regard_corpus_format(t->numbers[c], regard_corpus_head_mean(head, t->numbers[c]));
    regard_figure_text(t->canvas, number_end(t, c), baseline, number, t->palette->text, FALSE,
                       t->font, REGARD_ANCHOR_END, 0);
  }
  const double distance = t->has_distance
                              ? regard_corpus_distance(self->corpus, at, (guint) self->selected)
                              : (double) NAN;
  char text[32];
  if (!isnan(distance))
    regard_figure_text(t->canvas, number_end(t, t->n_numbers), baseline,
                       regard_figure_number(text, distance, 2), t->palette->text, FALSE, t->font,
                       REGARD_ANCHOR_END, 0);
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  HeadsFigure *self = (HeadsFigure *) figure;
  const double margin = font * REGARD_FIGURE_MARGIN;
  Table t = {.figure = self,
             .canvas = canvas,
             .palette = regard_figure_palette(&figure->style),
             .font = font,
             .x = margin,
             .width = width - 2 * margin};
  RegardMatrix *means = matrix(figure, MEAN);
  double y = margin;
  y += regard_figure_header(canvas, t.palette, margin, y, t.width,
                            regard_figure_title(&figure->style, _("Heads · over a text")),
                            means->badges, font);
  lay_out(&t);
  y += 1.1 * font;
  if (regard_figure_draws(canvas))
    draw_titles(&t, y);
  y += 0.5 * font;
  for (guint i = 0; i < self->n; i++, y += PITCH * font)
    if (regard_figure_draws(canvas))
      draw_row(&t, i, y);
  if (means->model_name && regard_figure_has(&figure->style, REGARD_PART_MODEL)) {
    y += 1.2 * font;
    regard_figure_text(canvas, margin + t.width, y, means->model_name, t.palette->dim, FALSE,
                       0.9 * font, REGARD_ANCHOR_END, 0);
  }
  return y + margin;
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const HeadsFigure *self = (HeadsFigure *) figure;
  g_autofree char *about = regard_corpus_describe(self->corpus);
  g_autofree char *title = regard_corpus_measure_title(self->measure);
  g_string_append_printf(caption,
                         "%s. Numbers are means over sentences; histograms are of: %s; roles by "
                         "Pande et al. 2021, with how many times the weight of the average key "
                         "goes to theirs.",
                         about, title);
}

static void
release(RegardFigure *figure)
{
  HeadsFigure *self = (HeadsFigure *) figure;
  for (guint i = 0; i < N_MATRICES; i++)
    g_clear_pointer(&self->matrices[i], regard_matrix_unref);
  g_free(self->heads);
  regard_corpus_unref(self->corpus);
}

RegardFigure *
regard_figure_new_corpus_heads(RegardCorpus *corpus, const guint *heads, guint n,
                               mt_corpus_measure measure, int selected,
                               const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .matrix = matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .free = release,
  };
  g_return_val_if_fail(n > 0, NULL);
  HeadsFigure *self = regard_figure_alloc(sizeof *self, &klass, style, FALSE);
  self->corpus = regard_corpus_ref(corpus);
  self->heads = g_memdup2(heads, n * sizeof *heads);
  self->n = n;
  self->measure = measure;
  self->selected = selected;
  return &self->parent;
}
