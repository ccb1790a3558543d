/* mt-alloc-test.h — lets a test make an allocation of the engine fail. For tests only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ALLOC_TEST_H
#define MT_ALLOC_TEST_H

#include <stdbool.h>
#include <stddef.h>

/* Asked before every allocation of the engine, on the allocating thread; false makes it fail. */
typedef bool (*mt_alloc_hook)(size_t bytes);

/* Install a hook for the whole process; NULL takes it away. Atomic. */
void mt_alloc_set_hook(mt_alloc_hook hook);

#endif
