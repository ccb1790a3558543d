/* fit-config.h — what regard-train fit is told: a JSON file, then options, in one table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"
#include <mt-train.h>

G_BEGIN_DECLS

/* A row for each option; the key of the JSON file is the option's name with '_' for '-'. */
typedef struct {
  /* Texts are borrowed from argv or from `strings`. */
  const char *config, *data, *output, *start_from, *save_at, *weights;
  gint64 layers, encoder_layers, decoder_layers, d_model, heads, d_ffn, max_positions;
  gint64 attention_window;
  guint norm, positions, embeddings, pad, activation, init, schedule, products, dtype;
  double dropout, activation_dropout, label_smoothing, r_drop;
  double adam_beta1, adam_beta2, adam_epsilon, clip, rate, cooldown;
  gint64 warmup, steps, batch_tokens, accumulate, sort_batches, seed, threads;
  gint64 save_every, keep, average, beams, validate_every, validate_pairs, translate_pairs;
  gint64 report_every;
  gboolean resume, json;
  GPtrArray *strings;
  GArray *save_steps;  /* guint64 */
  GArray *weight_list; /* mt_trainer_weight */
} FitConfig;

void fit_config_clear(FitConfig *config);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FitConfig, fit_config_clear)

/* Of a CliCommand: its options, their defaults, and the file that --config names. */
extern const CliOption fit_options[];
void fit_config_begin(gpointer self);
CliStatus fit_config_read(const CliCommand *command, gpointer self, GPtrArray *arguments);

/* What is a list in one text. FALSE: it was said what is wrong. */
gboolean fit_config_parse_lists(FitConfig *config, const CliCommand *command);

/* What the engine's trainer is told. Borrows from config. FALSE: the command ends with *status;
 * what is wrong was said. */
gboolean fit_config_to_trainer(const FitConfig *config, const CliCommand *command,
                               mt_trainer_config *trainer, CliStatus *status);

G_END_DECLS
