/* regard-token-strip.c — the pieces of one text as a row of chips.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One widget that draws itself: a chip is a kept render node, so lighting another one paints two
 * outlines. Target chips are shaded by how sure the model was, p: the darker, the surer, or on a
 * dark background the brighter. A piece that the vocabulary lacks is orange.
 */
#include "widgets/regard-token-strip.h"

#include "figures/regard-intervention-edit.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-piece-chooser.h"
#include "widgets/regard-source-contribution.h"
#include "widgets/regard-theme.h"

#include <math.h>
#include <string.h>

#define REGARD_CHIP_GAP 4.0 /* between chips */
#define THIN_GAP        1.0 /* … of one word, and */
#define WORD_GAP        7.0 /* between words, where chips say where words begin by nothing else */

/* What was done to a piece of the source. */
typedef enum {
  REGARD_CHIP_AS_IS,
  REGARD_CHIP_HIDDEN,   /* struck out */
  REGARD_CHIP_REPLACED, /* says by what, above a double line */
  REGARD_CHIP_ZEROED,   /* no plate, a dashed outline */
  REGARD_CHIP_COPIED,   /* of the translation: <unk>, and a word of the source instead; dotted below
                         */
} RegardChipIntervention;

typedef struct {
  char *text;
  RegardChipIntervention change;
  char *before; /* of one that was replaced or copied: the piece itself; else NULL */
  double p;     /* NAN: none known (source) */
  double logprob;
  gboolean is_unknown; /* the vocabulary lacks it */
  gboolean is_task;    /* of the words that tell the model its task: grey, on no plate */
  gboolean goes_on;    /* with the word that the piece before it is of */
  PangoLayout *layout;
  int text_width, text_height;
  guint first, n_of_word; /* of its word the first piece, and of that one how many there are */
  char *meaning;          /* of a word, at its first piece; NULL: not known */
  PangoLayout *meaning_layout;
  int meaning_width;
  double meaning_x;     /* in the content */
  graphene_rect_t rect; /* in the content, not scrolled */
  GskRenderNode *node;
} RegardChip;

struct _RegardTokenStrip {
  GtkWidget parent_instance;

  RegardSide side;
  guint max_lines;
  RegardSelection *selection;
  mt_copies *copies;  /* or NULL */
  RegardGloss *gloss; /* or NULL */

  GArray *chips;
  int laid_out_width; /* for which the rectangles hold; -1: none */
  double line_height;
  double meaning_height; /* of what stands below a line; 0: nothing does */
  char *summary;

  int hovered; /* by the pointer here */
  int cursor;  /* of the keyboard */
  double pointer_x, pointer_y;
  GtkWidget *scrollbar;
  GtkAdjustment *adjustment;
  gboolean has_trust; /* a line of numbers under the pieces */
  RegardTheme theme;
  gboolean theme_valid;
};

#define PAD_X  6.0
#define PAD_Y  2.0
#define EDGE   3.0 /* around all chips: outlines need room */
#define MAX_PX 260 /* of one chip's text: longer pieces are ellipsised */

G_DEFINE_FINAL_TYPE(RegardTokenStrip, regard_token_strip, GTK_TYPE_WIDGET)

static guint summary_changed;

static RegardChip *
chip(RegardTokenStrip *self, int i)
{
  return &g_array_index(self->chips, RegardChip, i);
}

static void
clear_chip(gpointer data)
{
  RegardChip *c = data;

  g_clear_pointer(&c->text, g_free);
  g_clear_pointer(&c->before, g_free);
  g_clear_pointer(&c->meaning, g_free);
  g_clear_object(&c->layout);
  g_clear_object(&c->meaning_layout);
  g_clear_pointer(&c->node, gsk_render_node_unref);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

#define NUMBER_PX 13.0 /* height of the line of numbers, at usual letters */

static RegardSourceContribution *
trust_of(RegardTokenStrip *self)
{
  return self->selection ? regard_source_contribution_of(self->selection) : NULL;
}

/* How much higher a chip is for its number, and how wide it is at least; 0 without. */
static double
trust_height(RegardTokenStrip *self)
{
  return self->has_trust ? ceil(NUMBER_PX * regard_theme_large_text(GTK_WIDGET(self))) : 0;
}

static double
trust_width(RegardTokenStrip *self)
{
  return self->has_trust ? 2.7 * trust_height(self) : 0;
}

#define MEANING_SCALE 0.85 /* of the letters of pieces */

static void
ensure_meaning(RegardTokenStrip *self, RegardChip *c)
{
  g_autoptr(PangoAttrList) small = pango_attr_list_new();
  int height;

  if (!c->meaning || c->meaning_layout)
    return;
  pango_attr_list_insert(small, pango_attr_scale_new(MEANING_SCALE));
  c->meaning_layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), c->meaning);
  pango_layout_set_attributes(c->meaning_layout, small);
  pango_layout_set_single_paragraph_mode(c->meaning_layout, TRUE);
  pango_layout_set_ellipsize(c->meaning_layout, PANGO_ELLIPSIZE_END);
  pango_layout_get_pixel_size(c->meaning_layout, &c->meaning_width, &height);
  self->meaning_height = MAX(self->meaning_height, height);
}

static void
ensure_text(RegardTokenStrip *self)
{
  for (guint i = 0; i < self->chips->len; i++) {
    RegardChip *c = chip(self, i);

    if (!c->layout) {
      c->layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), c->text);
      pango_layout_set_single_paragraph_mode(c->layout, TRUE);
      pango_layout_set_ellipsize(c->layout, PANGO_ELLIPSIZE_END);
      pango_layout_get_pixel_size(c->layout, &c->text_width, &c->text_height);
    }
    /* Emoji and CJK come from taller fonts; all lines are as high as the highest. */
    self->line_height =
        MAX(self->line_height, ceil(c->text_height + 2 * PAD_Y) + trust_height(self));
    ensure_meaning(self, c);
  }
}

static double
gap_behind(RegardTokenStrip *self, guint i)
{
  if (!self->selection || !regard_selection_get_simple(self->selection))
    return REGARD_CHIP_GAP;
  return i + 1 < self->chips->len && chip(self, (int) i + 1)->goes_on ? THIN_GAP : WORD_GAP;
}

