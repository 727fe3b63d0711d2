"""python -m toyattn"""

import sys

from .cli import main

sys.exit(main())
