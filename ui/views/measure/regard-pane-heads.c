/* regard-pane-heads.c — all heads over a text: what each does in general.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A list of all heads, a map of those of one kind, and a card of the selected one with sentences.
 * It shows the corpus file that the selection has; the selected head and the one that is looked at
 * elsewhere are the same, where the model is the same.
 */
#include "figures/regard-language.h"
#include "views/measure/regard-corpus-card.h"
#include "views/measure/regard-corpus-maker.h"
#include "views/regard-view.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-head-list.h"
#include "widgets/regard-wrap-layout.h"

#include <gtk/gtk.h>
#include <math.h>

#define REGARD_TYPE_SPARKLINE (regard_sparkline_get_type())

G_DECLARE_FINAL_TYPE(RegardSparkline, regard_sparkline, REGARD, SPARKLINE, GtkWidget)

/* ---- A histogram as small as a word ----------------------------------------------------- */

/* Pixels. */
#define WIDTH  100
#define HEIGHT 18

struct _RegardSparkline {
  GtkWidget parent_instance;

  guint64 *bins;
  guint n;
};

G_DEFINE_FINAL_TYPE(RegardSparkline, regard_sparkline, GTK_TYPE_WIDGET)

static GtkWidget *
sparkline_new(void)
{
  return g_object_new(REGARD_TYPE_SPARKLINE, NULL);
}

/* bins [n] are copied; NULL: nothing is drawn. said: what a screen reader says of it, and the
 * tooltip. */
static void
sparkline_set(RegardSparkline *self, const guint64 *bins, guint n, const char *said)
{
  g_free(self->bins);
  self->bins = bins ? g_memdup2(bins, n * sizeof *bins) : NULL;
  self->n = bins ? n : 0;
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), said);
  regard_accessible_set_label(GTK_WIDGET(self), said ? said : "");
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
sparkline_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardSparkline *self = REGARD_SPARKLINE(widget);
  const int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  guint64 most = 0;
  GdkRGBA color;

  for (guint i = 0; i < self->n; i++)
    most = MAX(most, self->bins[i]);
  if (most == 0)
    return;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
  for (guint i = 0; i < self->n; i++) {
    const int left = (int) i * width / (int) self->n, right = (int) (i + 1) * width / (int) self->n;
    const double share = (double) self->bins[i] / (double) most;
    const int tall = self->bins[i] ? MAX((int) lround(share * height), 1) : 0;

    gtk_snapshot_append_color(snapshot, &color,
                              &GRAPHENE_RECT_INIT((float) left, (float) (height - tall),
                                                  (float) (right - left), (float) tall));
  }
}

static void
sparkline_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                  int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH : HEIGHT;
  *minimum_baseline = *natural_baseline = -1;
}

static void
sparkline_finalize(GObject *object)
{
  g_free(REGARD_SPARKLINE(object)->bins);
  G_OBJECT_CLASS(regard_sparkline_parent_class)->finalize(object);
}

