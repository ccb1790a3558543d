/* trace.h — what else one pass computed than attention. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRACE_H
#define MT_PUBLIC_TRACE_H

#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/matrix.h>
#include <mt/model.h>
#include <mt/session.h>
#include <mt/tokens.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tensors of one hypothesis' pass, as requests asked for them: immutable, atomically
 * reference-counted, with the tokens that their rows are. */
typedef struct mt_trace mt_trace;

/* Bytes of the tensors that requests would make of so many tokens: ask before a trace is made. */
size_t mt_trace_bytes(const mt_model *model, size_t n_source, size_t n_target,
                      const mt_activation_requests *requests);

/* Run hypothesis `index` of a translation once, teacher-forced, in a session of its own, and copy
 * what hooks->requests want. hooks may have changes, on_probe and should_stop, too; its callback is
 * not called. On any thread; a pass takes as long as a capture. Errors as of mt_session_capture. */
mt_trace *mt_trace_new(mt_model *model, const mt_translation *translation, size_t index,
                       const mt_hooks *hooks, mt_error *error);
/* The same in a session that is there, whose threads it uses. */
mt_trace *mt_session_trace(mt_session *session, const mt_translation *translation, size_t index,
                           const mt_hooks *hooks, mt_error *error);
mt_trace *mt_trace_ref(mt_trace *trace);
void mt_trace_unref(mt_trace *trace);

/* One tensor, its rows consecutive positions; data NULL if it was not asked for, or is not there.
 * layer and head as in mt_activation_view: -1 where the hook point has none. Borrowed. */
mt_matrix mt_trace_get(const mt_trace *trace, mt_hook_point hook_point, mt_attention_kind kind,
                       int layer, int head);
/* All of them, in the order in which they were computed. */
typedef struct {
  mt_hook_point hook_point;
  mt_attention_kind kind;
  int layer, head; /* -1: the tensor belongs to none */
  mt_matrix values;
} mt_trace_tensor;
size_t mt_trace_count(const mt_trace *trace);
mt_trace_tensor mt_trace_at(const mt_trace *trace, size_t i);
const mt_tokens *mt_trace_source(const mt_trace *trace);        /* rows of the encoder */
const mt_tokens *mt_trace_decoder_input(const mt_trace *trace); /* rows of the decoder */
const mt_tokens *mt_trace_output(const mt_trace *trace);        /* what each of those led to */

#ifdef __cplusplus
}
#endif
#endif
