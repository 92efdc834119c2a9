"""Models trained on the pronoun task: one layer cannot, two can, by different routes; and the stored runs."""

import numpy as np
import pytest

from course_utils.core.pronoun import ADJECTIVE, IT, NOUNS, accuracy, cut, pairs, read
from course_utils.models.stored import pronoun, pronoun_answer

CARD = {"model", "task", "training", "measured", "seeds", "torch", "limits"}


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="torch is not installed: nothing is trained")


@pytest.fixture(scope="module")
def two_layers(torch):
    from course_utils.models.depth import train

    return train(2)


def test_one_layer_scores_exactly_one_half_with_every_seed(torch):
    from course_utils.models.depth import held_out_accuracy, train

    assert (abs(held_out_accuracy(train(1)) - 0.5) < 1e-9).all()


def test_two_layers_learn_it_with_every_seed(two_layers):
    from course_utils.models.depth import held_out_accuracy

    found = held_out_accuracy(two_layers)
    assert found.shape == (5,) and (found >= 0.97).all()


def test_one_layer_learns_it_at_the_adjective_and_two_causal_layers_never_at_it(torch):
    from course_utils.models.depth import held_out_accuracy, train

    assert (held_out_accuracy(train(1, seeds=3, row=ADJECTIVE), row=ADJECTIVE) >= 0.99).all()
    assert (abs(held_out_accuracy(train(2, seeds=3, causal=True), causal=True) - 0.5) < 1e-9).all()


def test_the_story_of_the_tour_can_be_taught(torch):
    from course_utils.models.depth import held_out_accuracy, train

    taught = train(2, only_it_reads=True)
    whole, without_nouns = (held_out_accuracy(taught, mask=m) for m in (None, torch.from_numpy(cut(NOUNS))))
    assert (held_out_accuracy(taught, mask=torch.from_numpy(cut([IT]))) < 0.6).all()
    # One of ten seeds ends at 0.86: most are asked for, and a bound for the rest.
    for found in (whole, without_nouns):
        assert found.median() >= 0.95 and found.min() > 0.7


def test_a_seed_gives_the_same_start_however_many_run_beside_it(torch):
    from course_utils.models.depth import train

    alone, beside = train(2, seeds=1, first_seed=2, steps=3), train(2, seeds=3, steps=3)
    for a, b in zip(alone, beside, strict=True):
        torch.testing.assert_close(a[0], b[2], rtol=1e-4, atol=1e-5)


def test_the_stored_models_have_a_card_and_score_what_it_says():
    weights, run = pronoun()
    assert set(run["card"]) == CARD and all(run["card"].values())
    assert weights.embedding.dtype == np.float32 and weights.W_Q.shape == (5, 2, 16, 16)
    text, referent = pairs(300, held_out=True, seed=1)
    assert str(len(text)) in run["card"]["measured"]
    for name, rows in {"whole": [], "it cut": [IT], "nouns cut": NOUNS, "both cut": [IT, *NOUNS]}.items():
        found = accuracy(read(weights, text, mask=cut(rows))[-1], referent)
        np.testing.assert_allclose(found, run["accuracy"][name], atol=0.0051)


def test_the_stored_models_tell_the_stories_of_the_lesson():
    (weights, run), text = pronoun(), pairs(300, held_out=True, seed=1).words
    it, nouns = (np.array(run["accuracy"][name]) for name in ("it cut", "nouns cut"))
    assert min(run["accuracy"]["whole"]) >= 0.99 and max(run["accuracy"]["both cut"]) <= 0.51
    assert it[0] <= 0.51 and nouns[0] >= 0.99  # model 1: the story of the tour
    assert it[2] >= 0.95 and nouns[2] <= 0.6  # model 3: the nouns read the adjective
    assert (
        it[4] >= 0.99 and read(weights, text)[0][4, :, IT, ADJECTIVE].mean() > 0.3
    )  # model 5: a large weight, no cost


def test_the_stored_answers_have_a_card_and_one_layer_needs_help():
    run = pronoun_answer()
    assert set(run["card"]) == CARD | {"chance"} and all(run["card"].values())
    low, high = zip(*run["accuracy"].values(), strict=True)
    assert list(run["accuracy"]) == ["1 attention layer", "1 attention layer + feed-forward", "2 attention layers"]
    assert high[0] < 0.6 and min(low[1:]) > 0.97


def test_the_first_steps_of_the_answer_task_go_as_stored(torch):
    from course_utils.models.depth_answer import MODELS, train

    assert list(MODELS) == list(pronoun_answer()["accuracy"])
    assert train("1 attention layer", 0, steps=300) < 0.6


def test_a_feed_forward_layer_answers_after_one_attention_layer(torch):
    from course_utils.models.depth_answer import train

    assert train("1 attention layer + feed-forward", 1, steps=1500) > 0.97