static double
own_width(RegardTokenStrip *self, guint i, int text_max)
{
  return MAX(MIN(chip(self, (int) i)->text_width, text_max) + 2 * PAD_X, trust_width(self));
}

/* The first piece of a word is wide enough for what the word means, together with the others. */
static double
chip_width(RegardTokenStrip *self, guint i, int text_max)
{
  const RegardChip *c = chip(self, (int) i);
  const double own = own_width(self, i, text_max);
  double word = own;

  if (!c->meaning)
    return own;
  for (guint k = i + 1; k < i + c->n_of_word; k++)
    word += gap_behind(self, k - 1) + own_width(self, k, text_max);
  return own + MAX(MIN(c->meaning_width, text_max) - word, 0);
}

/* Below the pieces of its word that are on one line with the first; where the word goes on in the
 * next line, nothing stands beside it. */
static void
place_meanings(RegardTokenStrip *self, int width)
{
  for (guint i = 0; i < self->chips->len; i++) {
    RegardChip *c = chip(self, (int) i);
    double end = c->rect.origin.x + c->rect.size.width;

    if (!c->meaning)
      continue;
    for (guint k = i + 1; k < i + c->n_of_word; k++) {
      const graphene_rect_t *next = &chip(self, (int) k)->rect;
      end = next->origin.y == c->rect.origin.y ? next->origin.x + next->size.width : width - EDGE;
    }
    const double room = end - c->rect.origin.x;
    pango_layout_set_width(c->meaning_layout,
                           c->meaning_width > room ? (int) room * PANGO_SCALE : -1);
    c->meaning_x = floor(c->rect.origin.x + MAX(room - c->meaning_width, 0) / 2);
  }
}

/* From one line to the next. */
static double
pitch(RegardTokenStrip *self)
{
  return self->line_height + self->meaning_height + REGARD_CHIP_GAP;
}

/* Lines that the chips fill at a width. place: also put them there; without, nothing changes, for
 * GTK asks about widths that it does not give. */
static guint
flow(RegardTokenStrip *self, int width, gboolean place)
{
  int text_max = MAX(MIN(MAX_PX, width - 2 * (int) (PAD_X + EDGE)), 8);
  double x = EDGE;
  guint line = 0;

  ensure_text(self);
  for (guint i = 0; i < self->chips->len; i++) {
    RegardChip *c = chip(self, i);
    double w = chip_width(self, i, text_max);

    if (x > EDGE && x + w > width - EDGE) {
      x = EDGE;
      line++;
    }
    if (place) {
      if (c->text_width > text_max)
        pango_layout_set_width(c->layout, text_max * PANGO_SCALE);
      else
        pango_layout_set_width(c->layout, -1);
      if (w != c->rect.size.width || self->line_height != c->rect.size.height)
        g_clear_pointer(&c->node, gsk_render_node_unref);
      c->rect = GRAPHENE_RECT_INIT(x, EDGE + line * pitch(self), w, self->line_height);
    }
    x += w + gap_behind(self, i);
  }
  if (place) {
    place_meanings(self, width);
    self->laid_out_width = width;
  }
  return self->chips->len > 0 ? line + 1 : 0;
}

static double
height_of_lines(RegardTokenStrip *self, guint lines)
{
  return lines == 0 ? 0 : 2 * EDGE + lines * pitch(self) - REGARD_CHIP_GAP;
}

static double
scrolled(RegardTokenStrip *self)
{
  return floor(gtk_adjustment_get_value(self->adjustment));
}

int
regard_token_strip_token_at(RegardTokenStrip *self, double x, double y)
{
  if (self->laid_out_width < 0 || y < 0 || y > gtk_widget_get_height(GTK_WIDGET(self)))
    return -1;
  y += scrolled(self);
  for (guint i = 0; i < self->chips->len; i++) {
    graphene_rect_t rect = chip(self, i)->rect;

    rect.size.height += (float) self->meaning_height;
    graphene_rect_inset(&rect, -REGARD_CHIP_GAP / 2,
                        -REGARD_CHIP_GAP / 2); /* no dead pixels between chips */
    if (graphene_rect_contains_point(&rect, &GRAPHENE_POINT_INIT(x, y)))
      return i;
  }
  return -1;
}

gboolean
regard_token_strip_get_chip(RegardTokenStrip *self, int token, graphene_rect_t *rect)
{
  if (token < 0 || (guint) token >= self->chips->len || self->laid_out_width < 0)
    return FALSE;
  *rect = chip(self, token)->rect;
  rect->origin.y -= scrolled(self);
  return TRUE;
}

static void
show_chip(RegardTokenStrip *self, int token)
{
  if (token < 0 || (guint) token >= self->chips->len || self->laid_out_width < 0)
    return;
  gtk_adjustment_clamp_page(self->adjustment, chip(self, token)->rect.origin.y - EDGE,
                            chip(self, token)->rect.origin.y + pitch(self) - REGARD_CHIP_GAP +
                                EDGE);
}

/* ---- Content --------------------------------------------------------------------------------- */

static gboolean
is_lit(RegardTokenStrip *self, int token)
{
  if (token == self->hovered)
    return TRUE;
  if (!self->selection)
    return FALSE;
  return self->side == REGARD_SIDE_SOURCE ? regard_selection_is_source_lit(self->selection, token)
                                          : regard_selection_is_target_lit(self->selection, token);
}

static int
lit_token(RegardTokenStrip *self)
{
  if (self->hovered >= 0 || !self->selection)
    return self->hovered;
  return self->side == REGARD_SIDE_SOURCE ? regard_selection_get_lit_source(self->selection)
                                          : regard_selection_get_lit_target(self->selection);
}

/* For the summary; NULL: nothing is known. Caller frees. */
static char *
describe_trust(RegardTokenStrip *self, int token)
{
  if (!self->has_trust || token < 0)
    return NULL;
  return regard_source_contribution_describe_token(trust_of(self), self->side == REGARD_SIDE_SOURCE,
                                                   (gsize) token);
}

