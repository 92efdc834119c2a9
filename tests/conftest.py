"""What every test starts from."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def the_same_numbers_in_any_order(request):
    """A module's RANDOM begins anew for every test: what one draws must not depend on which ran before."""
    if hasattr(request.module, "RANDOM"):
        request.module.RANDOM = np.random.default_rng(1)
