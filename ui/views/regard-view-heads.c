/* regard-view-heads.c — all heads as a list: their numbers on this sentence, to sort and to filter.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The selected row is the head that is looked at; Enter shows it large. Numbers are computed in a
 * thread, and only while the page is on screen.
 */
#include "figures/regard-ablation.h"
#include "figures/regard-figure-matrix.h"
#include "figures/regard-head-statistics.h"
#include "figures/regard-language.h"
#include "figures/regard-words.h"
#include "runner/regard-work.h"
#include "views/regard-view.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-head-ablation.h"
#include "widgets/regard-head-list.h"
#include "widgets/regard-wrap-layout.h"

#include <math.h>

/* ---- Columns ----------------------------------------------------------------------------------
 */

static GtkWidget *
new_roles(gpointer data)
{
  GtkWidget *label = regard_label_new(NULL, REGARD_LABEL_START, "regard-badge");

  gtk_widget_set_halign(label, GTK_ALIGN_START);
  return label;
}

static void
show_roles(GtkWidget *label, const RegardHeadItem *item, gpointer data)
{
  g_autofree char *text = regard_head_row_roles(item->row);

  gtk_label_set_text(GTK_LABEL(label), text);
  gtk_widget_set_visible(label, *text != '\0'); /* a badge without a word is no badge */
}

static int
compare_roles(gconstpointer a, gconstpointer b, gpointer data)
{
  g_autofree char *x = regard_head_row_roles(((const RegardHeadItem *) a)->row);
  g_autofree char *y = regard_head_row_roles(((const RegardHeadItem *) b)->row);

  if (!*x != !*y) /* those with one first */
    return *x ? -1 : 1;
  return strcmp(x, y);
}

/* ---- The page ----------------------------------------------------------------------------------
 */

#define REGARD_TYPE_VIEW_HEADS (regard_view_heads_get_type())
G_DECLARE_FINAL_TYPE(RegardViewHeads, regard_view_heads, REGARD, VIEW_HEADS, RegardView)

struct _RegardViewHeads {
  RegardView parent_instance;

  mt_capture *capture;           /* that the rows are of; NULL: none */
  mt_capture *reference, *other; /* A and B of what is compared in them; NULL: nothing is */
  gconstpointer effects;         /* that the rows have; only to be compared */
  RegardWork *work;
  RegardHeadRow *rows; /* [n_rows] */
  guint n_rows;

  GtkWidget *list, *explanation; /* what the numbers are */
  GPtrArray *numbers;            /* RegardHeadNumber, the list's */
};

G_DEFINE_FINAL_TYPE(RegardViewHeads, regard_view_heads, REGARD_TYPE_VIEW)

static RegardHeadList *
list(RegardViewHeads *self)
{
  return REGARD_HEAD_LIST(self->list);
}

static void
add_columns(RegardViewHeads *self)
{
  static const RegardHeadColumn roles = {new_roles, show_roles, compare_roles, FALSE};
  gsize n;
  const mt_head_statistic *statistics = mt_head_statistics(&n);

  regard_head_list_add_name(list(self));
  GtkColumnViewColumn *column =
      regard_head_list_add_column(list(self), _("Role"), &roles, NULL, NULL);
  gtk_column_view_column_set_expand(column, TRUE);
  regard_head_list_explain(column, _("A name that the head has earned by its numbers on this "
                                     "sentence; most have none"));
  for (gsize i = 0; i < n; i++)
    if (statistics[i].kinds)
      g_ptr_array_add(self->numbers, regard_head_list_add_number(list(self), &statistics[i]));
}

