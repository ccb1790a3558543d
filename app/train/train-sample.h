/* train-sample.h — some of many, drawn by weight, without knowing how many there are (Efraimidis
 * and Spirakis 2006): each draws a key, and the n smallest win.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _TrainSample TrainSample;

/* Up to n items. purpose: see train_draw. */
TrainSample *train_sample_new(gsize n, guint64 seed, guint64 purpose);
void train_sample_free(TrainSample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TrainSample, train_sample_free)

/* Item i takes part; its chance is proportional to its weight, which is above 0. */
void train_sample_offer(TrainSample *sample, guint64 i, double weight);

/* Whether item i, which was offered with this weight, is among the winners of all that were. */
gboolean train_sample_has(const TrainSample *sample, guint64 i, double weight);

G_END_DECLS