static void
regard_sparkline_class_init(RegardSparklineClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = sparkline_finalize;
  widget_class->snapshot = sparkline_snapshot;
  widget_class->measure = sparkline_measure;
  gtk_widget_class_set_css_name(widget_class, "sparkline");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
regard_sparkline_init(RegardSparkline *self)
{
}

/* ---- The pane ---------------------------------------------------------------------------------
 */

/* Pixels: of the map at least. */
#define MAP_LEAST_WIDTH 240
#define MAP_HEIGHT      130
/* Of the width, what the list has at first. */
#define LIST_SHARE 0.60
/* Of the height, what the map has. */
#define MAP_SHARE 0.38

/* Badges that have room. */
#define BADGES 2

/* Columns of numbers: of the measure that is looked at, of these, and distances. */
static const mt_corpus_measure shown[] = {MT_CORPUS_ENTROPY, MT_CORPUS_CONFIDENCE,
                                          MT_CORPUS_SPECIAL, MT_CORPUS_EFFECT};
enum { N_SHOWN = G_N_ELEMENTS(shown) };

#define REGARD_TYPE_PANE_HEADS (regard_pane_heads_get_type())
G_DECLARE_FINAL_TYPE(RegardPaneHeads, regard_pane_heads, REGARD, PANE_HEADS, RegardView)

struct _RegardPaneHeads {
  RegardView parent_instance;

  CorpusOptions look; /* with a reference to its corpus */
  guint map_id;
  gboolean choosing; /* somebody chooses a head here */
  gboolean is_divided;

  GtkWidget *empty, *stack, *content, *message, *measure, *list, *map_title, *map, *card, *maker;
  RegardHeadNumber *of_measure, *numbers[N_SHOWN]; /* the list's */
};

G_DEFINE_FINAL_TYPE(RegardPaneHeads, regard_pane_heads, REGARD_TYPE_VIEW)

static RegardHeadList *
list(RegardPaneHeads *self)
{
  return REGARD_HEAD_LIST(self->list);
}

static guint
n_shown(RegardPaneHeads *self)
{
  return self->list ? regard_head_list_n_shown(list(self)) : 0;
}

/* ---- Columns ---------------------------------------------------------------------------------
 */

static const RegardCorpusHead *
head_of(gconstpointer item)
{
  return (const RegardCorpusHead *) (const void *) ((const RegardHeadItem *) item)->row;
}

static double
get_distance(const RegardHeadItem *item, gpointer data)
{
  const CorpusOptions *look = data;

  return look->selected >= 0
             ? regard_corpus_distance(look->corpus, item->index, (guint) look->selected)
             : (double) NAN;
}

/* By its name, the strongest first; those without one last. */
static int
compare_roles(gconstpointer a, gconstpointer b, gpointer data)
{
  const RegardCorpusHead *p = head_of(a), *q = head_of(b);
  const int role = regard_corpus_head_best_role(p), other = regard_corpus_head_best_role(q);

  if (role != other)
    return role < 0 ? 1 : other < 0 ? -1 : role < other ? -1 : 1;
  if (role < 0)
    return 0;
  return p->roles[role].value > q->roles[role].value   ? -1
         : p->roles[role].value < q->roles[role].value ? 1
                                                       : 0;
}

/* ---- Cells -----------------------------------------------------------------------------------
 */

static GtkWidget *
new_badges(gpointer data)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);

  for (guint i = 0; i < BADGES; i++) {
    GtkWidget *label = regard_label_new(NULL, 0, "regard-badge");

    gtk_widget_set_valign(label, GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(box), label);
  }
  return box;
}