/* What the columns mean, a line each, and why there is none of those that are not there. */
static char *
explain_columns(RegardViewHeads *self)
{
  GString *text = g_string_new(NULL);

  for (guint c = 0; c < self->numbers->len; c++) {
    const RegardHeadNumber *number = self->numbers->pdata[c];
    const mt_head_statistic *statistic = number->statistic;
    const gboolean is_there = gtk_column_view_column_get_visible(number->column);
    g_autofree char *title = g_markup_escape_text(regard_head_statistic_name(statistic), -1);
    g_autoptr(GString) said = g_string_new(NULL);

    regard_words_add_title(said, _(statistic->what));
    if (!is_there)
      regard_words_add_title(said, _(statistic->absent));
    g_autofree char *what = g_markup_escape_text(said->str, -1);
    g_string_append_printf(text, "%s<b>%s</b>  %s", c ? "\n" : "", title, what);
  }
  return g_string_free(text, FALSE);
}

/* Those of numbers that any head has; what they are follows. */
static void
show_columns(RegardViewHeads *self)
{
  for (guint c = 0; c < self->numbers->len; c++) {
    const RegardHeadNumber *number = self->numbers->pdata[c];
    gboolean is_there = FALSE;

    for (guint i = 0; i <= self->n_rows && !is_there; i++) {
      const RegardHeadRow *row = &self->rows[i];

      is_there = regard_head_statistic_is_there(number->statistic, &row, i < self->n_rows);
    }
    gtk_column_view_column_set_visible(number->column, is_there);
  }
  g_autofree char *text = explain_columns(self);

  gtk_label_set_markup(GTK_LABEL(self->explanation), text);
}

static void
show_note(RegardViewHeads *self)
{
  const guint n = regard_head_list_n_shown(list(self)), all = self->n_rows;
  g_autofree char *text =
      n == all ? g_strdup_printf(ngettext("%u head, measured on this sentence",
                                          "%u heads, measured on this sentence", all),
                                 all)
               : g_strdup_printf(ngettext("%u of %u head, measured on this sentence",
                                          "%u of %u heads, measured on this sentence", all),
                                 n, all);

  regard_view_set_note(REGARD_VIEW(self), text);
  regard_view_show_status(REGARD_VIEW(self));
}

/* ---- List and selection follow each other -----------------------------------------------------
 */

static void
follow_selection(RegardViewHeads *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  int at = -1;

  if (!self->list)
    return;
  for (guint i = 0; i < self->n_rows && at < 0; i++)
    if (self->rows[i].kind == regard_selection_get_kind(s) &&
        self->rows[i].first_layer + self->rows[i].layer == regard_selection_get_layer(s) &&
        self->rows[i].first_head + self->rows[i].head == regard_selection_get_head(s))
      at = (int) i;
  regard_head_list_mark(list(self), at);
}

static void
on_chosen(RegardViewHeads *self, RegardHeadItem *item)
{
  const RegardHeadRow *row = item->row;

  regard_selection_set_place(regard_view_get_selection(REGARD_VIEW(self)), row->kind,
                             row->first_layer + row->layer, row->first_head + row->head);
}

static void
on_activated(RegardViewHeads *self, RegardHeadItem *item)
{
  on_chosen(self, item);
  gtk_widget_activate_action(GTK_WIDGET(self), "win.show-view", "s", "attention");
}

