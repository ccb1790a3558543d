/* test-position-plan.c — which encoding each token gets: edited and written as changes that say the
 * same, whatever it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-change-edit.h"
#include "suite.h"

#include <string.h>

#define N 12

static mt_changes *
parse(const char *text)
{
  mt_error error = {0};
  mt_changes *changes = mt_changes_parse("test", text, &error);
  g_assert_cmpstr(error.message, ==, "");
  return changes;
}

static void
assert_text(const RegardPositionPlan *plan, const mt_changes *before, gboolean is_of_all,
            const char *expected)
{
  mt_error error = {0};
  mt_changes *changes = regard_position_plan_apply(plan, before, is_of_all, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpstr(mt_changes_text(changes), ==, expected);
  mt_changes_unref(changes);
}

/* What a person does on the bench, and what is written. */
static void
test_edits(void)
{
  mt_changes *others = parse("cross 4.1 zero\ntarget position 2 zero\nsource 3 hide");
  g_autoptr(RegardPositionPlan) plan = regard_position_plan_new(others, MT_STACK_ENCODER, N);
#define REST "cross 4.1 zero\ntarget position 2 zero\nsource 3 hide"
  for (guint i = 0; i < N; i++)
    g_assert_true(regard_position_plan_is_own(plan, i));
  assert_text(plan, others, TRUE, REST);
  regard_position_plan_set_all_off(plan, TRUE);
  g_assert_true(regard_position_plan_is_off(plan, N));
  assert_text(plan, others, TRUE, REST "\nsource position zero");
  assert_text(plan, others, FALSE, REST "\nsource position zero");
  regard_position_plan_set_off(plan, 4, FALSE);
  g_assert_false(regard_position_plan_is_off(plan, N));
  g_assert_true(regard_position_plan_is_off(plan, 4));
  assert_text(plan, others, TRUE, REST "\nsource position 1-4 zero\nsource position 6-12 zero");
  regard_position_plan_reset(plan);
  regard_position_plan_swap(plan, 2, 6);
  assert_text(plan, others, TRUE, REST "\nsource position 3 swap 7");
  regard_position_plan_swap(plan, 6, 2);
  assert_text(plan, others, TRUE, REST);
  regard_position_plan_set(plan, 3, 40);
  regard_position_plan_set(plan, 5, -2);
  assert_text(plan, others, TRUE, REST "\nsource position 4 as 41\nsource position 6 shift -7");
  regard_position_plan_reset(plan);
  regard_position_plan_shift_all(plan, -3);
  assert_text(plan, others, TRUE, REST "\nsource position shift -3");
  assert_text(plan, others, FALSE, REST "\nsource position 1-12 shift -3");
  regard_position_plan_reset(plan);
  regard_position_plan_interleave(plan, TRUE);
  g_assert_true(regard_position_plan_interleaves(plan));
  regard_position_plan_swap(plan, 0, 1);
  assert_text(plan, others, TRUE, REST "\nsource position 1 swap 2\nsource position interleave");
  /* Tokens that are not there. */
  regard_position_plan_swap(plan, 0, N);
  regard_position_plan_set(plan, N, 1);
  regard_position_plan_set_off(plan, N, TRUE);
  assert_text(plan, others, TRUE, REST "\nsource position 1 swap 2\nsource position interleave");
  mt_changes_unref(others);

  /* Three in a circle are no swap; of the other stack its own lines go. */
  mt_changes *before = parse("target position 1 as 9\nencoder 1.1 zero");
  g_autoptr(RegardPositionPlan) target = regard_position_plan_new(before, MT_STACK_DECODER, 3);
  g_assert_cmpint(target->tokens[0].position, ==, 8);
  regard_position_plan_reset(target);
  regard_position_plan_set(target, 0, 1);
  regard_position_plan_set(target, 1, 2);
  regard_position_plan_set(target, 2, 0);
  assert_text(target, before, TRUE,
              "encoder 1.1 zero\ntarget position 1-2 shift 1\ntarget position 3 as 1");
  mt_changes_unref(before);
}

/* Whatever is asked for is what the written list says, and what a list says is what is read. */
static void
test_round_trip(void)
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
    mt_changes *changes = regard_position_plan_apply(plan, NULL, round % 2 != 0, &error);
    g_assert_cmpstr(error.message, ==, "");
    g_autoptr(RegardPositionPlan) read = regard_position_plan_new(changes, MT_STACK_ENCODER, N);
    for (guint i = 0; i < N; i++) {
      g_assert_cmpint(read->tokens[i].is_zero, ==, plan->tokens[i].is_zero);
      if (plan->tokens[i].is_zero)
        continue;
      g_assert_cmpint(read->tokens[i].position, ==, plan->tokens[i].position);
      g_assert_cmpint(read->tokens[i].interleaves, ==, plan->tokens[i].interleaves);
    }
    mt_changes_unref(changes);
  }
}

TESTS()
{
  g_test_add_func("/position-plan/edits", test_edits);
  g_test_add_func("/position-plan/round-trip", test_round_trip);
}