static char *
describe_change(const RegardChip *chip)
{
  switch (chip->change) {
  case REGARD_CHIP_HIDDEN:
    return g_strdup(_("hidden from the model"));
  case REGARD_CHIP_REPLACED:
    return g_strdup_printf(_("replaced by %s"), chip->text);
  case REGARD_CHIP_ZEROED:
    return g_strdup(_("its embedding is zero"));
  case REGARD_CHIP_COPIED:
    return g_strdup_printf(_("%s copied from the source"), chip->text);
  case REGARD_CHIP_AS_IS:
    break;
  }
  return NULL;
}

/* The piece, and what its word means. Caller frees. */
static char *
dup_name(RegardTokenStrip *self, int token)
{
  const RegardChip *c = chip(self, token);
  const char *piece = c->before ? c->before : c->text;
  const char *meaning = regard_token_strip_get_meaning(self, token);

  /* Translators: a piece of a word, and what the word means in your language. */
  return meaning ? g_strdup_printf(_("%s (meaning: %s)"), piece, meaning) : g_strdup(piece);
}

static void
update_summary(RegardTokenStrip *self)
{
  int lit = lit_token(self);
  g_autofree char *summary = NULL;

  if (lit >= 0 && (guint) lit < self->chips->len) {
    RegardChip *c = chip(self, lit);
    g_autofree char *change = describe_change(c), *name = dup_name(self, lit);

    if (change)
      summary = g_strdup_printf(_("%s · %s · %d of %u"), name, change, lit + 1, self->chips->len);
    else if (c->is_unknown && isnan(c->p))
      summary = g_strdup_printf(_("%s · not in the vocabulary, read as <unk> · %d of %u"), name,
                                lit + 1, self->chips->len);
    else
      summary = isnan(c->p)
                    ? g_strdup_printf(_("%s · %d of %u"), name, lit + 1, self->chips->len)
                    : regard_strdup_printf(_("%s · p %.3f · log p −%.2f · %d of %u"), name, c->p,
                                           fabs(c->logprob), lit + 1, self->chips->len);
  } else if (self->chips->len > 0)
    summary =
        g_strdup_printf(ngettext("%u piece", "%u pieces", self->chips->len), self->chips->len);
  else
    summary = g_strdup("");
  g_autofree char *trust = describe_trust(self, lit);
  if (trust) {
    g_autofree char *plain = g_steal_pointer(&summary);
    summary = g_strdup_printf("%s · %s", plain, trust);
  }
  if (g_strcmp0(summary, self->summary) == 0)
    return;
  g_free(self->summary);
  self->summary = g_steal_pointer(&summary);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                 self->summary, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, self->summary,
                                 -1);
  g_signal_emit(self, summary_changed, 0);
}

/* ---- Under each piece how much of it is from the source, or was used ------------------------- */

/* A number, a bar, and a mark where that is little. */

#define MARK 7.0 /* a mark is so wide */

/* Little of a word is from the source: a warning triangle. A source token was left out: a hollow
 * diamond. The shapes differ, and what they mean is said in words too. */
static void
draw_mark(const RegardTokenStrip *self, cairo_t *cr, double x, double y)
{
  gdk_cairo_set_source_rgba(cr, &self->theme.mark);
  cairo_set_line_width(cr, 1.4);
  if (self->side == REGARD_SIDE_TARGET) {
    cairo_move_to(cr, x + MARK / 2, y);
    cairo_line_to(cr, x + MARK, y + MARK);
    cairo_line_to(cr, x, y + MARK);
    cairo_close_path(cr);
    cairo_fill(cr);
    return;
  }
  cairo_move_to(cr, x + MARK / 2, y);
  cairo_line_to(cr, x + MARK, y + MARK / 2);
  cairo_line_to(cr, x + MARK / 2, y + MARK);
  cairo_line_to(cr, x, y + MARK / 2);
  cairo_close_path(cr);
  cairo_stroke(cr);
}

/* Over a chip whose upper left corner is at 0, 0. */
static void
draw_trust(RegardTokenStrip *self, const RegardChip *chip, guint token, GtkSnapshot *snapshot)
{
  const gboolean is_source = self->side == REGARD_SIDE_SOURCE;
  const double value =
      self->has_trust ? regard_source_contribution_value(trust_of(self), is_source, token) : NAN;
  const double w = chip->rect.size.width, h = chip->rect.size.height;
  const double line = trust_height(self);
  g_autoptr(PangoLayout) layout = NULL;
  int width, height;

  if (isnan(value))
    return;
  gboolean marked = regard_source_contribution_is_marked(trust_of(self), is_source, token);
  g_autofree char *number = g_strdup_printf("%.0f", 100 * value);
  layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), number);
  PangoFontDescription *font = pango_font_description_copy(
      pango_context_get_font_description(pango_layout_get_context(layout)));
  pango_font_description_set_absolute_size(font, line * 0.86 * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  pango_layout_get_pixel_size(layout, &width, &height);

  cairo_t *cr =
      gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float) w, (float) h));
  gdk_cairo_set_source_rgba(cr, marked ? &self->theme.fg : &self->theme.dim);
  cairo_move_to(cr, floor((w - width - (marked ? MARK + 2 : 0)) / 2 + (marked ? MARK + 2 : 0)),
                floor(h - 3 - line / 2 - height / 2.0));
  pango_cairo_show_layout(cr, layout);
  if (marked)
    draw_mark(self, cr, floor((w - width - MARK - 2) / 2), floor(h - 3 - line / 2 - MARK / 2));
  /* The bar: all of the chip's width is 1. */
  gdk_cairo_set_source_rgba(cr, marked ? &self->theme.mark : &self->theme.accent);
  cairo_rectangle(cr, 3, h - 2.5, (w - 6) * CLAMP(value, 0, 1), 2);
  cairo_fill(cr);
  cairo_destroy(cr);
}