static void
on_filtered(RegardViewHeads *self)
{
  show_note(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* ---- Numbers -----------------------------------------------------------------------------------
 */

/* Of the heads of the pass; a and b: what is compared in them, or NULL. */
typedef struct {
  mt_capture *a, *b;
} Compared;

typedef struct {
  RegardHeadRow *rows;
  guint n;
} Measured;

static void
compared_clear(gpointer data)
{
  Compared *compared = data;

  mt_capture_unref(compared->a);
  mt_capture_unref(compared->b);
}

static void
measured_free(gpointer data)
{
  Measured *measured = data;

  g_free(measured->rows);
  g_free(measured);
}

static gpointer
measure(RegardRun *run, mt_error *error)
{
  const Compared *compared = regard_run_get_params(run);
  Measured *measured = g_new0(Measured, 1);

  measured->rows = regard_head_rows_new(regard_run_get_pass(run)->capture, compared->a, compared->b,
                                        &measured->n);
  return measured;
}

static const RegardTask measuring = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(Compared),
    .compute = measure,
    .clear_params = compared_clear,
    .free_result = measured_free,
};

static mt_capture *
ref_capture(mt_capture *capture)
{
  return capture ? mt_capture_ref(capture) : NULL;
}

/* The numbers of what each head does, or none. */
static void
fill_effects(RegardViewHeads *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardAblation *effects = regard_head_ablation_get(regard_selection_get_head_ablation(s));

  for (guint i = 0; i < self->n_rows; i++)
    regard_head_row_set_ablation(&self->rows[i], effects);
  show_columns(self);
}

/* rows [n] are taken. */
static void
set_rows(RegardViewHeads *self, RegardHeadRow *rows, guint n)
{
  g_autofree RegardHeadRow *old = self->rows;

  self->rows = rows;
  self->n_rows = n;
  fill_effects(self);
  regard_head_list_set_rows(list(self), rows, sizeof *rows, n);
  follow_selection(self);
  show_note(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
on_measured(gpointer owner, RegardRun *run)
{
  RegardViewHeads *self = owner;
  const Compared *compared = regard_run_get_params(run);
  Measured *measured = regard_run_finish(run, NULL);

  mt_capture_unref(self->capture);
  self->capture = mt_capture_ref(regard_run_get_pass(run)->capture);
  mt_capture_unref(self->reference);
  self->reference = ref_capture(compared->a);
  mt_capture_unref(self->other);
  self->other = ref_capture(compared->b);
  set_rows(self, g_steal_pointer(&measured->rows), measured->n);
  measured_free(measured);
}

static void
load(RegardView *view, gboolean is_seen)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(view);
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  mt_capture *capture = s ? regard_selection_get_capture(s) : NULL, *a = NULL, *b = NULL;

  /* What is under way is of something else, whether anybody looks or not. */
  regard_work_drop(self->work);
  if (!capture && self->list) {
    g_clear_pointer(&self->capture, mt_capture_unref);
    g_clear_pointer(&self->reference, mt_capture_unref);
    g_clear_pointer(&self->other, mt_capture_unref);
    set_rows(self, NULL, 0);
  }
  if (!is_seen || !capture)
    return;
  regard_selection_get_pair(s, &a, &b);
  if (capture == self->capture && a == self->reference && b == self->other)
    return;
  const Compared compared = {ref_capture(a), ref_capture(b)};
  regard_work_run(self->work, &measuring, regard_selection_get_pass(s), &compared, on_measured);
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
build_explanation(RegardViewHeads *self)
{
  GtkWidget *button = gtk_menu_button_new(), *popover = gtk_popover_new();
  GtkWidget *label = gtk_label_new(NULL);

  self->explanation = label;
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 60);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_widget_add_css_class(label, "regard-explanation");
  gtk_popover_set_child(GTK_POPOVER(popover), label);
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(button), popover);
  gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(button), "help-about-symbolic");
  gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(button), FALSE);
  gtk_widget_set_name(button, "head-columns");
  regard_widget_explain(button, _("What the numbers are"),
                        _("Explains every column, and why one is not there"));
  return button;
}

