/* test-window-part.c — long texts in the window: where all attention takes more memory than it may,
 * the layer that is looked at is computed, and the rest when somebody asks for it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "document/regard-comparer.h"
#include "figures/regard-matrix-attention.h"
#include "suite.h"
#include "views/regard-view.h"
#include "widgets/regard-heads.h"
#include "window-test.h"

#include <glib/gstdio.h>
#include <string.h>

/* 144 heads of it take more than a mebibyte. */
#define LONG                                                                                   \
  "Please switch off the light, close the window, lock both doors, feed the cat, water the "   \
  "plants on the balcony but not the ones in the kitchen, put the rubbish out, leave the key " \
  "under the blue stone."

static mt_capture *
shown(WindowTest *t)
{
  return regard_selection_get_capture(t->selection);
}

static const char *
banner(WindowTest *t, RegardBannerSubject subject)
{
  return regard_banner_get_title(window_test_child(t, "banner"), subject);
}

/* That kind and layer, and nothing else, are there, and looked at. */
static void
assert_part(WindowTest *t, mt_attention_kind kind, guint layer)
{
  app_test_until(shown(t) && mt_capture_n_layers(shown(t), (kind + 1) % MT_N_KINDS) == 0);
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    g_assert_cmpuint(mt_capture_n_layers(shown(t), k), ==, k == kind ? 1 : 0);
  g_assert_cmpuint(mt_capture_first_layer(shown(t), kind), ==, layer);
  g_assert_cmpuint(mt_capture_n_heads(shown(t), kind), ==, 8);
  g_assert_cmpint(regard_selection_get_kind(t->selection), ==, kind);
  g_assert_cmpuint(regard_selection_get_layer(t->selection), ==, layer);
  g_assert_nonnull(regard_selection_get_matrix(t->selection));
  g_assert_nonnull(banner(t, REGARD_BANNER_REST));
}

static void
assert_whole(WindowTest *t)
{
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    g_assert_cmpuint(mt_capture_n_layers(shown(t), k), ==, 6);
    g_assert_false(mt_capture_is_part(shown(t), k));
  }
  g_assert_null(banner(t, REGARD_BANNER_REST));
}

static void
look_at(WindowTest *t, mt_attention_kind kind, guint layer, guint head)
{
  regard_selection_set_place(t->selection, kind, layer, head);
  window_test_settle(t);
}

static void
limit(WindowTest *t, guint mebibytes)
{
  g_settings_set_uint(t->settings, "capture-memory", mebibytes);
  window_test_settle(t);
}

/* All heads of its layer are, bit for bit, those of the whole. */
static void
assert_of(const mt_capture *part, mt_attention_kind kind, const mt_capture *whole)
{
  const size_t layer = mt_capture_first_layer(part, kind);
  for (size_t h = 0; h < mt_capture_n_heads(part, kind); h++) {
    const mt_matrix x = mt_capture_weights(part, kind, 0, h),
                    y = mt_capture_weights(whole, kind, layer, h);
    g_assert_cmpmem(x.data, x.rows * x.cols * sizeof(float), y.data,
                    y.rows * y.cols * sizeof(float));
  }
}

static gboolean
is_offered(WindowTest *t, const char *choice)
{
  guint n;
  const RegardPicture *choices =
      regard_view_get_export_choices(regard_window_get_view(t->window), &n);
  for (guint i = 0; i < n; i++)
    if (g_str_equal(choices[i].id, choice))
      return TRUE;
  return FALSE;
}

/* The window says how much all of it takes, computes the place that is gone to, says why it does
 * not save what is not there, and computes all when its button is pressed. */