static void
show_badges(GtkWidget *box, const RegardHeadItem *item, gpointer data)
{
  const CorpusOptions *look = data;
  RegardCorpusBadge badges[REGARD_MOST_BADGES];
  const guint n = regard_corpus_head_badges(look->corpus, head_of(item), badges);
  GtkWidget *label = gtk_widget_get_first_child(box);
  g_autoptr(GString) all = g_string_new(NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf(all, "%s%s.", i ? "\n" : "", badges[i].why);
  for (guint i = 0; label; i++, label = gtk_widget_get_next_sibling(label)) {
    gtk_label_set_text(GTK_LABEL(label), i < n ? badges[i].text : "");
    gtk_widget_set_visible(label, i < n);
  }
  gtk_widget_set_tooltip_text(box, n > 0 ? all->str : NULL);
  for (guint i = 0; i < n; i++)
    regard_corpus_badge_clear(&badges[i]);
}

static GtkWidget *
new_histogram(gpointer data)
{
  return sparkline_new();
}

static void
show_histogram(GtkWidget *sparkline, const RegardHeadItem *item, gpointer data)
{
  const mt_corpus_measure measure = ((const CorpusOptions *) data)->measure;
  const mt_corpus_statistics *s = &head_of(item)->measures[measure];
  g_autofree char *mean = regard_head_statistic_format(mt_corpus_measure_about(measure), s->mean);
  g_autofree char *sd = regard_head_statistic_format(mt_corpus_measure_about(measure), s->sd);
  g_autofree char *least = regard_head_statistic_format(mt_corpus_measure_about(measure), s->least);
  g_autofree char *most = regard_head_statistic_format(mt_corpus_measure_about(measure), s->most);
  g_autofree char *n = regard_dup_count(s->n);
  g_autofree char *said =
      g_strdup_printf(ngettext("%s of %s sentence: from %s to %s, mean %s ± %s",
                               "%s of %s sentences: from %s to %s, mean %s ± %s", s->n),
                      regard_head_statistic_name(mt_corpus_measure_about(measure)), n, least, most,
                      mean, sd);

  sparkline_set(REGARD_SPARKLINE(sparkline), s->n ? s->bins : NULL, MT_CORPUS_BINS,
                s->n ? said : NULL);
}

/* ---- All of them -----------------------------------------------------------------------------
 */

/* Two columns of one number are one too many. */
static void
update_columns(RegardPaneHeads *self)
{
  const CorpusOptions *look = &self->look;
  g_autofree char *title =
      regard_head_statistic_title(mt_corpus_measure_about(look->measure), TRUE);

  self->of_measure->statistic = mt_corpus_measure_about(look->measure);
  gtk_column_view_column_set_title(self->of_measure->column, title);
  regard_head_list_explain(self->of_measure->column, _(self->of_measure->statistic->what));
  for (guint i = 0; i < N_SHOWN; i++)
    gtk_column_view_column_set_visible(self->numbers[i]->column,
                                       shown[i] != look->measure &&
                                           (shown[i] != MT_CORPUS_EFFECT ||
                                            (look->corpus && look->corpus->about.has_effects)));
}

static void
add_columns(RegardPaneHeads *self)
{
  static const RegardHeadColumn roles = {new_badges, show_badges, compare_roles, FALSE},
                                histogram = {new_histogram, show_histogram, NULL, FALSE};

  regard_head_list_add_name(list(self));
  GtkColumnViewColumn *column =
      regard_head_list_add_column(list(self), _("Role"), &roles, &self->look, NULL);
  gtk_column_view_column_set_expand(column, TRUE);
  regard_head_list_explain(column, _("What the head looks at more than chance over the whole text, "
                                     "and how many times as much"));
  column = regard_head_list_add_column(list(self), _("Sentences"), &histogram, &self->look, NULL);
  regard_head_list_explain(column, _("In how many sentences the measure is how large: small at the "
                                     "left, large at the right"));
  self->of_measure =
      regard_head_list_add_number(list(self), mt_corpus_measure_about(self->look.measure));
  for (guint i = 0; i < N_SHOWN; i++)
    self->numbers[i] = regard_head_list_add_number(list(self), mt_corpus_measure_about(shown[i]));
  RegardHeadNumber *distance =
      regard_head_list_add_number(list(self), mt_corpus_measure_about(MT_CORPUS_CONFIDENCE));
  distance->get = get_distance; /* written as shares are */
  distance->data = &self->look;
  gtk_column_view_column_set_title(distance->column, _("Distance"));
  regard_head_list_explain(distance->column,
                           _("How unlike the selected head it is over the text: 0 "
                             "the same, 1 nothing in common"));
  update_columns(self);
}

/* ---- What is shown --------------------------------------------------------------------------- */

static void
show_map(RegardPaneHeads *self)
{
  const CorpusOptions *look = &self->look;
  RegardFigure *figure = NULL;
  g_autofree char *title = NULL;

  if (!self->map)
    return;
  RegardFigureStyle style = regard_view_get_style(REGARD_VIEW(self), REGARD_FIGURE_AREA(self->map));
  if (look->corpus && look->selected >= 0) {
    const mt_attention_kind kind = look->corpus->heads[look->selected].row.kind;

    figure = regard_figure_new_head_map(look->corpus, kind, look->selected, &style);
    title = g_strdup_printf(_("%s, by Jensen–Shannon distance; near each other: alike"),
                            regard_kind_name(kind));
  }
  const int height = gtk_widget_get_height(GTK_WIDGET(self));
  if (figure && height > 0) { /* in a low window it is lower, so that there is room for sentences */
    const char *family;
    const double font = regard_figure_area_get_font(REGARD_FIGURE_AREA(self->map), &family);

    regard_figure_set_height(figure, MAX(gtk_widget_get_width(self->map), MAP_LEAST_WIDTH), font,
                             MAX(height * MAP_SHARE, MAP_HEIGHT), NULL);
  }
  gtk_label_set_text(GTK_LABEL(self->map_title), title ? title : "");
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->map), figure);
}

