"""Write the small random checkpoints into tests/data/checkpoints.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import checkpoints
import families

if __name__ == "__main__":
    for name in checkpoints.SHAPES:
        checkpoints.save(name, checkpoints.DATA / "checkpoints" / name)
        print(name)
    for name in families.COMMITTED:
        families.commit(name, checkpoints.DATA / "checkpoints" / name)
        print(name)