static void
test_places(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder(), *path = g_strdup_printf("%s/a.npz", folder);
  limit(t, 1);
  window_test_translate(t, "I have two dogs.");
  assert_whole(t); /* a short one takes little */
  window_test_translate(t, LONG);
  assert_part(t, MT_CROSS, 3);
  g_autoptr(mt_capture) cross = mt_capture_ref(shown(t));
  g_autofree char *size =
      g_format_size(mt_capture_bytes_of(regard_document_get_model(t->document),
                                        mt_tokens_count(mt_capture_source(cross)),
                                        mt_tokens_count(mt_capture_output(cross)), NULL, 0, NULL));
  g_assert_nonnull(strstr(banner(t, REGARD_BANNER_REST), size));
  g_autofree char *caption = window_test_caption(t);
  g_assert_nonnull(strstr(caption, "layer 4"));

  /* A place beyond what there is, by its frame, a key and the settings. */
  look_at(t, MT_ENCODER_SELF, 1, 5);
  assert_part(t, MT_ENCODER_SELF, 1);
  g_assert_cmpuint(regard_selection_get_head(t->selection), ==, 5);
  g_assert_cmpuint(g_settings_get_uint(t->settings, "layer"), ==, 2);
  g_autoptr(mt_capture) encoder = mt_capture_ref(shown(t));
  g_assert_true(window_test_key(t, GDK_KEY_Page_Down, 0));
  window_test_settle(t);
  assert_part(t, MT_ENCODER_SELF, 2);
  regard_selection_step(t->selection, 100, 0);
  window_test_settle(t);
  assert_part(t, MT_ENCODER_SELF, 5);
  g_settings_set_string(t->settings, "kind", "decoder");
  window_test_settle(t);
  assert_part(t, MT_DECODER_SELF, 5);
  GtkWidget *heads = window_test_find(t->window, REGARD_TYPE_HEADS);
  graphene_rect_t r;
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_CROSS, 2, 6, &r));
  regard_heads_press(REGARD_HEADS(heads), r.origin.x + r.size.width / 2,
                     r.origin.y + r.size.height / 2, 0);
  window_test_settle(t);
  assert_part(t, MT_CROSS, 2);
  g_assert_cmpuint(regard_selection_get_head(t->selection), ==, 6);

  g_assert_true(is_offered(t, "layer"));
  g_assert_false(is_offered(t, "all"));
  window_test_act(t, "win.save-capture", "s", path);
  window_test_settle(t);
  g_assert_nonnull(strstr(banner(t, REGARD_BANNER_FILE), size));
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  regard_banner_clear(window_test_child(t, "banner"), REGARD_BANNER_FILE);

  g_signal_emit_by_name(window_test_child(t, "banner"), "response", REGARD_BANNER_REST);
  window_test_settle(t);
  assert_whole(t);
  g_assert_true(is_offered(t, "all"));
  assert_of(cross, MT_CROSS, shown(t));
  assert_of(encoder, MT_ENCODER_SELF, shown(t));
  look_at(t, MT_DECODER_SELF, 4, 2);
  assert_whole(t);
  /* Of another text nobody has asked for it. */
  window_test_translate(t, LONG " Thank you!");
  regard_document_set_text(t->document, "Thank you! " LONG);
  window_test_settle(t);
  limit(t, 512);
  assert_whole(t);
  app_test_remove(folder);
}

/* Page, place, text, limit and model change while a part, or all of it, is computed. */
static void
test_changes_in_the_middle(WindowTest *t, gconstpointer data)
{
  limit(t, 1);
  window_test_translate(t, LONG);
  for (guint i = 0; i < 12; i++) {
    regard_selection_set_place(t->selection, (mt_attention_kind) (i % 3), i % 6, i % 8);
    if (i % 4 == 1)
      regard_document_compute_whole(t->document);
    if (i % 4 == 2)
      regard_document_set_text(t->document, i % 8 == 2 ? "Two dogs." : LONG);
    if (i % 4 == 3)
      g_settings_set_string(t->settings, "view", i % 8 == 3 ? "heads" : "steps");
    for (guint k = 0; k < i % 3; k++)
      g_main_context_iteration(NULL, FALSE);
  }
  /* All of the long text was asked for: another text, if it is noticed, takes that back. */
  window_test_translate(t, "Two dogs.");
  regard_document_set_text(t->document, LONG);
  regard_selection_set_place(t->selection, MT_DECODER_SELF, 1, 7);
  window_test_settle(t);
  look_at(t, MT_DECODER_SELF, 1, 7);
  assert_part(t, MT_DECODER_SELF, 1);

  /* A smaller model: the place is as near as it has one. */
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  regard_selection_set_place(t->selection, MT_CROSS, 5, 7);
  regard_document_open_model(t->document, small);
  regard_document_compute_whole(t->document);
  window_test_settle(t);
  g_assert_nonnull(shown(t));
  g_assert_nonnull(regard_selection_get_matrix(t->selection));
}

