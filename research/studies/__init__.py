"""One module per published table or figure: system -> predictions -> metric -> table and plot.

Arrow is told here, before anything imports it, to take memory from the system. What it reads and
writes Parquet with takes from the pool that it chose as it was loaded, whatever is set later; its
own choice keeps what was freed, some megabytes more with each store that is filled.
"""

import os

ARROW_POOL = {"ARROW_DEFAULT_MEMORY_POOL": "system"}
for _name, _value in ARROW_POOL.items():
    os.environ.setdefault(_name, _value)