static gboolean
on_tooltip(RegardTokenStrip *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  const int token = keyboard ? self->cursor : regard_token_strip_token_at(self, x, y);
  g_autofree char *of_token = describe_trust(self, token);
  g_autofree char *of_all =
      self->has_trust ? regard_source_contribution_describe(trust_of(self)) : NULL;
  g_autofree char *text =
      of_token && of_all ? g_strdup_printf("%s\n%s", of_token, of_all) : g_strdup(of_all);

  if (!text)
    return FALSE;
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

static void
on_changed(RegardTokenStrip *self)
{
  const gboolean has_trust = regard_source_contribution_is_on(trust_of(self));

  if (has_trust != self->has_trust) {
    self->has_trust = has_trust;
    self->laid_out_width = -1;
    self->line_height = 0;
    gtk_widget_set_has_tooltip(GTK_WIDGET(self), has_trust);
    gtk_widget_queue_resize(GTK_WIDGET(self));
  }
  update_summary(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
add_trust(RegardTokenStrip *self)
{
  g_signal_connect(self, "query-tooltip", G_CALLBACK(on_tooltip), NULL);
}

/* ---- Pieces of the source that are hidden, replaced or zeroed in the model ------------------- */

/* What is drawn, what is said, and how it is done. */

static mt_model *
get_model(RegardTokenStrip *self)
{
  mt_model *model = regard_selection_get_pass_model(self->selection);
  return model ? model : regard_selection_get_model(self->selection);
}

/* ---- What is seen ------------------------------------------------------------------------------
 */
static void
load_change(RegardTokenStrip *self, guint i)
{
  const mt_interventions *interventions =
      mt_capture_interventions(regard_selection_get_capture(self->selection));
  RegardChip *c = &g_array_index(self->chips, RegardChip, i);
  mt_intervention_row row;

  if (!regard_interventions_of_source(interventions, i, &row))
    return;
  if (g_str_equal(row.how, "hide"))
    c->change = REGARD_CHIP_HIDDEN;
  else if (g_str_equal(row.how, "zero"))
    c->change = REGARD_CHIP_ZEROED;
  else {
    mt_model *model = get_model(self);
    const char *piece =
        model ? mt_model_piece(model, MT_STACK_ENCODER, (int32_t) row.numbers[0]) : NULL;
    c->change = REGARD_CHIP_REPLACED;
    c->before = c->text;
    c->text = piece ? regard_visible(piece) : g_strdup_printf("№ %.0f", row.numbers[0]);
  }
}

static gboolean
is_of_tokens(const mt_copies *copies, const mt_tokens *tokens)
{
  const mt_tokens *own = copies->tokens;
  gboolean is = mt_tokens_count(own) == mt_tokens_count(tokens);
  for (gsize i = 0; is && i < mt_tokens_count(own); i++)
    is = mt_tokens_get(own, i)->id == mt_tokens_get(tokens, i)->id;
  return is;
}

/* "hidden", "replaced by …": for the summary; NULL: nothing was changed. Caller frees. */
/* What is copied into chips of a translation of these tokens. */
static void
load_copies(RegardTokenStrip *self, const mt_tokens *tokens)
{
  if (!self->copies || !tokens || !is_of_tokens(self->copies, tokens))
    return;
  for (gsize i = 0; i < self->copies->n; i++) {
    const mt_copied *copied = &self->copies->copied[i];
    const char *text = mt_tokens_text(self->copies->tokens);
    g_autofree char *word = g_strndup(text + copied->begin, copied->end - copied->begin);
    gsize t = copied->first;

    while (!mt_token_is_unknown(mt_tokens_get(tokens, t)))
      t++;
    RegardChip *c = &g_array_index(self->chips, RegardChip, t);
    c->change = REGARD_CHIP_COPIED;
    c->before = c->text;
    c->text = regard_visible(word);
  }
}

static void
draw_line(RegardTokenStrip *self, GtkSnapshot *snapshot, double y, double width)
{
  gtk_snapshot_append_color(snapshot, &self->theme.mark,
                            &GRAPHENE_RECT_INIT(3, (float) floor(y), (float) width - 6, 1.5f));
}

/* Over a chip whose upper left corner is at 0, 0. */
static void
draw_change(RegardTokenStrip *self, const RegardChip *chip, GtkSnapshot *snapshot)
{
  const double w = chip->rect.size.width, h = chip->rect.size.height, dashes[] = {3, 2.5};
  cairo_t *cr;

  switch (chip->change) {
  case REGARD_CHIP_HIDDEN:
    draw_line(self, snapshot, h / 2, w);
    return;
  case REGARD_CHIP_REPLACED:
    draw_line(self, snapshot, h - 5, w);
    draw_line(self, snapshot, h - 2, w);
    return;
  case REGARD_CHIP_ZEROED:
    cr = gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float) w, (float) h));
    gdk_cairo_set_source_rgba(cr, &self->theme.mark);
    cairo_set_line_width(cr, 1.5);
    cairo_set_dash(cr, dashes, G_N_ELEMENTS(dashes), 0);
    cairo_rectangle(cr, 1, 1, w - 2, h - 2);
    cairo_stroke(cr);
    cairo_destroy(cr);
    return;
  case REGARD_CHIP_COPIED:
    for (double x = 4; x + 2 <= w - 3; x += 4)
      gtk_snapshot_append_color(snapshot, &self->theme.mark,
                                &GRAPHENE_RECT_INIT((float) x, (float) floor(h - 4), 2, 2));
    return;
  case REGARD_CHIP_AS_IS:
    return;
  }
}

/* ---- What is done ------------------------------------------------------------------------------
 */
static gboolean
switch_chip(RegardTokenStrip *self, int token, const char *how)
{
  g_autofree char *line = g_strdup_printf("source %d %s", token + 1, how);
  return self->side == REGARD_SIDE_SOURCE && token >= 0 &&
         gtk_widget_activate_action(GTK_WIDGET(self), "win.toggle-change", "s", line);
}

static void
on_chosen(RegardPieceChooser *chooser, int id, RegardTokenStrip *self)
{
  const int token = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(chooser), "token"));
  g_autofree char *line = g_strdup_printf("source %d piece %d", token + 1, id);
  gtk_widget_activate_action(GTK_WIDGET(self), "win.make-change", "s", line);
  gtk_widget_grab_focus(GTK_WIDGET(self));
}