static void
show_note(RegardPaneHeads *self)
{
  g_autofree char *about = self->look.corpus ? regard_corpus_describe(self->look.corpus) : NULL;
  const guint n = n_shown(self);
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  mt_model *model = s ? regard_selection_get_model(s) : NULL;
  g_autoptr(GString) note = g_string_new(about ? about : _("heads over a text"));

  if (about && n < self->look.corpus->n_heads)
    g_string_printf(note, _("%u of %s"), n, about);
  if (about && model && !regard_corpus_is_of(self->look.corpus, model)) {
    g_autofree char *before = g_strdup(note->str);

    /* Translators: what is known of a file, and the name of a model */
    g_string_printf(note, _("%s · made with another model, %s"), before,
                    self->look.corpus->about.model_name);
  }
  regard_view_set_note(REGARD_VIEW(self), note->str);
  regard_view_show_status(REGARD_VIEW(self));
}

/* All rows anew: the measure, or the head that distances are to, is another. */
static void
refresh_rows(RegardPaneHeads *self)
{
  update_columns(self);
  regard_head_list_refresh(list(self));
}

static void
select_head(RegardPaneHeads *self, int head)
{
  if (self->look.selected == head)
    return;
  self->look.selected = head;
  refresh_rows(self);
  regard_head_list_mark(list(self), head);
  show_map(self);
  regard_corpus_card_set_look(REGARD_CORPUS_CARD(self->card), &self->look);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* ---- The head that is looked at ---------------------------------------------------------------
 */

static void
follow_selection(RegardPaneHeads *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  if (self->choosing || !self->list || !self->look.corpus)
    return;
  const int head =
      regard_corpus_find_head(self->look.corpus, regard_selection_get_kind(s),
                              regard_selection_get_layer(s), regard_selection_get_head(s));
  if (head >= 0)
    select_head(self, head);
}

/* Somebody chose it here. */
static void
choose_head(RegardPaneHeads *self, int index)
{
  const RegardCorpusHead *head = &self->look.corpus->heads[index];

  self->choosing = TRUE; /* what is looked at may be of a model with fewer heads */
  regard_selection_set_place(regard_view_get_selection(REGARD_VIEW(self)), head->row.kind,
                             head->row.layer, head->row.head);
  self->choosing = FALSE;
  select_head(self, index);
}

static void
on_chosen(RegardPaneHeads *self, RegardHeadItem *item)
{
  choose_head(self, (int) item->index);
}

static void
on_activated(RegardPaneHeads *self, RegardHeadItem *item)
{
  on_chosen(self, item);
  gtk_widget_activate_action(GTK_WIDGET(self), "win.show-view", "s", "attention");
}

static void
on_filtered(RegardPaneHeads *self)
{
  show_note(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
on_map_activated(RegardPaneHeads *self)
{
  const RegardSpot *spot = regard_figure_area_get_spot(REGARD_FIGURE_AREA(self->map));

  if (spot)
    choose_head(self, spot->row);
}

/* ---- The corpus ------------------------------------------------------------------------------ */

static void
show_empty(RegardPaneHeads *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  const char *why = s ? regard_selection_get_why_no_corpus(s) : NULL;

  gtk_label_set_text(GTK_LABEL(self->message),
                     why ? why
                         : _("A corpus file says what every head does over a text. None is open, "
                             "and none came with this model. Make one of any text, or open one."));
  gtk_stack_set_visible_child(GTK_STACK(self->stack), self->empty);
}

static void
on_corpus(RegardPaneHeads *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardCorpus *corpus = s ? regard_selection_get_corpus(s) : NULL, *old = self->look.corpus;

  if (!self->list) {
    regard_view_choices_changed(REGARD_VIEW(self));
    return;
  }
  self->look.selected = -1;
  self->look.corpus = NULL;
  regard_head_list_mark(list(self), -1);
  regard_head_list_set_rows(list(self), NULL, 0, 0); /* no row is of the old one any more */
  regard_corpus_card_set_look(REGARD_CORPUS_CARD(self->card), &self->look);
  if (old)
    regard_corpus_unref(old);
  self->look.corpus = corpus ? regard_corpus_ref(corpus) : NULL;
  update_columns(self);
  if (corpus) {
    regard_head_list_set_rows(list(self), corpus->heads, sizeof *corpus->heads, corpus->n_heads);
    gtk_stack_set_visible_child(GTK_STACK(self->stack), self->content);
    follow_selection(self);
    if (self->look.selected < 0 && corpus->n_heads > 0)
      select_head(self, 0);
  } else
    show_empty(self);
  show_map(self);
  show_note(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
on_measure(RegardPaneHeads *self)
{
  self->look.measure = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->measure));
  if (!self->look.corpus)
    return;
  refresh_rows(self);
  regard_corpus_card_set_look(REGARD_CORPUS_CARD(self->card), &self->look);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* ---- Making one ------------------------------------------------------------------------------ */

/* It stays while it measures. */
static void
toggle_maker(GtkWidget *widget, const char *name, GVariant *parameter)
{
  GtkWidget *maker = REGARD_PANE_HEADS(widget)->maker;

  if (!maker)
    return;
  gtk_widget_set_visible(maker, !gtk_widget_get_visible(maker) ||
                                    regard_corpus_maker_is_busy(REGARD_CORPUS_MAKER(maker)));
  if (gtk_widget_get_visible(maker))
    gtk_widget_child_focus(maker, GTK_DIR_TAB_FORWARD);
}

static GtkWidget *
new_maker_button(const char *label)
{
  GtkWidget *make = gtk_button_new_with_label(label);

  gtk_actionable_set_action_name(GTK_ACTIONABLE(make), "corpus.make");
  gtk_widget_set_tooltip_text(make, _("Measures all heads over a text of your own"));
  return make;
}

/* ---- RegardView ------------------------------------------------------------------------------ */

static void
set_selection(RegardView *view, RegardSelection *s)
{
  static const char *const places[] = {"notify::kind", "notify::layer", "notify::head"};

  regard_connect(s, "corpus-changed", G_CALLBACK(on_corpus), view);
  for (guint i = 0; i < G_N_ELEMENTS(places); i++)
    regard_connect(s, places[i], G_CALLBACK(follow_selection), view);
  regard_connect(s, "notify::model-name", G_CALLBACK(show_note), view);
  if (REGARD_PANE_HEADS(view)->maker)
    regard_corpus_maker_set_selection(REGARD_CORPUS_MAKER(REGARD_PANE_HEADS(view)->maker), s);
  on_corpus(REGARD_PANE_HEADS(view));
}

enum { PICTURE_LIST, PICTURE_MAP };

static const RegardPicture pictures[] = {[PICTURE_LIST] = {"corpus-heads",
                                                           N_("Heads over the Text")},
                                         [PICTURE_MAP] = {"corpus-map", N_("Map of Heads")}};

static gboolean
has_picture(RegardView *view, guint picture)
{
  RegardPaneHeads *self = REGARD_PANE_HEADS(view);

  if (!self->list) /* nobody has looked yet, and it is asked whether there is anything */
    return picture == PICTURE_LIST && regard_view_get_selection(view) &&
           regard_selection_get_corpus(regard_view_get_selection(view));
  return self->look.corpus && n_shown(self) > 0 &&
         (picture == PICTURE_LIST || self->look.selected >= 0);
}

/* As it is shown: in this order, and without what is filtered out. */
static RegardFigure *
new_figure(RegardView *view, guint picture, RegardFigureStyle *style)
{
  RegardPaneHeads *self = REGARD_PANE_HEADS(view);
  const CorpusOptions *look = &self->look;
  const guint n = n_shown(self);

  if (!look->corpus) /* not looked at yet */
    return NULL;
  if (picture == PICTURE_MAP)
    return regard_figure_new_head_map(look->corpus, look->corpus->heads[look->selected].row.kind,
                                      look->selected, style);
  g_autofree guint *heads = g_new(guint, n);
  for (guint i = 0; i < n; i++)
    heads[i] = regard_head_list_get_shown(list(self), i)->index;
  return regard_figure_new_corpus_heads(look->corpus, heads, n, look->measure, look->selected,
                                        style);
}

static char *
name_choice(RegardView *view, const char *choice_id)
{
  RegardPaneHeads *self = REGARD_PANE_HEADS(view);

  return g_str_equal(choice_id, "corpus-map") && self->look.selected >= 0
             ? g_strdup_printf("map-%s",
                               regard_kind_id(
                                   self->look.corpus->heads[self->look.selected].row.kind))
             : NULL;
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static void
build_list(RegardPaneHeads *self)
{
  self->list = regard_head_list_new(
      TRUE, _("All heads and their numbers over the text"),
      _("Kinds (encoder, cross, decoder), roles (previous, special), places (4.1, "
        "4.*) and numbers (rare > 50 %); all must hold"));
  add_columns(self);
  g_signal_connect_swapped(self->list, "chosen", G_CALLBACK(on_chosen), self);
  g_signal_connect_swapped(self->list, "activated", G_CALLBACK(on_activated), self);
  g_signal_connect_swapped(self->list, "filtered", G_CALLBACK(on_filtered), self);
}

static GtkWidget *
build_line(RegardPaneHeads *self)
{
  const char *titles[MT_N_CORPUS_MEASURES + 1] = {NULL};
  GtkWidget *line = regard_wrap_new(8);
  GtkWidget *open = gtk_button_new_with_label(_("Open…"));
  GtkWidget *entry = regard_head_list_get_entry(list(self));

  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++)
    titles[m] = regard_head_statistic_name(mt_corpus_measure_about(m));
  gtk_widget_set_hexpand(entry, TRUE);
  self->measure = gtk_drop_down_new_from_strings(titles);
  regard_widget_set_name(self->measure, _("The measure of histograms and sentences"));
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->measure), self->look.measure);
  g_signal_connect_swapped(self->measure, "notify::selected", G_CALLBACK(on_measure), self);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(open), "win.open-corpus");
  gtk_widget_set_tooltip_text(open, _("Another corpus file"));
  gtk_widget_set_name(line, "corpus");
  regard_box_append(line, entry, self->measure, open, new_maker_button(_("Make…")), NULL);
  gtk_widget_add_css_class(line, "measure-line");
  return line;
}

static GtkWidget *
build_left(RegardPaneHeads *self)
{
  GtkWidget *left = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

  build_list(self);
  gtk_label_set_xalign(GTK_LABEL(regard_head_list_get_mistake(list(self))), 0);
  gtk_box_append(GTK_BOX(left), build_line(self));
  regard_box_append(left, regard_head_list_get_mistake(list(self)), self->list, NULL);
  return left;
}

static GtkWidget *
build_map(RegardPaneHeads *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8), *title, *scroller;

  title = regard_label_new(_("Map of heads"), 0, "regard-card-title");
  self->map_title =
      regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_ELLIPSIZE, "regard-name");
  regard_box_append(line, title, self->map_title, NULL);
  self->map = regard_view_new_part(REGARD_VIEW(self), MAP_LEAST_WIDTH, _("Map of heads"));
  g_signal_connect_swapped(self->map, "spot-activated", G_CALLBACK(on_map_activated), self);
  scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->map);
  gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(scroller), TRUE);
  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(scroller), MAP_HEIGHT);
  regard_box_append(box, line, scroller, NULL);
  gtk_widget_add_css_class(box, "card");
  gtk_widget_add_css_class(box, "measure-card");
  return box;
}

