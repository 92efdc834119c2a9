"""Every promise of core is tried with NumPy and with torch."""

import numpy as np
import pytest


def _torch_array(values, dtype=None):
    import torch

    array = np.asarray(values)
    dtype = str(dtype or array.dtype)
    return torch.tensor(array.tolist(), dtype=getattr(torch, dtype)).reshape(array.shape)


def _numpy_array(values, dtype=None):
    return np.asarray(values, dtype=dtype)


@pytest.fixture(params=["numpy", "torch"])
def array(request):
    """A function that makes an array of the kind under test from nested lists or a NumPy array."""
    if request.param == "torch":
        pytest.importorskip("torch", reason="torch is not installed: core is tried with NumPy only")
        return _torch_array
    return _numpy_array