static GtkWidget *
build(RegardView *view)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(view);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *line = regard_wrap_new(10), *bar = regard_ablation_bar_new();
  GtkWidget *entry, *mistake, *explanation;

  self->list = regard_head_list_new(
      FALSE, _("All heads and their numbers"),
      _("Kinds (encoder, cross, decoder), roles (sink, monotone), places (4.1, 4.*) "
        "and numbers (special > 50 %); all must hold"));
  add_columns(self);
  explanation = build_explanation(self);
  show_columns(self);
  g_signal_connect_swapped(self->list, "chosen", G_CALLBACK(on_chosen), self);
  g_signal_connect_swapped(self->list, "activated", G_CALLBACK(on_activated), self);
  g_signal_connect_swapped(self->list, "filtered", G_CALLBACK(on_filtered), self);
  entry = regard_head_list_get_entry(list(self));
  gtk_widget_set_size_request(entry, 260, -1);
  mistake = regard_head_list_get_mistake(list(self));
  gtk_label_set_xalign(GTK_LABEL(mistake), 1);

  regard_wrap_append(line, regard_view_new_title(_("All Heads")));
  regard_wrap_append(line, regard_view_new_note(view));
  regard_box_append(line, entry, explanation, regard_view_new_help(REGARD_VIEW(self)), NULL);
  regard_box_append(box, line, mistake, self->list, NULL);
  regard_ablation_bar_set_selection(REGARD_ABLATION_BAR(bar),
                                    regard_view_get_selection(REGARD_VIEW(self)));
  regard_head_list_set_neighbours(list(self), entry, bar);
  regard_box_append(box, bar, regard_view_new_status(view), NULL);
  gtk_widget_add_css_class(box, "regard-picture");
  regard_view_show_status(view);
  return box;
}

/* ---- RegardView ------------------------------------------------------------------------------ */

static char *
describe(RegardView *view)
{
  return NULL; /* a list says everything of a row in it */
}

static char *
summarize(RegardView *view)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(view);
  guint n = 0;

  for (guint i = 0; i < self->n_rows; i++)
    n += self->rows[i].roles != 0;
  return self->n_rows == 0
             ? NULL
             : g_strdup_printf(ngettext("%u of %u heads does one thing on this sentence that has a "
                                        "name: its role",
                                        "%u of %u heads do one thing on this sentence that has a "
                                        "name: their role",
                                        n),
                               n, self->n_rows);
}

static char *
explain(RegardView *view)
{
  return g_strdup(
      _("Each row is a head, with numbers that say how it looks on this sentence: "
        "whether it is sure of one word or looks at many, how far away, and how much it "
        "rests on the end of the sentence. A role is a name that a head earns by such a "
        "number. On another sentence the numbers are others; the page Over Many "
        "Sentences says what is so in general."));
}

static RegardAblation *
get_effects(RegardViewHeads *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  return s ? regard_head_ablation_get(regard_selection_get_head_ablation(s)) : NULL;
}

/* Others, or none any more; while they are computed nothing is new here. */
static void
on_effects(RegardViewHeads *self)
{
  RegardAblation *effects = get_effects(self);

  if (effects == self->effects)
    return;
  self->effects = effects;
  if (self->list) {
    fill_effects(self);
    regard_head_list_refresh(list(self));
  }
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
set_selection(RegardView *view, RegardSelection *s)
{
  static const char *const places[] = {"notify::kind", "notify::layer", "notify::head"};

  regard_connect(s, "notify::capture", G_CALLBACK(regard_view_load), view);
  regard_connect(s, "pair-changed", G_CALLBACK(regard_view_load), view);
  regard_connect(regard_selection_get_head_ablation(s), "changed", G_CALLBACK(on_effects), view);
  for (guint i = 0; i < G_N_ELEMENTS(places); i++)
    regard_connect(s, places[i], G_CALLBACK(follow_selection), view);
  regard_view_load(view);
}

enum { PICTURE_LIST, PICTURE_EFFECTS, PICTURE_MATRICES };

static const RegardPicture pictures[] = {[PICTURE_LIST] = {"heads-table", N_("The List of Heads")},
                                         [PICTURE_EFFECTS] = {"effects", N_("Effects of Heads")},
                                         [PICTURE_MATRICES] = {"heads-matrices",
                                                               N_("Matrices of These Heads")}};

static gboolean
has_picture(RegardView *view, guint picture)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(view);

  if (picture == PICTURE_EFFECTS)
    return get_effects(self) != NULL;
  const guint n_shown = self->capture ? regard_head_list_n_shown(list(self)) : 0;
  /* Those of all heads are a picture of the page Attention. */
  return n_shown > 0 && (picture == PICTURE_LIST || n_shown < self->n_rows);
}

