/* regard-permutation-card.c — does the encoder know the order of its tokens?
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Without encodings it does not (the paper, section 3.5): tokens that change places take their
 * outputs with them, and nothing else happens. The card says how far that is so, in numbers of the
 * sentence on the screen, and what the other sentence is translated to.
 */
#include "widgets/regard-permutation-card.h"

#include "figures/regard-language.h"
#include "runner/regard-work.h"
#include "widgets/regard-gtk.h"

/* The share of the largest output that sums in another order may make: rounding. Measured are some
 * 3e-7. */
#define ROUNDING 1e-4

struct _RegardPermutationCard {
  GtkWidget parent_instance;
  RegardSelection *selection;
  GtkWidget *box, *title, *numbers, *texts;
  int a, b; /* a < 0: backwards */
  RegardWork *work;
  RegardPermutation *order;
  char *error;
};

G_DEFINE_FINAL_TYPE(RegardPermutationCard, regard_permutation_card, GTK_TYPE_WIDGET)

/* is_relative: there are no encodings; distances tell the order. */
static char *
say_numbers(const RegardPermutation *order, gboolean is_relative)
{
  const mt_permutation_difference *now = &order->now, *untouched = &order->untouched;

  if (now->difference <= ROUNDING * now->largest)
    return regard_strdup_printf(
        is_relative
            ? _("The encoder does not know the order. Its outputs are the same, in other places: "
                "they differ by %.1e at most, of %.3g, which is rounding. With the positions: by "
                "%.3g.")
            : _("The encoder does not know the order. Its outputs are the same, in other places: "
                "they differ by %.1e at most, of %.3g, which is rounding. With the encodings: by "
                "%.3g."),
        now->difference, now->largest, untouched->difference);
  return regard_strdup_printf(
      is_relative ? _("The encoder knows the order. Back in their places, its outputs differ by up "
                      "to %.3g, of %.3g. With all positions off they do not.")
                  : _("The encoder knows the order. Back in their places, its outputs differ by up "
                      "to %.3g, of %.3g. With all encodings off they do not."),
      now->difference, now->largest);
}

static void
show(RegardPermutationCard *self)
{
  const RegardPermutation *order = self->order;
  mt_model *model = self->selection ? regard_selection_get_pass_model(self->selection) : NULL;
  const gboolean is_relative =
      model && mt_model_config(model)->position_kind == MT_POSITIONS_RELATIVE;
  g_autofree char *numbers = order ? say_numbers(order, is_relative) : NULL;
  g_autofree char *texts =
      order ? g_strdup_printf("%s  →  %s", order->text, order->translation) : NULL;

  gtk_label_set_text(GTK_LABEL(self->title), self->a < 0
                                                 ? _("The same tokens backwards")
                                                 : _("The marked tokens in each other's place"));
  gtk_label_set_text(GTK_LABEL(self->numbers), numbers       ? numbers
                                               : self->error ? self->error
                                                             : _("Measuring…"));
  gtk_label_set_text(GTK_LABEL(self->texts), texts ? texts : "");
  gtk_widget_set_tooltip_text(self->texts, texts);
  gtk_widget_set_visible(self->texts, texts != NULL);
}

static void
on_measured(gpointer owner, RegardRun *run)
{
  RegardPermutationCard *self = owner;
  g_autoptr(GError) error = NULL;
  RegardPermutation *order = regard_run_finish(run, &error);

  regard_widget_set_pale(self->box, FALSE);
  g_clear_pointer(&self->order, regard_permutation_free);
  self->order = order;
  self->error = error ? g_strdup(error->message) : NULL;
  show(self);
}

/* Which token stands at each place. Tokens without words, such as the end or a language, stay.
 * Caller frees. */