static void
replace_token(RegardTokenStrip *self, int token)
{
  graphene_rect_t rect;
  mt_model *model = self->selection ? get_model(self) : NULL;
  if (!model || !regard_token_strip_get_chip(self, token, &rect))
    return;
  RegardChip *c = &g_array_index(self->chips, RegardChip, token);
  RegardPieceChooser *chooser =
      regard_piece_chooser_open(GTK_WIDGET(self), &rect, model, c->before ? c->before : c->text);
  g_object_set_data(G_OBJECT(chooser), "token", GINT_TO_POINTER(token));
  g_signal_connect_object(chooser, "chosen", G_CALLBACK(on_chosen), self, 0);
}

static void
replace(GSimpleAction *action, GVariant *parameter, gpointer strip)
{
  replace_token(strip, g_variant_get_int32(parameter));
}

static void
add_actions(RegardTokenStrip *self)
{
  const GActionEntry entries[] = {{"replace", replace, "i", NULL, NULL, {0}}};
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), self);
  gtk_widget_insert_action_group(GTK_WIDGET(self), "pieces", G_ACTION_GROUP(group));
}

static void
append(GMenu *menu, const char *label, const char *action, int token, const char *how)
{
  g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
  g_autofree char *line = g_strdup_printf("source %d %s", token + 1, how);
  g_menu_item_set_action_and_target(item, action, "s", line);
  g_menu_append_item(menu, item);
}

/* What can be done to a token: menu, replacing, a line such as "source 5 hide". */
static void
open_menu(RegardTokenStrip *self, int token, double x, double y)
{
  const RegardChip *c = &g_array_index(self->chips, RegardChip, token);
  g_autoptr(GMenu) menu = g_menu_new();
  g_autofree char *another = g_strdup_printf("pieces.replace(%d)", token);

  if (c->change != REGARD_CHIP_HIDDEN)
    append(menu, _("_Hide from the Model"), "win.make-change", token, "hide");
  g_menu_append(menu, _("_Replace by Another Piece…"), another);
  if (c->change != REGARD_CHIP_ZEROED)
    append(menu, _("_Zero Its Embedding"), "win.make-change", token, "zero");
  if (c->change != REGARD_CHIP_AS_IS)
    append(menu, _("_As in the Text Again"), "win.restore-change", token, "hide");
  regard_menu_popup_at(GTK_WIDGET(self), x, y, G_MENU_MODEL(menu));
}

/* ---- Pointer and keys on the chips ------------------------------------------------------ */

static void
hover(RegardTokenStrip *self, int token)
{
  if (token == self->hovered)
    return;
  self->hovered = token;
  if (self->selection) {
    if (self->side == REGARD_SIDE_SOURCE)
      regard_selection_hover_source(self->selection, token);
    else
      regard_selection_hover_target(self->selection, token);
  }
  update_summary(self);
  /* Also where the text is the same: whether it is about the pointer has changed. */
  g_signal_emit(self, summary_changed, 0);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static gboolean
pin(RegardTokenStrip *self, int token)
{
  RegardCell cell, old;

  if (!self->selection || token < 0)
    return FALSE;
  cell = self->side == REGARD_SIDE_SOURCE ? regard_selection_cell_of_source(self->selection, token)
                                          : regard_selection_cell_of_target(self->selection, token);
  old = regard_selection_get_pin(self->selection);
  if (cell.row < 0 && cell.col < 0)
    return FALSE; /* this text is not on an axis of the picture */
  if (cell.row == old.row && cell.col == old.col)
    cell.row = cell.col = -1;
  regard_selection_set_pin(self->selection, cell);
  return TRUE;
}

/* Its row or column, with the others that are added up. */
static gboolean
add_up(RegardTokenStrip *self, int token)
{
  return self->selection && token >= 0 &&
         regard_selection_toggle_summed(
             self->selection, self->side == REGARD_SIDE_SOURCE
                                  ? regard_selection_cell_of_source(self->selection, token)
                                  : regard_selection_cell_of_target(self->selection, token));
}

/* Handlers, connected in regard_token_strip_init(). */
static void
on_motion(RegardTokenStrip *self, double x, double y)
{
  self->pointer_x = x;
  self->pointer_y = y;
  hover(self, regard_token_strip_token_at(self, x, y));
}

static void
on_leave(RegardTokenStrip *self)
{
  self->pointer_x = self->pointer_y = -1;
  hover(self, -1);
}

static void
on_pressed(RegardTokenStrip *self, int n_press, double x, double y, GtkEventController *controller)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state(controller);
  int token = regard_token_strip_token_at(self, x, y);

  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (token < 0)
    return;
  self->cursor = token;
  if (state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK))
    add_up(self, token);
  else
    pin(self, token);
}

static void
on_secondary(RegardTokenStrip *self, int n_press, double x, double y)
{
  int token = regard_token_strip_token_at(self, x, y);

  if (token < 0 || self->side != REGARD_SIDE_SOURCE)
    return;
  gtk_widget_grab_focus(GTK_WIDGET(self));
  self->cursor = token;
  open_menu(self, token, x, y);
}

static gboolean
open_menu_here(RegardTokenStrip *self)
{
  graphene_rect_t r;

  if (self->side != REGARD_SIDE_SOURCE || !regard_token_strip_get_chip(self, self->cursor, &r))
    return FALSE;
  open_menu(self, self->cursor, r.origin.x + r.size.width / 2, r.origin.y + r.size.height);
  return TRUE;
}

static gboolean
on_scroll(RegardTokenStrip *self, double dx, double dy)
{
  if (!gtk_widget_get_child_visible(self->scrollbar))
    return FALSE;
  gtk_adjustment_set_value(self->adjustment,
                           gtk_adjustment_get_value(self->adjustment) + dy * pitch(self));
  return TRUE;
}