static gboolean
show_map_now(gpointer data)
{
  RegardPaneHeads *self = data;

  self->map_id = 0;
  show_map(self);
  return G_SOURCE_REMOVE;
}

/* The page has another size. How wide the list is is only set once: the person may have moved it.
 */
static void
divide(RegardPaneHeads *self, GParamSpec *pspec, GtkPaned *across)
{
  const int width = gtk_widget_get_width(GTK_WIDGET(across));

  if (width <= 0)
    return;
  if (!self->is_divided)
    gtk_paned_set_position(across, (int) (width * LIST_SHARE));
  self->is_divided = TRUE;
  if (!self->map_id) /* once all of it has its size */
    self->map_id = g_idle_add(show_map_now, self);
}

static GtkWidget *
build_content(RegardPaneHeads *self)
{
  GtkWidget *across = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
  GtkWidget *right = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);

  self->card = regard_corpus_card_new();
  gtk_widget_add_css_class(self->card, "card");
  gtk_widget_add_css_class(self->card, "measure-card");
  gtk_widget_set_vexpand(self->card, TRUE);
  regard_box_append(right, build_map(self), self->card, NULL);
  gtk_paned_set_start_child(GTK_PANED(across), build_left(self));
  regard_head_list_set_neighbours(list(self), self->measure, self->map);
  gtk_paned_set_end_child(GTK_PANED(across), right);
  gtk_paned_set_shrink_start_child(GTK_PANED(across), FALSE);
  gtk_paned_set_shrink_end_child(GTK_PANED(across), FALSE);
  g_signal_connect_swapped(across, "notify::max-position", G_CALLBACK(divide), self);
  return across;
}

