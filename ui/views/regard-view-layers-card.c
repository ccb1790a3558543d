/* regard-view-layers-card.c — the page Layers: the card of the cell that is marked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Norms beside a batch, and what neurons say, take longer than a key press: a thread computes them.
 * The batch is made once for a model.
 */
#include "views/regard-view-layers-private.h"

RegardFigure *
regard_view_layers_new_card(RegardViewLayers *self, gboolean on_screen)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  if (on_screen) {
    style.dark = regard_figure_area_is_dark(REGARD_FIGURE_AREA(self->details));
    style.left_out = REGARD_PART_MODEL;
  }
  return regard_figure_new_token_card(self->card, &style);
}

void
regard_view_layers_show_card(RegardViewLayers *self)
{
  gtk_widget_set_visible(self->details, self->card && self->shown_page < REGARD_N_LAYERS_SHOWN);
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->details),
                                self->card ? regard_view_layers_new_card(self, TRUE) : NULL);
}

typedef struct {
  RegardLayers *layers;
  RegardLayersLook look;
  RegardBatchFunc batch_func;
  GPtrArray *batch; /* that is there, or that was made */
} CardWanted;

static void
card_wanted_free(gpointer data)
{
  CardWanted *wanted = data;

  regard_layers_unref(wanted->layers);
  g_clear_pointer(&wanted->batch, g_ptr_array_unref);
  g_free(wanted);
}

static void
card_free(gpointer card)
{
  regard_token_card_unref(card);
}

static void
compute_card(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  CardWanted *wanted = data;
  mt_error error = {0};
  RegardTokenCard *card;

  if (!wanted->batch && wanted->batch_func)
    wanted->batch =
        wanted->batch_func(wanted->layers->model, regard_engine_is_cancelled, cancellable);
  card =
      regard_token_card_new(wanted->layers, wanted->look.stack, (guint) wanted->look.point,
                            (guint) wanted->look.token,
                            wanted->batch ? (const mt_trace *const *) wanted->batch->pdata : NULL,
                            wanted->batch ? wanted->batch->len : 0, &error);
  if (card)
    g_task_return_pointer(task, card, card_free);
  else
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_FAILED, "%s", error.message);
}

static void
on_card(GObject *object, GAsyncResult *result, gpointer data)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(object);
  CardWanted *wanted = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  RegardTokenCard *card = g_task_propagate_pointer(G_TASK(result), &error);

  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (wanted->batch && !self->batch) {
    self->batch = g_ptr_array_ref(wanted->batch);
    self->batch_model = mt_model_ref(wanted->layers->model);
  }
  regard_token_card_unref(self->card);
  self->card = card;
  regard_view_layers_show_card(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* Of the cell that is marked; the embedding has no norm, and so no card. */
void
regard_view_layers_load_card(RegardViewLayers *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  g_cancellable_cancel(self->card_cancellable);
  g_clear_object(&self->card_cancellable);
  if (self->batch_model && self->layers && self->batch_model != self->layers->model) {
    g_clear_pointer(&self->batch, g_ptr_array_unref);
    g_clear_pointer(&self->batch_model, mt_model_unref);
  }
  if (!self->layers || self->look.token < 0 || self->look.point == 0) {
    g_clear_pointer(&self->card, regard_token_card_unref);
    regard_view_layers_show_card(self);
    return;
  }
  self->card_cancellable = g_cancellable_new();
  CardWanted *wanted = g_new0(CardWanted, 1);
  g_autoptr(GTask) task = g_task_new(self, self->card_cancellable, on_card, NULL);
  *wanted =
      (CardWanted){regard_layers_ref(self->layers), self->look, regard_selection_get_batch_func(s),
                   self->batch ? g_ptr_array_ref(self->batch) : NULL};
  g_task_set_task_data(task, wanted, card_wanted_free);
  g_task_run_in_thread(task, compute_card);
}

void
regard_view_layers_clear_card(RegardViewLayers *self)
{
  g_cancellable_cancel(self->card_cancellable);
  g_clear_object(&self->card_cancellable);
  g_clear_pointer(&self->card, regard_token_card_unref);
  g_clear_pointer(&self->batch, g_ptr_array_unref);
  g_clear_pointer(&self->batch_model, mt_model_unref);
}