/* Of heads that are not filtered out, by kind, layer and head. */
static RegardFigure *
new_matrices(RegardViewHeads *self, const RegardFigureStyle *style)
{
  RegardMatrixSpec spec;
  guint8 *chosen[MT_N_KINDS] = {NULL};

  regard_selection_get_full_spec(regard_view_get_selection(REGARD_VIEW(self)), &spec);
  for (guint i = 0; i < regard_head_list_n_shown(list(self)); i++) {
    const RegardHeadRow *row = regard_head_list_get_shown(list(self), i)->row;
    const gsize heads = mt_capture_n_heads(self->capture, row->kind);

    if (!chosen[row->kind])
      chosen[row->kind] = g_new0(guint8, heads * mt_capture_n_layers(self->capture, row->kind));
    chosen[row->kind][row->layer * heads + row->head] = 1;
  }
  RegardFigure *figure =
      regard_figure_new_heads(self->capture, (const guint8 *const *) chosen, &spec, style);
  for (guint k = 0; k < MT_N_KINDS; k++)
    g_free(chosen[k]);
  return figure;
}

/* As it is shown: in this order, and without what is filtered out. */
static RegardFigure *
new_figure(RegardView *view, guint picture, RegardFigureStyle *style)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(view);

  style->colormap = NULL; /* effects have both signs, whatever is chosen */
  if (picture == PICTURE_EFFECTS)
    return regard_figure_new_ablation(get_effects(self), style);
  if (picture == PICTURE_MATRICES)
    return new_matrices(self, style);
  const guint n = regard_head_list_n_shown(list(self));
  g_autofree const RegardHeadRow **rows = g_new(const RegardHeadRow *, n);
  for (guint i = 0; i < n; i++)
    rows[i] = regard_head_list_get_shown(list(self), i)->row;
  g_autoptr(RegardMatrix) m = regard_matrix_new_heads(self->capture, rows, n, _("Heads"));
  return regard_figure_new_table(m, style);
}

/* Heads are rows here. */
static GtkWidget *
get_picture(RegardView *view)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(view);

  return self->list ? regard_head_list_get_row_list(list(self)) : NULL;
}

static void
set_seen(RegardView *view, gboolean is_seen)
{
  regard_selection_set_wants_pair(regard_view_get_selection(view), is_seen);
}

static gboolean
handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  return regard_head_list_handle_key((RegardHeadList *) REGARD_VIEW_HEADS(view)->list, keyval,
                                     state);
}

static void
dispose(GObject *object)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(object);

  g_clear_object(&self->work);
  g_clear_pointer(&self->capture, mt_capture_unref);
  g_clear_pointer(&self->reference, mt_capture_unref);
  g_clear_pointer(&self->other, mt_capture_unref);
  G_OBJECT_CLASS(regard_view_heads_parent_class)->dispose(object);
  g_clear_pointer(&self->rows, g_free); /* the list has gone */
  g_clear_pointer(&self->numbers, g_ptr_array_unref);
  self->list = NULL;
}

static void
regard_view_heads_class_init(RegardViewHeadsClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  view_class->build = build;
  view_class->set_selection = set_selection;
  view_class->set_seen = set_seen;
  view_class->load = load;
  view_class->describe = describe;
  view_class->summarize = summarize;
  view_class->explain = explain;
  view_class->handle_key = handle_key;
  view_class->pictures = pictures;
  view_class->n_pictures = G_N_ELEMENTS(pictures);
  view_class->has_picture = has_picture;
  view_class->new_figure = new_figure;
  view_class->get_picture = get_picture;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "headsview");
}

static void
regard_view_heads_init(RegardViewHeads *self)
{
  self->work = regard_work_new(self);
  self->numbers = g_ptr_array_new();
}