static char *
describe(RegardView *view)
{
  RegardPaneHeads *self = REGARD_PANE_HEADS(view);

  return self->map ? regard_view_describe_spot(REGARD_FIGURE_AREA(self->map)) : NULL;
}

static char *
summarize(RegardView *view)
{
  return g_strdup(REGARD_PANE_HEADS(view)->look.corpus
                      ? _("What each head does over a whole text: heads near each other in the map "
                          "look alike")
                      : _("What each head does over a whole text, once there is one"));
}

static char *
explain(RegardView *view)
{
  return g_strdup(_("One sentence can be an accident, so each number here is a mean over many. A "
                    "point of the map is a head, and heads that look at the same words stand near "
                    "each other. Choose a head, and below are the sentences on which it does most "
                    "of what is measured."));
}

static GtkWidget *
build(RegardView *view)
{
  RegardPaneHeads *self = REGARD_PANE_HEADS(view);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *open = gtk_button_new_with_label(_("Open Corpus…"));

  self->stack = gtk_stack_new();
  self->empty = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  self->message = regard_view_new_message();
  gtk_widget_set_valign(self->empty, GTK_ALIGN_CENTER);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(open), "win.open-corpus");
  gtk_widget_set_tooltip_text(
      open, _("Choose a file that was made before, here or by regard-cli corpus"));
  gtk_widget_set_name(self->empty, "corpus");
  GtkWidget *both = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_set_halign(both, GTK_ALIGN_CENTER);
  regard_box_append(both, new_maker_button(_("Make Corpus…")), open, NULL);
  regard_box_append(self->empty, self->message, both, NULL);
  self->content = build_content(self);
  gtk_stack_add_child(GTK_STACK(self->stack), self->empty);
  gtk_stack_add_child(GTK_STACK(self->stack), self->content);
  self->maker = regard_corpus_maker_new();
  gtk_widget_set_visible(self->maker, FALSE);
  regard_corpus_maker_set_selection(REGARD_CORPUS_MAKER(self->maker),
                                    regard_view_get_selection(view));
  regard_box_append(box, self->maker, self->stack, regard_view_new_status(view), NULL);
  gtk_widget_set_vexpand(self->stack, TRUE);
  on_corpus(self);
  return box;
}

