/* test-change-edit.c — changes as switches: what replaces what, and what is left of a row.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-change-words.h"
#include "figures/regard-intervention-edit.h"
#include "suite.h"

#include <string.h>

/* Six layers of eight heads. */
static const RegardInterventionExtent extent = {{6, 6, 6}, {8, 8, 8}};

static mt_interventions *
parse(const char *text)
{
  mt_error error = {0};
  mt_interventions *interventions = mt_interventions_parse("test", text, &error);
  g_assert_cmpstr(error.message, ==, "");
  return interventions;
}

/* In the canonical form. Caller frees. */
static char *
edit(const char *before, const char *line, RegardInterventionEdit how)
{
  mt_error error = {0};
  mt_interventions *interventions = parse(before);
  g_autofree char *text = regard_interventions_edit(interventions, line, how, &extent, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_interventions_unref(interventions);
  interventions = parse(text);
  char *canonical = g_strdup(mt_interventions_text(interventions));
  mt_interventions_unref(interventions);
  return canonical;
}

static void
test_edit(void)
{
  static const struct {
    const char *before, *line;
    RegardInterventionEdit how;
    const char *after;
  } rows[] = {
      {"", "cross 4.1 zero", REGARD_INTERVENTION_TOGGLE, "cross 4.1 zero"},
      {"cross 4.1 zero", "cross 4.1 zero", REGARD_INTERVENTION_TOGGLE, ""},
      /* What is done to a head is one thing at a time; the switch of one that is not on is on. */
      {"cross 4.1 uniform", "cross 4.1 zero", REGARD_INTERVENTION_TOGGLE, ""},
      {"cross 4.1 uniform", "cross 4.1 zero", REGARD_INTERVENTION_MAKE, "cross 4.1 zero"},
      {"cross 4.1 scale 0.5", "cross 4.1 zero", REGARD_INTERVENTION_RESTORE, ""},
      {"decoder 4.1 zero", "cross 4.1 zero", REGARD_INTERVENTION_RESTORE, "decoder 4.1 zero"},
      /* A row loses what it is not to name any more. */
      {"cross 4 zero", "cross 4.3 zero", REGARD_INTERVENTION_TOGGLE,
       "cross 4.1-2 zero\ncross 4.4-8 zero"},
      {"cross 4 zero", "cross 4.8 uniform", REGARD_INTERVENTION_MAKE,
       "cross 4.1-7 zero\ncross 4.8 uniform"},
      {"encoder zero", "encoder 2.3 zero", REGARD_INTERVENTION_RESTORE,
       "encoder 1 zero\nencoder 3-6 zero\nencoder 2.1-2 zero\nencoder 2.4-8 zero"},
      {"encoder *.3 uniform", "encoder 1.3 zero", REGARD_INTERVENTION_MAKE,
       "encoder 2-6.3 uniform\nencoder 1.3 zero"},
      /* A whole layer: on only if all of it is off already, whoever switched it. */
      {"cross 4.1 zero", "cross 4 zero", REGARD_INTERVENTION_TOGGLE, "cross 4 zero"},
      {"cross 4.1-4 zero\ncross 4.5-8 uniform", "cross 4 zero", REGARD_INTERVENTION_TOGGLE, ""},
      {"cross *.2 zero", "cross *.2 zero", REGARD_INTERVENTION_TOGGLE, ""},
      /* What is of another family stays. */
      {"encoder window 2\ncross 4.1 query 2 key 3 hide\nsource 1 hide", "cross 4.1 zero",
       REGARD_INTERVENTION_MAKE,
       "encoder window 2\ncross 4.1 query 2 key 3 hide\nsource 1 hide\ncross 4.1 zero"},
      {"cross 4.1 query 2 uniform", "cross 4.1 zero", REGARD_INTERVENTION_TOGGLE,
       "cross 4.1 query 2 uniform\ncross 4.1 zero"},
      /* Pieces of the source. */
      {"source 2-4 hide", "source 3 piece 7", REGARD_INTERVENTION_MAKE,
       "source 2 hide\nsource 4 hide\nsource 3 piece 7"},
      {"source 3 zero", "source 3 hide", REGARD_INTERVENTION_TOGGLE, ""},
      {"source position 3 zero", "source 3 hide", REGARD_INTERVENTION_RESTORE,
       "source position 3 zero"},
      /* Cells; a row of all queries has no end at which to cut. */
      {"cross 4.1 query 2 key 3 set 0.25", "cross 4.1 query 2 key 3 put 0.5",
       REGARD_INTERVENTION_MAKE, "cross 4.1 query 2 key 3 put 0.5"},
      {"cross 4.1 query 2 key 3-5 hide", "cross 4.1 query 2 key 4 hide", REGARD_INTERVENTION_TOGGLE,
       "cross 4.1 query 2 key 3 hide\ncross 4.1 query 2 key 5 hide"},
      {"cross 4.1 key 3 hide", "cross 4.1 query 2 key 3 hide", REGARD_INTERVENTION_RESTORE, ""},
      {"cross 4.1 query 2 key 3 set 0.25", "cross 4.1 query 2 key 4 set 0.5",
       REGARD_INTERVENTION_MAKE,
       "cross 4.1 query 2 key 3 set 0.25\ncross 4.1 query 2 key 4 set 0.5"},
      /* Windows, and what has no family. */
      {"encoder window 2\ndecoder window 2", "encoder window 5", REGARD_INTERVENTION_MAKE,
       "decoder window 2\nencoder window 5"},
      {"cross attention 2 skip", "cross attention 2 skip", REGARD_INTERVENTION_TOGGLE, ""},
      {"cross attention 2 skip", "cross attention 3 skip", REGARD_INTERVENTION_TOGGLE,
       "cross attention 2 skip\ncross attention 3 skip"},
      /* Numbers survive being written anew. */
      {"cross 4 scale -12.00005", "cross 4.1 zero", REGARD_INTERVENTION_MAKE,
       "cross 4.2-8 scale -12.00005\ncross 4.1 zero"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *after = edit(rows[i].before, rows[i].line, rows[i].how);
    g_test_message("%s + %s", rows[i].before, rows[i].line);
    g_assert_cmpstr(after, ==, rows[i].after);
  }
}

/* Every head is on, off or otherwise just as the switches said last, whatever rows came of it. */
static void
test_at_random(void)
{
  static const char *const hows[] = {"zero", "uniform", "previous"};
  const char *now[6][8] = {0};
  g_autofree char *text = g_strdup("");
  for (guint n = 0; n < 400; n++) {
    const int layer = g_test_rand_int_range(0, 6), head = g_test_rand_int_range(0, 8);
    const int shape = g_test_rand_int_range(0, 4), how = g_test_rand_int_range(0, 3);
    const gboolean restores = g_test_rand_int_range(0, 3) == 0;
    g_autofree char *line = shape == 0 ? g_strdup_printf("cross %d.* %s", layer + 1, hows[how])
                            : shape == 1
                                ? g_strdup_printf("cross *.%d %s", head + 1, hows[how])
                                : g_strdup_printf("cross %d.%d %s", layer + 1, head + 1, hows[how]);
    g_autofree char *after =
        edit(text, line, restores ? REGARD_INTERVENTION_RESTORE : REGARD_INTERVENTION_MAKE);
    for (int l = 0; l < 6; l++)
      for (int h = 0; h < 8; h++)
        if ((shape == 1 || l == layer) && (shape == 0 || h == head))
          now[l][h] = restores ? NULL : hows[how];
    g_free(text);
    text = g_steal_pointer(&after);
    mt_interventions *interventions = parse(text);
    for (guint l = 0; l < 6; l++)
      for (guint h = 0; h < 8; h++) {
        mt_intervention_row row;
        const gboolean is_changed =
            regard_interventions_of_head(interventions, MT_CROSS, l, h, &row);
        g_assert_cmpstr(is_changed ? row.how : NULL, ==, now[l][h]);
        g_assert_false(regard_interventions_of_head(interventions, MT_DECODER_SELF, l, h, &row));
      }
    mt_interventions_unref(interventions);
  }
}

static void
test_questions(void)
{
  mt_interventions *interventions =
      parse("cross 4.1 scale 0.5\nsource 2-3 piece 17\nencoder window 5\n"
            "encoder window 3\nencoder 2.3 query 1 key 2-3 hide");
  mt_intervention_row row;
  g_assert_true(regard_interventions_of_head(interventions, MT_CROSS, 3, 0, &row));
  g_autofree char *said = regard_change_describe(&row);
  g_assert_cmpstr(said, ==, "scale 0.5");
  g_assert_false(regard_interventions_of_head(interventions, MT_ENCODER_SELF, 1, 2, &row));
  g_assert_true(regard_interventions_has_cells(interventions, MT_ENCODER_SELF, 1, 2));
  g_assert_false(regard_interventions_has_cells(interventions, MT_ENCODER_SELF, 1, 3));
  g_assert_true(regard_interventions_of_cell(interventions, MT_ENCODER_SELF, 1, 2, 0, 2, &row));
  g_assert_false(regard_interventions_of_cell(interventions, MT_ENCODER_SELF, 1, 2, 1, 2, &row));
  g_assert_true(regard_interventions_of_source(interventions, 2, &row));
  g_assert_cmpfloat(row.numbers[0], ==, 17);
  g_assert_false(regard_interventions_of_source(interventions, 3, &row));
  g_assert_cmpuint(regard_interventions_window(interventions, MT_ENCODER_SELF), ==, 3);
  g_assert_cmpuint(regard_interventions_window(interventions, MT_DECODER_SELF), ==, 0);
  mt_interventions_unref(interventions);
  g_assert_false(regard_interventions_of_head(NULL, MT_CROSS, 0, 0, &row));
  g_assert_cmpuint(regard_interventions_window(NULL, MT_CROSS), ==, 0);
}

static void
test_mistakes(void)
{
  mt_error error = {0};
  g_assert_null(regard_interventions_edit(NULL, "cross 4.1 zerro", REGARD_INTERVENTION_MAKE,
                                          &extent, &error));
  g_assert_nonnull(strstr(error.message, "\"zerro\""));
  error = (mt_error){0};
  g_assert_null(regard_interventions_edit(NULL, "", REGARD_INTERVENTION_MAKE, &extent, &error));
  g_assert_cmpstr(error.message, !=, "");
  error = (mt_error){0};
  g_assert_null(regard_interventions_edit(NULL, "cross 1 zero\ncross 2 zero",
                                          REGARD_INTERVENTION_MAKE, &extent, &error));
  g_assert_cmpstr(error.message, !=, "");
}

/* Rows of the engine in parts. */
static void
test_rows(void)
{
  mt_interventions *interventions =
      parse("cross 4.1-2 query 3 key 5 set 0.25\nencoder feed-forward skip");
  mt_intervention_row row;
  g_assert_true(mt_interventions_row(interventions, 0, &row));
  g_assert_cmpstr(row.where, ==, "cross");
  g_assert_null(row.part);
  g_assert_cmpuint(row.layers.first, ==, 3);
  g_assert_cmpuint(row.heads.first, ==, 0);
  g_assert_cmpuint(row.heads.last, ==, 1);
  g_assert_cmpuint(row.queries.first, ==, 2);
  g_assert_cmpuint(row.keys.last, ==, 4);
  g_assert_cmpuint(row.n_numbers, ==, 1);
  g_assert_cmpfloat(row.numbers[0], ==, 0.25);
  g_assert_true(mt_interventions_row(interventions, 1, &row));
  g_assert_cmpstr(row.part, ==, "feed-forward");
  g_assert_cmpuint(row.layers.last, ==, SIZE_MAX);
  g_assert_cmpuint(row.n_numbers, ==, 0);
  g_assert_false(mt_interventions_row(interventions, 2, &row));
  g_assert_false(mt_interventions_row(NULL, 0, &row));
  mt_interventions_unref(interventions);
}

/* ---- Position plans -------------------------------------------------------------------------- */

#define N 12

static void
assert_plan(const RegardPositionPlan *plan, const mt_interventions *before, gboolean is_of_all,
            const char *expected)
{
  mt_error error = {0};
  mt_interventions *interventions = regard_position_plan_apply(plan, before, is_of_all, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpstr(mt_interventions_text(interventions), ==, expected);
  mt_interventions_unref(interventions);
}

/* What a person does on the bench, and what is written. */
static void
test_plan_edits(void)
{
  mt_interventions *others = parse("cross 4.1 zero\ntarget position 2 zero\nsource 3 hide");
  g_autoptr(RegardPositionPlan) plan = regard_position_plan_new(others, MT_STACK_ENCODER, N);
#define REST "cross 4.1 zero\ntarget position 2 zero\nsource 3 hide"
  for (guint i = 0; i < N; i++)
    g_assert_true(regard_position_plan_is_own(plan, i));
  assert_plan(plan, others, TRUE, REST);
  regard_position_plan_set_all_off(plan, TRUE);
  g_assert_true(regard_position_plan_is_off(plan, N));
  assert_plan(plan, others, TRUE, REST "\nsource position zero");
  assert_plan(plan, others, FALSE, REST "\nsource position zero");
  regard_position_plan_set_off(plan, 4, FALSE);
  g_assert_false(regard_position_plan_is_off(plan, N));
  g_assert_true(regard_position_plan_is_off(plan, 4));
  assert_plan(plan, others, TRUE, REST "\nsource position 1-4 zero\nsource position 6-12 zero");
  regard_position_plan_reset(plan);
  regard_position_plan_swap(plan, 2, 6);
  assert_plan(plan, others, TRUE, REST "\nsource position 3 swap 7");
  regard_position_plan_swap(plan, 6, 2);
  assert_plan(plan, others, TRUE, REST);
  regard_position_plan_set(plan, 3, 40);
  regard_position_plan_set(plan, 5, -2);
  assert_plan(plan, others, TRUE, REST "\nsource position 4 as 41\nsource position 6 shift -7");
  regard_position_plan_reset(plan);
  regard_position_plan_shift_all(plan, -3);
  assert_plan(plan, others, TRUE, REST "\nsource position shift -3");
  assert_plan(plan, others, FALSE, REST "\nsource position 1-12 shift -3");
  regard_position_plan_reset(plan);
  regard_position_plan_interleave(plan, TRUE);
  g_assert_true(regard_position_plan_interleaves(plan));
  regard_position_plan_swap(plan, 0, 1);
  assert_plan(plan, others, TRUE, REST "\nsource position 1 swap 2\nsource position interleave");
  /* Tokens that are not there. */
  regard_position_plan_swap(plan, 0, N);
  regard_position_plan_set(plan, N, 1);
  regard_position_plan_set_off(plan, N, TRUE);
  assert_plan(plan, others, TRUE, REST "\nsource position 1 swap 2\nsource position interleave");
  mt_interventions_unref(others);

  /* Three in a circle are no swap; of the other stack its own lines go. */
  mt_interventions *before = parse("target position 1 as 9\nencoder 1.1 zero");
  g_autoptr(RegardPositionPlan) target = regard_position_plan_new(before, MT_STACK_DECODER, 3);
  g_assert_cmpint(target->tokens[0].position, ==, 8);
  regard_position_plan_reset(target);
  regard_position_plan_set(target, 0, 1);
  regard_position_plan_set(target, 1, 2);
  regard_position_plan_set(target, 2, 0);
  assert_plan(target, before, TRUE,
              "encoder 1.1 zero\ntarget position 1-2 shift 1\ntarget position 3 as 1");
  mt_interventions_unref(before);
}

/* Whatever is asked for is what the written list says, and what a list says is what is read. */
static void
test_plan_round_trip(void)
{
  for (guint round = 0; round < 500; round++) {
    g_autoptr(RegardPositionPlan) plan = regard_position_plan_new(NULL, MT_STACK_ENCODER, N);
    for (guint edit = 0; edit < 6; edit++) {
      const guint a = (guint) g_test_rand_int_range(0, N), b = (guint) g_test_rand_int_range(0, N);
      switch (g_test_rand_int_range(0, 6)) {
      case 0:
        regard_position_plan_set_off(plan, a, TRUE);
        break;
      case 1:
        regard_position_plan_set(plan, a, g_test_rand_int_range(-5, 2 * N));
        break;
      case 2:
        regard_position_plan_swap(plan, a, b);
        break;
      case 3:
        regard_position_plan_shift_all(plan, g_test_rand_int_range(-2, 3));
        break;
      case 4:
        plan->tokens[a].interleaves = TRUE;
        break;
      default:
        regard_position_plan_set_off(plan, a, FALSE);
      }
    }
    mt_error error = {0};
    mt_interventions *interventions =
        regard_position_plan_apply(plan, NULL, round % 2 != 0, &error);
    g_assert_cmpstr(error.message, ==, "");
    g_autoptr(RegardPositionPlan) read =
        regard_position_plan_new(interventions, MT_STACK_ENCODER, N);
    for (guint i = 0; i < N; i++) {
      g_assert_cmpint(read->tokens[i].is_zero, ==, plan->tokens[i].is_zero);
      if (plan->tokens[i].is_zero)
        continue;
      g_assert_cmpint(read->tokens[i].position, ==, plan->tokens[i].position);
      g_assert_cmpint(read->tokens[i].interleaves, ==, plan->tokens[i].interleaves);
    }
    mt_interventions_unref(interventions);
  }
}

/* What is heard of them. */
static void
test_words(void)
{
  static const struct {
    const char *before, *now, *said;
  } rows[] = {
      {"", "cross 5.5 zero", "Cross-attention, layer 5, head 5 is switched off."},
      {"cross 5.5 zero", "", "Cross-attention, layer 5, head 5 is switched on again."},
      {"encoder 1.2 zero", "encoder 1.2 zero", NULL},
      {"", "encoder 2 zero", "Encoder self-attention, all heads of layer 2 are switched off."},
      {"encoder *.2 zero", "",
       "Encoder self-attention, head 2 of all layers are switched on again."},
      {"", "decoder uniform", "Decoder self-attention, all heads: all tokens are looked at alike."},
      {"", "cross 1.1 mean",
       "Cross-attention, layer 1, head 1: what is found is its mean over a text."},
      {"", "cross 1.1 diagonal",
       "Cross-attention, layer 1, head 1: only the same token is looked at."},
      {"", "cross 1.1 previous",
       "Cross-attention, layer 1, head 1: only the token before is looked at."},
      {"", "cross 1.1 next", "Cross-attention, layer 1, head 1: only the next token is looked at."},
      /* In the place of another. */
      {"cross 1.1 zero", "cross 1.1 scale 0.5",
       "Cross-attention, layer 1, head 1: what is found counts 0.5 times."},
      {"cross 1.1 scale 0.5", "", "Cross-attention, layer 1, head 1 is as it was."},
      {"cross 1 scale 0.5", "", "Cross-attention, all heads of layer 1 are as they were."},
      {"", "cross 1.1 temperature 2", "Cross-attention, layer 1, head 1: the temperature is 2."},
      {"", "cross 4.1 query 2 key 3 set 0.5",
       "Cross-attention, layer 4, head 1: the weight of query 2 on key 3 is 0.5."},
      {"cross 4.1 query 2 key 3 put 0.5", "cross 4.1 query 2 key 3 hide",
       "Cross-attention, layer 4, head 1: key 3 is hidden from query 2."},
      {"cross 4.1 query 2 key 3 hide", "",
       "Cross-attention, layer 4, head 1: the weight of query 2 on key 3 is as it was."},
      {"", "cross 4.1 key 3 hide",
       "Cross-attention, layer 4, head 1: key 3 is hidden from all queries."},
      {"cross 4.1 key 3 hide", "", "Cross-attention, layer 4, head 1: key 3 is seen again."},
      {"", "source 2 hide", "Piece 2 of the source is hidden."},
      {"", "source 2 zero", "Piece 2 of the source says nothing but its place."},
      {"source 2 zero", "source 2 piece 7", "Piece 2 of the source is another one."},
      {"source 2 piece 7", "", "Piece 2 of the source is as it was."},
      /* What no menu makes is said as it is written, and what is much by its number. */
      {"", "cross 4.1-2 zero", "Changed: cross 4.1-2 zero"},
      {"", "encoder window 2", "Changed: encoder window 2"},
      {"cross 4.1 query 1-2 uniform", "", "As it was: cross 4.1 query 1-2 uniform"},
      {"", "cross attention 2 skip", "Changed: cross attention 2 skip"},
      {"cross 4 zero", "cross 4.1-2 zero\ncross 4.4-8 zero", "There are 2 changes in the model."},
      {"cross 4.1-2 zero\ncross 4.4-8 zero", "cross 4 zero",
       "Cross-attention, all heads of layer 4 are switched off."},
      {"cross 4.1 zero\nsource 2 hide\nencoder 1.1 zero", "source 2 hide",
       "There is 1 change in the model."},
      {"cross 4.1 zero\nsource 2 hide", "", "Nothing is changed in the model any more."},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    mt_interventions *before = *rows[i].before ? parse(rows[i].before) : NULL;
    mt_interventions *now = *rows[i].now ? parse(rows[i].now) : NULL;
    g_autofree char *said = regard_change_words(before, now);
    g_assert_cmpstr(said, ==, rows[i].said);
    mt_interventions_unref(before);
    mt_interventions_unref(now);
  }
}

TESTS()
{
  g_test_add_func("/change-edit/edit", test_edit);
  g_test_add_func("/change-edit/at-random", test_at_random);
  g_test_add_func("/change-edit/questions", test_questions);
  g_test_add_func("/change-edit/mistakes", test_mistakes);
  g_test_add_func("/change-edit/rows", test_rows);
  g_test_add_func("/change-edit/words", test_words);
  g_test_add_func("/change-edit/plan-edits", test_plan_edits);
  g_test_add_func("/change-edit/plan-round-trip", test_plan_round_trip);
}