/* A and B are of the same part, and go with the place. */
static void
test_compared(WindowTest *t, gconstpointer data)
{
  limit(t, 1);
  window_test_translate(t, LONG);
  g_assert_true(regard_document_set_interventions_text(t->document, "encoder 1.2 zero", NULL));
  regard_document_set_compare(t->document, REGARD_COMPARE_DIFFERENCE);
  const RegardComparerState *state = regard_document_get_compared(t->document);
  app_test_until(!regard_document_is_busy(t->document) && state->comparison);
  window_test_settle(t);
  g_assert_null(state->error);
  assert_part(t, MT_CROSS, 3);
  g_assert_nonnull(mt_capture_difference_a(shown(t)));
  look_at(t, MT_ENCODER_SELF, 4, 3);
  app_test_until(!regard_document_is_busy(t->document) && state->comparison);
  window_test_settle(t);
  assert_part(t, MT_ENCODER_SELF, 4);
  g_assert_nonnull(mt_capture_difference_a(shown(t)));
}

/* Blocks of so many bytes are refused. Any thread may ask. */
static size_t refused_from, refused_to;

static bool
admit(size_t bytes)
{
  return bytes < __atomic_load_n(&refused_from, __ATOMIC_RELAXED) ||
         bytes > __atomic_load_n(&refused_to, __ATOMIC_RELAXED);
}

static void
refuse(size_t from, size_t to)
{
  __atomic_store_n(&refused_to, to, __ATOMIC_RELAXED);
  __atomic_store_n(&refused_from, from, __ATOMIC_RELAXED);
}

/* The engine does not get the block for all attention: the layer that is looked at is there, and
 * the window says why. It gets nothing large at all: text and picture stay. Then there is memory
 * again. */
static void
test_memory_runs_out(WindowTest *t, gconstpointer data)
{
  limit(t, 512);
  refuse(SIZE_MAX, SIZE_MAX);
  mt_alloc_set_hook(admit);
  window_test_translate(t, LONG);
  assert_whole(t);
  const size_t whole =
      mt_capture_bytes_of(regard_document_get_model(t->document),
                          mt_tokens_count(mt_capture_source(shown(t))),
                          mt_tokens_count(mt_capture_output(shown(t))), NULL, 0, NULL);
  window_test_translate(t, "I have two dogs.");
  refuse(whole / 2, whole);
  window_test_translate(t, LONG);
  assert_part(t, MT_CROSS, 3);
  g_assert_nonnull(strstr(banner(t, REGARD_BANNER_REST), "not enough memory"));

  g_autoptr(mt_capture) before = mt_capture_ref(shown(t));
  refuse(1 << 16, SIZE_MAX);
  window_test_translate(t, LONG " Thank you!");
  g_assert_cmpstr(banner(t, REGARD_BANNER_TEXT), ==, "There is not enough memory.");
  g_assert_cmpstr(regard_document_get_text(t->document), ==, LONG " Thank you!");
  g_assert_true(shown(t) == before);

  refuse(SIZE_MAX, SIZE_MAX);
  window_test_translate(t, LONG);
  g_assert_null(banner(t, REGARD_BANNER_TEXT));
  assert_whole(t);
  mt_alloc_set_hook(NULL);
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-part/places", test_places);
  WINDOW_TEST("/window-part/changes-in-the-middle", test_changes_in_the_middle);
  WINDOW_TEST("/window-part/compared", test_compared);
  WINDOW_TEST("/window-part/memory-runs-out", test_memory_runs_out);
}
