"""CostCalculator on the Python side: numbers from the formulas, sizes that go together, nonsense refused."""

import pytest
import traitlets

from course_utils.core.cost import MODELS
from course_utils.views.complexity import OWN, CostCalculator


def column(lines, which=-1):
    return {line[0]: line[which] for line in lines}


def test_bert_base_at_512():
    view = CostCalculator()
    counted, followed = column(view.counted()), column(view.followed())
    assert counted["Q Kᵀ and weights V, the n² part"] == "9.7 GFLOP"  # 12 · 4 · 512² · 768
    assert counted["All three"] == "96.6 GFLOP"
    assert followed["Share of the n² part"] == "10.0 %" and followed["All three when n doubles"] == "× 2.20"
    assert followed["n² part = projections"] == "1,536"
    assert followed["n² part = projections + feed-forward"] == "4,608"
    assert followed["One float32 score matrix, all heads"] == "12.0 MiB"  # 4 · 12 · 512² / 2²⁰


def test_the_cache_of_a_large_model_and_of_shared_heads():
    assert column(CostCalculator("Llama-2-7B", 4096).followed())["Key/value cache"] == "2.0 GiB"
    assert column(CostCalculator("Llama-2-7B", 4096, batch=32).followed())["Key/value cache"] == "64.0 GiB"
    assert column(CostCalculator("Llama-3-8B", 4096).followed())["Key/value cache"] == "512.0 MiB"


@pytest.mark.parametrize("name", MODELS)
def test_at_the_crossovers_the_parts_cost_the_same(name):
    view = CostCalculator(name)
    for line, parts in (("n² part = projections", [0]), ("n² part = projections + feed-forward", [0, 2])):
        n = int(column(view.followed())[line].replace(",", ""))
        flops = view.flops(n)
        assert flops[1] == sum(flops[part] for part in parts)


def test_the_formulas_say_when_heads_are_shared():
    assert column(CostCalculator().counted(), 1)["Projections"] == "8 n d²"
    view = CostCalculator("Llama-3-8B")
    n, d, keys = view.n, view.d_model, 8 * 128
    assert column(view.counted(), 1)["Projections"] == "4 n d² + 4 n d · kv heads · d_head"
    assert view.flops() == (4 * n * d**2 + 4 * n * d * keys, 4 * n**2 * d, 16 * n * d**2)


def test_a_model_gives_its_sizes_and_other_sizes_are_nobodys():
    view = CostCalculator("GPT-3")
    assert (view.layers, view.d_model, view.n_heads) == (96, 12288, 96)
    view.model = "Llama-2-70B"
    assert (view.layers, view.d_model, view.n_heads, view.n_kv_heads) == (80, 8192, 64, 8)
    view.layers = 79
    assert view.model == OWN and view.d_model == 8192
    own = CostCalculator(d_model=512, n_heads=8, layers=6)
    assert (own.model, own.n_kv_heads) == (OWN, 8) and repr(own) == "CostCalculator(your own numbers, n 512)"
    own.set_state({"d_model": 1000, "n_heads": 10, "n_kv_heads": 10, "model": OWN})  # as the browser sends it
    assert (own.d_model, own.n_heads) == (1000, 10)
    own.set_state({"layers": 96, "d_model": 12288, "n_heads": 96, "n_kv_heads": 96, "model": "GPT-3"})
    assert own.model == "GPT-3" and own.d_model == 12288


def test_what_is_particular_about_a_model_is_said():
    assert CostCalculator().notes() == []
    gated, long = CostCalculator("Llama-3-8B", 16384).notes()
    assert gated.startswith("Llama-3-8B itself has three feed-forward matrices of width 14,336")
    assert long == "Llama-3-8B was made for at most 8,192 tokens."


def test_the_twin_shows_formulas_numbers_and_what_is_left_out():
    view = CostCalculator("Llama-2-70B", 4096, batch=2)
    twin = view.twin()
    for line in (*view.counted(), *view.followed()):
        assert all(text in twin for text in line)
    assert "softmax are left out" in twin and "three feed-forward matrices" in twin


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (dict(model="GPT-9"), ValueError, "model needs one of BERT-base, GPT-2 small"),
        (dict(n=0), traitlets.TraitError, "n needs a whole number from 1 to 1,048,576, but it is 0"),
        (dict(n=2**21), traitlets.TraitError, "but it is 2,097,152"),
        (dict(n=1.5), traitlets.TraitError, "n"),
        (dict(layers=-1), traitlets.TraitError, "layers needs a whole number from 1 to 1,000, but it is -1"),
        (dict(bytes_each=3), traitlets.TraitError, "bytes_each needs 1, 2, 4 or 8, but it is 3"),
        (dict(n_heads=7), traitlets.TraitError, "d_model = 768 cannot be split into 7 equal heads"),
        (dict(n_kv_heads=5), traitlets.TraitError, "12 heads cannot share 5 key/value heads equally"),
        (dict(d_head=64), TypeError, "a cost calculator has no size 'd_head'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence(arguments, error, says):
    with pytest.raises(error) as refused:
        CostCalculator(**arguments)
    assert says in str(refused.value)


def test_a_wrong_setting_changes_nothing():
    view = CostCalculator()
    for name, value in (("model", "GPT-9"), ("n_heads", 7), ("n", 0)):
        with pytest.raises(traitlets.TraitError):
            setattr(view, name, value)
    assert (view.model, view.n_heads, view.n) == ("BERT-base", 12, 512)
