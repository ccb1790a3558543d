/* regard-pass.h — what an analysis is of: a model's pass over a translation, with its capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pass never changes, and is counted; threads share it. Whoever asks for an analysis hands over
 * the pass that is on the screen at that moment, and the answer says of which pass it is. So
 * nothing is looked up when an analysis ends: by then another sentence may be on the screen.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* All members are read only and borrowed of the pass. */
typedef struct {
  mt_capture *capture; /* NULL: attention was not captured */
  mt_model *model;     /* NULL: nothing but the capture is known, as of a file of attention */
  mt_translation *translation;
  gsize hypothesis;
  const mt_changes *changes; /* interventions it was made with; NULL: none */
  const mt_request *search;  /* settings the translation was searched for with; NULL: not known */
  /*< private >*/
  gatomicrefcount ref_count;
} RegardPass;

/* References are taken of all that is given; any may be NULL. */
RegardPass *regard_pass_new(mt_capture *capture, mt_model *model, mt_translation *translation,
                            gsize hypothesis);
RegardPass *regard_pass_ref(RegardPass *pass);
void regard_pass_unref(RegardPass *pass);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardPass, regard_pass_unref)
/* Puts a pass, or NULL, in the place of another; a reference is taken. */
void regard_pass_set(RegardPass **place, RegardPass *pass);
/* Can the model run it again? FALSE also for NULL. */
gboolean regard_pass_has_model(const RegardPass *pass);
/* The capture; NULL: there is none, or no pass. Borrowed. */
mt_capture *regard_pass_capture(const RegardPass *pass);
/* The output tokens of the hypothesis of a pass that has a model. Borrowed. */
const mt_tokens *regard_pass_output(const RegardPass *pass);

G_END_DECLS