static void
on_scrolled(RegardTokenStrip *self)
{
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static gboolean
on_key(RegardTokenStrip *self, guint keyval, guint keycode, GdkModifierType state)
{
  int n = self->chips->len, cursor = self->cursor;

  if (n == 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)))
    return FALSE;
  switch (regard_plain_key(keyval)) {
  case GDK_KEY_Left:
    cursor = MAX(cursor - 1, 0);
    break;
  case GDK_KEY_Right:
    cursor = MIN(cursor + 1, n - 1);
    break;
  case GDK_KEY_Home:
    cursor = 0;
    break;
  case GDK_KEY_End:
    cursor = n - 1;
    break;
  case GDK_KEY_Return:
  case GDK_KEY_space:
    return state & GDK_SHIFT_MASK ? add_up(self, cursor) : pin(self, cursor);
  case GDK_KEY_Delete:
    return switch_chip(self, cursor, state & GDK_SHIFT_MASK ? "zero" : "hide");
  case GDK_KEY_F2:
    if (self->side != REGARD_SIDE_SOURCE || cursor < 0)
      return FALSE;
    replace_token(self, cursor);
    return TRUE;
  case GDK_KEY_Menu:
    return open_menu_here(self);
  case GDK_KEY_F10:
    return (state & GDK_SHIFT_MASK) && open_menu_here(self);
  default:
    return FALSE;
  }
  self->cursor = cursor;
  show_chip(self, cursor);
  hover(self, cursor);
  return TRUE;
}