static void
show(RegardView *view)
{
  show_map(REGARD_PANE_HEADS(view));
}

static gboolean
handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  return regard_head_list_handle_key((RegardHeadList *) REGARD_PANE_HEADS(view)->list, keyval,
                                     state);
}

static void
dispose(GObject *object)
{
  RegardPaneHeads *self = REGARD_PANE_HEADS(object);

  g_clear_handle_id(&self->map_id, g_source_remove);
  self->map = NULL;
  self->maker = NULL;
  G_OBJECT_CLASS(regard_pane_heads_parent_class)->dispose(object);
  g_clear_pointer(&self->look.corpus, regard_corpus_unref); /* the list has gone */
  self->list = NULL;
}

static void
regard_pane_heads_class_init(RegardPaneHeadsClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  view_class->build = build;
  view_class->set_selection = set_selection;
  view_class->show = show;
  view_class->describe = describe;
  view_class->summarize = summarize;
  view_class->explain = explain;
  view_class->handle_key = handle_key;
  view_class->pictures = pictures;
  view_class->n_pictures = G_N_ELEMENTS(pictures);
  view_class->has_picture = has_picture;
  view_class->new_figure = new_figure;
  view_class->name_choice = name_choice;
  gtk_widget_class_install_action(GTK_WIDGET_CLASS(klass), "corpus.make", NULL, toggle_maker);
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "headspane");
}

static void
regard_pane_heads_init(RegardPaneHeads *self)
{
  self->look.selected = -1;
  self->look.measure = MT_CORPUS_CONFIDENCE; /* its examples say the most at a glance */
  show_note(self);
}
