/* mt-trainer-card.c — README.md of a model that was trained: what is known of where it comes from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-trainer-private.h"

#include "base/mt-alloc.h"
#include "train/mt-card.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that grows; failed: there was no memory. */
typedef struct {
  char *text;
  size_t n, room;
  bool failed;
} card;

static void put(card *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
put(card *c, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (n < 0 || c->failed)
    return;
  if (c->n + (size_t) n + 1 > c->room) {
    size_t room = 2 * (c->n + (size_t) n + 1);
    char *grown = mt_realloc(c->text, room, 1);
    if (!grown) {
      c->failed = true;
      return;
    }
    c->text = grown;
    c->room = room;
  }
  va_start(arguments, format);
  vsnprintf(c->text + c->n, c->room - c->n, format, arguments);
  va_end(arguments);
  c->n += (size_t) n;
}

/* In a cell of a table: what would end the cell or the line is left out. */
static void
put_cell(card *c, const char *text)
{
  put(c, " ");
  for (; *text; text++)
    if (*text != '|' && (unsigned char) *text >= ' ')
      put(c, "%c", *text);
  put(c, " |");
}

static void
put_head(card *c, const mt_trainer *t)
{
  const mt_dataset_info *info = mt_dataset_get_info(t->dataset);
  put(c, "---\n");
  if (mt_card_is_plain(info->languages[0]) && mt_card_is_plain(info->languages[1]))
    put(c, "language:\n- %s\n- %s\n", info->languages[0], info->languages[1]);
  put(c, "tags:\n- translation\n---\n\n");
}

static void
put_shape(card *c, const mt_trainer *t)
{
  const mt_network_config *n = &t->network->config;
  static const char *const activations[] = {"ReLU", "SiLU", "GELU"};
  put(c, "| | |\n|---|---|\n");
  put(c,
      "| architecture | encoder-decoder Transformer, %zu + %zu layers, d_model %zu, %zu heads, "
      "feed-forward %zu, %s, %s-norm, %s positions |\n",
      n->n_layers[MT_STACK_ENCODER], n->n_layers[MT_STACK_DECODER], n->d_model, n->n_heads,
      n->d_ffn, activations[n->activation], n->normalize_before ? "pre" : "post",
      n->learned_positions ? "learned" : "sinusoidal");
  put(c, "| vocabulary | %zu pieces, one table for both languages%s |\n", n->vocab_size,
      n->untied_output ? ", another for the output layer" : "");
  put(c, "| parameters | %zu |\n", t->network->n_parameters);
  put(c, "| steps | %llu of about %zu source and target tokens |\n", (unsigned long long) t->step,
      t->config.batch_tokens * t->config.accumulate * mt_comm_size(t->comm));
  if (t->config.start_from) {
    const char *slash = strrchr(t->config.start_from, '/');
    put(c, "| began as |");
    put_cell(c, slash && slash[1] ? slash + 1 : t->config.start_from);
    put(c, "\n");
  }
  put(c, "\n");
}

static void
put_data(card *c, const mt_trainer *t)
{
  put(c, "## Data\n\n\"Weight\" is how often an epoch shows a pair.\n\n"
         "| source | pairs | weight | licence |\n|---|---|---|---|\n");
  for (size_t i = 0; i < mt_dataset_count_sources(t->dataset); i++) {
    const mt_dataset_source *source = mt_dataset_get_source(t->dataset, i);
    if (t->weights[i] <= 0)
      continue;
    put(c, "|");
    put_cell(c, source->name);
    put(c, " %zu | %g |", source->n_pairs / source->segmentations, t->weights[i]);
    put_cell(c, *source->licence ? source->licence : "not said");
    put(c, "\n");
  }
}

char *
mt_trainer_make_card(const mt_trainer *t)
{
  card c = {0};
  const mt_dataset_info *info = mt_dataset_get_info(t->dataset);
  put_head(&c, t);
  put(&c,
      "# A Transformer that translates%s%s%s%s\n\nTrained with regard-train " MT_VERSION ".\n\n",
      *info->languages[0] ? " from " : "", info->languages[0], *info->languages[1] ? " to " : "",
      info->languages[1]);
  put_shape(&c, t);
  put_data(&c, t);
  if (!c.failed)
    return c.text;
  mt_free(c.text);
  return NULL;
}