static gsize *
make_order(RegardPermutationCard *self, const mt_tokens *source, gsize n)
{
  gsize *order = g_new(gsize, n);
  g_autofree gsize *words = g_new(gsize, n);
  gsize n_words = 0;

  for (gsize i = 0; i < n; i++) {
    order[i] = i;
    if (!mt_tokens_get(source, i)->is_special)
      words[n_words++] = i;
  }
  if (self->a >= 0 && self->a < (int) n && self->b < (int) n) {
    order[self->a] = (gsize) self->b;
    order[self->b] = (gsize) self->a;
  } else
    for (gsize i = 0; i < n_words; i++)
      order[words[i]] = words[n_words - 1 - i];
  return order;
}

/* What was measured last stays, dimmed, until there is something newer. */
static void
measure(RegardPermutationCard *self)
{
  mt_capture *capture = regard_selection_get_capture(self->selection);
  const mt_tokens *source = capture ? mt_capture_source(capture) : NULL;
  const gsize n = source ? mt_tokens_count(source) : 0;
  gsize *order;

  regard_work_drop(
      self->work); /* it is of another sentence or order, whether anybody looks or not */
  if (n < 2) {
    g_clear_pointer(&self->order, regard_permutation_free);
    g_clear_pointer(&self->error, g_free);
    regard_widget_set_pale(self->box, FALSE);
    show(self);
  }
  if (!gtk_widget_get_mapped(GTK_WIDGET(self)) || n < 2)
    return;
  g_clear_pointer(&self->error, g_free);
  order = make_order(self, source, n);
  regard_widget_set_pale(self->box, TRUE);
  regard_work_run(self->work, &regard_analysis_permutation,
                  regard_selection_get_pass(self->selection), &order, on_measured);
}

void
regard_permutation_card_set_exchange(RegardPermutationCard *self, int a, int b)
{
  if (a == self->a && b == self->b)
    return;
  self->a = a;
  self->b = b;
  g_clear_pointer(&self->order, regard_permutation_free); /* it is of another order */
  show(self);
  if (self->selection)
    measure(self);
}

const RegardPermutation *
regard_permutation_card_get_order(RegardPermutationCard *self)
{
  return self->order;
}

void
regard_permutation_card_set_selection(RegardPermutationCard *self, RegardSelection *selection)
{
  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  regard_connect(selection, "notify::capture", G_CALLBACK(measure), self);
}

static void
map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(regard_permutation_card_parent_class)->map(widget);
  measure(REGARD_PERMUTATION_CARD(widget));
}

static void
dispose(GObject *object)
{
  RegardPermutationCard *self = REGARD_PERMUTATION_CARD(object);

  g_clear_object(&self->work);
  g_clear_pointer(&self->order, regard_permutation_free);
  g_clear_pointer(&self->error, g_free);
  g_clear_object(&self->selection);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_permutation_card_parent_class)->dispose(object);
}

static void
regard_permutation_card_class_init(RegardPermutationCardClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = dispose;
  GTK_WIDGET_CLASS(klass)->map = map;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "ordercard");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
add_label(RegardPermutationCard *self, const char *css_class)
{
  GtkWidget *label = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, css_class);

  gtk_label_set_width_chars(GTK_LABEL(label), 40);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 52);
  gtk_box_append(GTK_BOX(self->box), label);
  return label;
}

static void
regard_permutation_card_init(RegardPermutationCard *self)
{
  self->a = self->b = -1;
  self->work = regard_work_new(self);
  self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  gtk_widget_add_css_class(self->box, "card");
  gtk_widget_add_css_class(self->box, "regard-card");
  self->title = add_label(self, "regard-card-title");
  self->numbers = add_label(self, "regard-value");
  self->texts = add_label(self, "regard-hint");
  gtk_label_set_lines(GTK_LABEL(self->texts), 2);
  gtk_label_set_ellipsize(GTK_LABEL(self->texts), PANGO_ELLIPSIZE_END);
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
  show(self);
}

GtkWidget *
regard_permutation_card_new(void)
{
  return g_object_new(REGARD_TYPE_PERMUTATION_CARD, NULL);
}
