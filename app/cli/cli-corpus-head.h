/* cli-corpus-head.h — what a corpus file says of one head, as JSON and as text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-json.h"

G_BEGIN_DECLS

typedef struct {
  mt_attention_kind kind;
  guint layer, head; /* from 0 */
} CliCorpusHead;

/* "cross 4.1"; FALSE: it is no head of this corpus. */
gboolean cli_corpus_head_parse(const mt_corpus *corpus, const char *text, CliCorpusHead *head);

/* Statistics, roles, offsets and relations. NULL: *error. */
json_object *cli_corpus_head_json(const mt_corpus *corpus, const CliCorpusHead *head,
                                  mt_error *error);
/* Its strongest sentences and quantile groups by a measure. NULL: *error. */
json_object *cli_corpus_head_examples(const mt_corpus *corpus, const CliCorpusHead *head,
                                      mt_corpus_measure measure, mt_error *error);
/* "special 4.6, previous 3.2": the roles that it holds, with their values. FALSE: *error. */
gboolean cli_corpus_head_roles(const mt_corpus *corpus, const CliCorpusHead *head, GString *out,
                               mt_error *error);
/* All of it for people; measure: of the examples. FALSE: *error. */
gboolean cli_corpus_head_print(const mt_corpus *corpus, const CliCorpusHead *head,
                               mt_corpus_measure measure, GString *out, mt_error *error);
/* A sentence with its texts and tokens; value: NAN, there is none. NULL: *error. */
json_object *cli_corpus_sentence_json(const mt_corpus *corpus, guint64 id, double value,
                                      mt_error *error);
/* A number with all its digits; null if it is none. */
json_object *cli_corpus_number(double value);

G_END_DECLS
