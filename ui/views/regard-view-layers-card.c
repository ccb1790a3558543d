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

static void
on_card(gpointer owner, RegardRun *run)
{
  RegardViewLayers *self = owner;
  const RegardCardParams *params = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  RegardTokenCard *card = regard_run_finish(run, &error);

  if (params->batch && !self->batch) {
    self->batch = g_ptr_array_ref(params->batch);
    self->batch_model = mt_model_ref(params->layers->model);
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

  regard_work_drop(self->card_work);
  if (self->batch_model && self->layers && self->batch_model != self->layers->model) {
    g_clear_pointer(&self->batch, g_ptr_array_unref);
    g_clear_pointer(&self->batch_model, mt_model_unref);
  }
  if (!self->layers || self->look.token < 0 || self->look.point == 0) {
    g_clear_pointer(&self->card, regard_token_card_unref);
    regard_view_layers_show_card(self);
    return;
  }
  const RegardCardParams params = {
      .layers = regard_layers_ref(self->layers),
      .stack = self->look.stack,
      .point = (guint) self->look.point,
      .token = (guint) self->look.token,
      .batch_func = regard_selection_get_batch_func(s),
      .batch = self->batch ? g_ptr_array_ref(self->batch) : NULL,
  };
  regard_work_run(self->card_work, &regard_analysis_card, self->pass, &params, on_card);
}

void
regard_view_layers_clear_card(RegardViewLayers *self)
{
  regard_work_drop(self->card_work);
  g_clear_pointer(&self->card, regard_token_card_unref);
  g_clear_pointer(&self->batch, g_ptr_array_unref);
  g_clear_pointer(&self->batch_model, mt_model_unref);
}
