"""``python -m course_utils``."""

import sys

from course_utils.cli import main

if __name__ == "__main__":
    sys.exit(main())