static void
on_focus_enter(RegardTokenStrip *self)
{
  if (self->cursor < 0 && self->chips->len > 0)
    self->cursor = 0;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_focus_leave(RegardTokenStrip *self)
{
  if (self->pointer_x < 0)
    hover(self, -1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* ---- What is shown ---------------------------------------------------------------------- */

/* As in a simple window: without the marks of words, and which of them go on with one. */
static void
make_plain(RegardTokenStrip *self, const mt_tokens *tokens)
{
  guint n;
  g_autofree guint *begins = regard_words_find(tokens, &n);
  for (guint w = 0; w < n; w++)
    for (guint i = begins[w]; i < begins[w + 1]; i++) {
      RegardChip *c = chip(self, (int) i);
      c->goes_on = i > begins[w];
      regard_plain_text(c->change == REGARD_CHIP_COPIED ? &c->before : &c->text);
      if (c->change == REGARD_CHIP_REPLACED)
        regard_plain_text(&c->before);
    }
}

/* What the words of a list mean, but for those that are others in the model. */
static void
load_meanings(RegardTokenStrip *self, const mt_tokens *tokens)
{
  guint n;
  g_autofree guint *begins = regard_words_find(tokens, &n);
  for (guint w = 0; w < n; w++) {
    const gsize from = mt_tokens_get(tokens, begins[w])->begin;
    const gsize to = mt_tokens_get(tokens, begins[w + 1] - 1)->end;
    RegardChip *first = chip(self, (int) begins[w]);
    gboolean is_own = from < to && !first->is_task;

    first->n_of_word = begins[w + 1] - begins[w];
    for (guint i = begins[w]; i < begins[w + 1]; i++) {
      RegardChip *c = chip(self, (int) i);
      c->first = begins[w];
      is_own = is_own && c->change != REGARD_CHIP_REPLACED && c->change != REGARD_CHIP_COPIED;
    }
    if (!is_own)
      continue;
    g_autofree char *text = g_strndup(mt_tokens_text(tokens) + from, to - from);
    g_autofree char *word = regard_visible(g_strstrip(text));
    first->meaning = g_strdup(regard_gloss_find(self->gloss, word));
  }
}

static void
load_tokens(RegardTokenStrip *self)
{
  mt_capture *capture = self->selection ? regard_selection_get_capture(self->selection) : NULL;
  const mt_tokens *tokens = NULL;
  const float *logprobs = NULL;

  if (capture && self->side == REGARD_SIDE_SOURCE)
    tokens = mt_capture_source(capture);
  else if (capture) {
    tokens = mt_capture_output(capture);
    logprobs = mt_capture_logprobs(capture);
  }

  regard_accessible_set_label(GTK_WIDGET(self),
                              regard_naming_pieces_of(capture, self->side == REGARD_SIDE_SOURCE
                                                                   ? MT_STACK_ENCODER
                                                                   : MT_STACK_DECODER));
  gtk_widget_set_name(GTK_WIDGET(self),
                      self->side == REGARD_SIDE_SOURCE ? "source-pieces" : "translation-pieces");

  g_array_set_size(self->chips, 0);
  for (gsize i = 0; tokens && i < mt_tokens_count(tokens); i++) {
    RegardChip c = {.p = NAN, .logprob = NAN};

    c.text = regard_token_display(tokens, i, FALSE);
    c.is_unknown = mt_token_is_unknown(mt_tokens_get(tokens, i));
    c.is_task = mt_tokens_get(tokens, i)->is_prefix;
    if (logprobs) {
      c.logprob = logprobs[i];
      c.p = exp(logprobs[i]);
    }
    g_array_append_val(self->chips, c);
    if (self->side == REGARD_SIDE_SOURCE)
      load_change(self, (guint) i);
  }
  if (self->side == REGARD_SIDE_TARGET)
    load_copies(self, tokens);
  if (tokens && regard_selection_get_simple(self->selection))
    make_plain(self, tokens);
  if (tokens && self->gloss)
    load_meanings(self, tokens);
  self->hovered = -1;
  self->cursor = MIN(self->cursor, (int) self->chips->len - 1);
  self->laid_out_width = -1;
  self->line_height = self->meaning_height = 0;
  update_summary(self);
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

static void
on_cells_changed(RegardTokenStrip *self)
{
  if (self->hovered < 0)
    show_chip(self, lit_token(self));
  update_summary(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* The newest token of the translation is in sight. */
static void
on_step(RegardTokenStrip *self)
{
  if (self->side == REGARD_SIDE_TARGET)
    show_chip(self, MAX(regard_selection_get_reached(self->selection) - 1, -1));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_token_strip_set_selection(RegardTokenStrip *self, RegardSelection *selection)
{
  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  regard_connect(trust_of(self), "changed", G_CALLBACK(on_changed), self);
  on_changed(self);
  regard_connect(selection, "notify::capture", G_CALLBACK(load_tokens), self);
  regard_connect(selection, "notify::simple", G_CALLBACK(load_tokens), self);
  regard_connect(selection, "hover-changed", G_CALLBACK(on_cells_changed), self);
  regard_connect(selection, "pin-changed", G_CALLBACK(on_cells_changed), self);
  regard_connect(selection, "notify::dimmed", G_CALLBACK(on_cells_changed), self);
  regard_connect(selection, "notify::step", G_CALLBACK(on_step), self);
  regard_connect(selection, "reached-changed", G_CALLBACK(on_step), self);
  regard_connect(selection, "summed-changed", G_CALLBACK(on_cells_changed), self);
  load_tokens(self);
}

void
regard_token_strip_set_copies(RegardTokenStrip *self, const mt_copies *copies)
{
  if (copies == self->copies)
    return;
  mt_copies_unref(self->copies);
  self->copies = copies ? mt_copies_ref((mt_copies *) copies) : NULL;
  load_tokens(self);
}

void
regard_token_strip_set_gloss(RegardTokenStrip *self, RegardGloss *gloss)
{
  if (gloss == self->gloss)
    return;
  regard_gloss_unref(self->gloss);
  self->gloss = gloss ? regard_gloss_ref(gloss) : NULL;
  load_tokens(self);
}

const char *
regard_token_strip_get_meaning(RegardTokenStrip *self, int token)
{
  if (token < 0 || (guint) token >= self->chips->len)
    return NULL;
  return chip(self, (int) chip(self, token)->first)->meaning;
}

void
regard_token_strip_set_max_lines(RegardTokenStrip *self, guint max_lines)
{
  max_lines = MAX(max_lines, 1);
  if (max_lines == self->max_lines)
    return;
  self->max_lines = max_lines;
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

const char *
regard_token_strip_get_summary(RegardTokenStrip *self)
{
  return self->summary;
}

int
regard_token_strip_get_hovered(RegardTokenStrip *self)
{
  return self->hovered;
}

/* ---- GtkWidget ------------------------------------------------------------------------------- */

static GtkSizeRequestMode
get_request_mode(GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  RegardTokenStrip *self = REGARD_TOKEN_STRIP(widget);

  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = 60;
    *natural = 240;
    return;
  }
  guint lines = flow(self, for_size < 0 ? MAX(gtk_widget_get_width(widget), 240) : for_size, FALSE);
  *minimum = *natural = ceil(height_of_lines(self, MIN(lines, self->max_lines)));
  if (for_size < 0) /* what it needs if it is as wide as it likes */
    *minimum = ceil(height_of_lines(self, MIN(lines, 1)));
}

static void
size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  RegardTokenStrip *self = REGARD_TOKEN_STRIP(widget);
  int min_w, min_h;
  guint lines = flow(self, width, TRUE);
  double content = height_of_lines(self, lines);
  gboolean scrolls = content > height + 0.5;

  if (scrolls) {
    gtk_widget_measure(self->scrollbar, GTK_ORIENTATION_HORIZONTAL, -1, &min_w, NULL, NULL, NULL);
    lines = flow(self, MAX(width - min_w, 20), TRUE);
    content = height_of_lines(self, lines);
  }
  gtk_adjustment_configure(self->adjustment,
                           CLAMP(gtk_adjustment_get_value(self->adjustment), 0,
                                 MAX(content - height, 0)),
                           0, MAX(content, height), pitch(self), MAX(height - self->line_height, 1),
                           height);
  gtk_widget_set_child_visible(self->scrollbar, scrolls);
  if (scrolls) {
    gtk_widget_measure(self->scrollbar, GTK_ORIENTATION_VERTICAL, -1, &min_h, NULL, NULL, NULL);
    gtk_widget_size_allocate(self->scrollbar,
                             &(GtkAllocation){width - min_w, 0, min_w, MAX(height, min_h)}, -1);
  }
}

static GskRenderNode *
chip_node(RegardTokenStrip *self, const RegardChip *c)
{
  GtkSnapshot *snapshot = gtk_snapshot_new();
  GdkRGBA plate = self->theme.fg;
  GskRoundedRect outline;
  int width, height;

  plate.alpha = 0.07;
  if (!isnan(c->p)) {
    plate = self->theme.accent;
    plate.alpha = 0.07 + 0.43 * CLAMP(c->p, 0, 1);
  }
  if (c->is_unknown) {
    plate = self->theme.mark;
    plate.alpha = 0.4;
  }
  if (c->change == REGARD_CHIP_ZEROED || (c->is_task && !c->is_unknown))
    plate.alpha = 0;
  gsk_rounded_rect_init_from_rect(
      &outline, &GRAPHENE_RECT_INIT(0, 0, c->rect.size.width, c->rect.size.height), 5);
  gtk_snapshot_push_rounded_clip(snapshot, &outline);
  gtk_snapshot_append_color(snapshot, &plate, &outline.bounds);
  gtk_snapshot_pop(snapshot);

  pango_layout_get_pixel_size(c->layout, &width, &height);
  gtk_snapshot_translate(
      snapshot,
      &GRAPHENE_POINT_INIT(floor((c->rect.size.width - width) / 2),
                           floor((c->rect.size.height - height - trust_height(self)) / 2)));
  gtk_snapshot_append_layout(snapshot, c->layout, c->is_task ? &self->theme.dim : &self->theme.fg);
  return gtk_snapshot_free_to_node(snapshot);
}

/* Below a chip whose upper left corner is at 0, 0. */
static void
append_meaning(RegardTokenStrip *self, const RegardChip *c, GtkSnapshot *snapshot)
{
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float) c->meaning_x - c->rect.origin.x,
                                                        c->rect.size.height));
  gtk_snapshot_append_layout(snapshot, c->meaning_layout, &self->theme.dim);
  gtk_snapshot_restore(snapshot);
}

static void
snapshot_widget(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardTokenStrip *self = REGARD_TOKEN_STRIP(widget);
  double width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  double dy = scrolled(self);
  gboolean dimmed = self->selection && regard_selection_get_dimmed(self->selection);
  gboolean focused = gtk_widget_has_focus(widget);
  int reached = self->selection && self->side == REGARD_SIDE_TARGET
                    ? regard_selection_get_reached(self->selection)
                    : -1;

  if (self->chips->len == 0 || self->laid_out_width < 0)
    return;
  if (!self->theme_valid)
    regard_theme_get(widget, &self->theme);
  self->theme_valid = TRUE;

  if (dimmed)
    gtk_snapshot_push_opacity(snapshot, regard_theme_opacity(&self->theme, REGARD_STALE_OPACITY));
  gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, width, height));
  for (guint i = 0; i < self->chips->len; i++) {
    RegardChip *c = chip(self, i);
    double x = c->rect.origin.x, y = c->rect.origin.y - dy;
    double w = c->rect.size.width, h = c->rect.size.height;

    if (y + h + self->meaning_height < 0 || y > height)
      continue;
    if (!c->node)
      c->node = chip_node(self, c);
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(x, y));
    gboolean hidden = c->change == REGARD_CHIP_HIDDEN, later = reached >= 0 && (int) i >= reached;
    if (hidden || later) /* or it is not there yet */
      gtk_snapshot_push_opacity(snapshot, regard_theme_opacity(&self->theme, REGARD_LATER_OPACITY));
    gtk_snapshot_append_node(snapshot, c->node);
    if (c->meaning)
      append_meaning(self, c, snapshot);
    if (hidden || later)
      gtk_snapshot_pop(snapshot);
    draw_change(self, c, snapshot);
    draw_trust(self, c, i, snapshot);
    gtk_snapshot_restore(snapshot);
    if (is_lit(self, i))
      regard_snapshot_outline(snapshot, x - 1, y - 1, w + 2, h + 2, 2, 6, &self->theme.accent);
    if (focused && (int) i == self->cursor)
      regard_snapshot_outline(snapshot, x - 3, y - 3, w + 6, h + 6, 1, 8, &self->theme.fg);
  }
  gtk_snapshot_pop(snapshot);
  if (dimmed)
    gtk_snapshot_pop(snapshot);
  gtk_widget_snapshot_child(widget, self->scrollbar, snapshot);
}

