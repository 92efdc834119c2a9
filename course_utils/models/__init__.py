"""Small models and the tasks they learn; the only folder whose modules import torch."""

from importlib.util import find_spec


def torch_is_here():
    """Whether torch is installed; if not, a sentence says what to do, and a lesson can skip its cell."""
    if find_spec("torch"):
        return True
    print("This cell needs torch, which is not installed: run  python -m pip install torch  and restart the kernel.")
    return False
