/* regard-pass.c — what an analysis is of.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-pass.h"

RegardPass *
regard_pass_new(mt_capture *capture, mt_model *model, mt_translation *translation, gsize hypothesis)
{
  RegardPass *pass = g_new(RegardPass, 1);

  *pass = (RegardPass){
      .capture = capture ? mt_capture_ref(capture) : NULL,
      .model = model ? mt_model_ref(model) : NULL,
      .translation = translation ? mt_translation_ref(translation) : NULL,
      .hypothesis = hypothesis,
      .changes = capture       ? mt_capture_changes(capture)
                 : translation ? mt_translation_changes(translation)
                               : NULL,
      .search = translation ? mt_translation_search(translation) : NULL,
  };
  g_atomic_ref_count_init(&pass->ref_count);
  return pass;
}

RegardPass *
regard_pass_ref(RegardPass *pass)
{
  g_atomic_ref_count_inc(&pass->ref_count);
  return pass;
}

void
regard_pass_unref(RegardPass *pass)
{
  if (!g_atomic_ref_count_dec(&pass->ref_count))
    return;
  mt_capture_unref(pass->capture);
  mt_model_unref(pass->model);
  mt_translation_unref(pass->translation);
  g_free(pass);
}

void
regard_pass_set(RegardPass **place, RegardPass *pass)
{
  RegardPass *old = *place;

  *place = pass ? regard_pass_ref(pass) : NULL;
  g_clear_pointer(&old, regard_pass_unref);
}

gboolean
regard_pass_has_model(const RegardPass *pass)
{
  return pass && pass->model && pass->translation;
}

mt_capture *
regard_pass_capture(const RegardPass *pass)
{
  return pass ? pass->capture : NULL;
}

const mt_tokens *
regard_pass_output(const RegardPass *pass)
{
  return mt_translation_hypothesis(pass->translation, pass->hypothesis)->tokens;
}