static void
restyle(RegardTokenStrip *self)
{
  self->theme_valid = FALSE;
  for (guint i = 0; i < self->chips->len; i++) {
    g_clear_pointer(&chip(self, i)->node, gsk_render_node_unref);
    g_clear_object(&chip(self, i)->layout);
    g_clear_object(&chip(self, i)->meaning_layout);
  }
  self->laid_out_width = -1;
  self->line_height = self->meaning_height = 0;
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

static void
css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_token_strip_parent_class)->css_changed(widget, change);
  restyle(REGARD_TOKEN_STRIP(widget));
}

static void
system_setting_changed(GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS(regard_token_strip_parent_class)->system_setting_changed(widget, setting);
  restyle(REGARD_TOKEN_STRIP(widget));
}

static void
dispose(GObject *object)
{
  RegardTokenStrip *self = REGARD_TOKEN_STRIP(object);

  g_clear_object(&self->selection);
  g_clear_pointer(&self->scrollbar, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_token_strip_parent_class)->dispose(object);
}

static void
finalize(GObject *object)
{
  RegardTokenStrip *self = REGARD_TOKEN_STRIP(object);

  g_array_unref(self->chips);
  g_clear_object(&self->adjustment);
  g_free(self->summary);
  mt_copies_unref(self->copies);
  regard_gloss_unref(self->gloss);
  G_OBJECT_CLASS(regard_token_strip_parent_class)->finalize(object);
}

static void
regard_token_strip_class_init(RegardTokenStripClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  object_class->dispose = dispose;
  object_class->finalize = finalize;
  widget_class->get_request_mode = get_request_mode;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->snapshot = snapshot_widget;
  widget_class->css_changed = css_changed;
  widget_class->system_setting_changed = system_setting_changed;

  summary_changed = regard_signal_new(klass, "summary-changed", 0);

  gtk_widget_class_set_css_name(widget_class, "tokenstrip");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
regard_token_strip_init(RegardTokenStrip *self)
{
  static const RegardInput input = {
      .motion = G_CALLBACK(on_motion),
      .leave = G_CALLBACK(on_leave),
      .pressed = G_CALLBACK(on_pressed),
      .secondary = G_CALLBACK(on_secondary),
      .scroll = G_CALLBACK(on_scroll),
      .axes = GTK_EVENT_CONTROLLER_SCROLL_VERTICAL,
      .key = G_CALLBACK(on_key),
      .focus_in = G_CALLBACK(on_focus_enter),
      .focus_out = G_CALLBACK(on_focus_leave),
  };

  self->max_lines = 3;
  self->hovered = self->cursor = self->laid_out_width = -1;
  self->pointer_x = self->pointer_y = -1;
  self->chips = g_array_new(FALSE, TRUE, sizeof(RegardChip));
  g_array_set_clear_func(self->chips, clear_chip);
  /* What is drawn goes from left to right in every language, as in a figure. */
  gtk_widget_set_direction(GTK_WIDGET(self), GTK_TEXT_DIR_LTR);
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_hexpand(GTK_WIDGET(self), TRUE);

  self->adjustment = g_object_ref_sink(gtk_adjustment_new(0, 0, 0, 0, 0, 0));
  self->scrollbar = gtk_scrollbar_new(GTK_ORIENTATION_VERTICAL, self->adjustment);
  gtk_widget_set_parent(self->scrollbar, GTK_WIDGET(self));
  gtk_widget_set_child_visible(self->scrollbar, FALSE);
  g_signal_connect_swapped(self->adjustment, "value-changed", G_CALLBACK(on_scrolled), self);

  regard_widget_listen(GTK_WIDGET(self), &input);
  add_actions(self);
  add_trust(self);
}

GtkWidget *
regard_token_strip_new(RegardSide side)
{
  RegardTokenStrip *self = g_object_new(REGARD_TYPE_TOKEN_STRIP, NULL);

  self->side = side;
  load_tokens(self);
  return GTK_WIDGET(self);
}
