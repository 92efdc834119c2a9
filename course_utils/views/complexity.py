"""What attention costs, for real models and for any numbers: formulas, sizes and shares."""

import traitlets as T

from course_utils.core import cost
from course_utils.views.tables import plain_table
from course_utils.views.widget import Widget

OWN = "your own numbers"
# The largest that is taken, for each number that can be typed; the least is 1.
MOST = {"n": 2**20, "layers": 1_000, "d_model": 100_000, "n_heads": 1_024, "n_kv_heads": 1_024, "batch": 100_000}
SHAPE = "layers", "d_model", "n_heads", "n_kv_heads"
BYTES = 1, 2, 4, 8
PARTS = "projections", "n² part", "feed-forward"
LEFT_OUT = (
    "One multiplication and one addition are 2 FLOP; forward pass, all pairs. The feed-forward part is taken as two "
    "matrices of width 4 d. Biases, norms and the softmax are left out, and FLOP are not seconds."
)


class CostCalculator(Widget):
    """FLOP, memory and where n² takes over, with the formula beside each number.

    model       a name from ``core.cost.MODELS``, which gives the four sizes below; or leave it out and give them.
    n           tokens, 1 to 1,048,576.
    layers, d_model, n_heads, n_kv_heads    the sizes; each head is d_head = d_model / n_heads wide.
    bytes_each  bytes per number in the key/value cache: 1, 2, 4 or 8.
    batch       how many sequences at once.

    All of them can be set later, from Python or by the controls; other sizes turn ``model`` to "your own numbers".
    """

    models = T.Dict({name: shape._asdict() for name, shape in cost.MODELS.items()}).tag(sync=True)
    most = T.Dict(MOST).tag(sync=True)
    left_out = T.Unicode(LEFT_OUT).tag(sync=True)

    model = T.Unicode(OWN).tag(sync=True)
    n = T.Int(512).tag(sync=True)
    layers = T.Int(12).tag(sync=True)
    d_model = T.Int(768).tag(sync=True)
    n_heads = T.Int(12).tag(sync=True)
    n_kv_heads = T.Int(12).tag(sync=True)
    bytes_each = T.Int(2).tag(sync=True)
    batch = T.Int(1).tag(sync=True)

    def __init__(self, model="BERT-base", n=512, *, bytes_each=2, batch=1, predict="", **sizes):
        unknown = set(sizes) - set(SHAPE)
        if unknown:
            raise TypeError(
                f"a cost calculator has no size {min(unknown)!r}: it takes n, {', '.join(SHAPE)}, bytes_each, batch"
            )
        if model not in cost.MODELS:
            raise ValueError(f"model needs one of {', '.join(cost.MODELS)}, but it is {model!r}")
        published = {name: getattr(cost.MODELS[model], name) for name in SHAPE}
        if "n_heads" in sizes:  # as many key/value heads, unless said otherwise
            published["n_kv_heads"] = sizes["n_heads"]
        sizes = published | sizes
        own = any(sizes[name] != getattr(cost.MODELS[model], name) for name in SHAPE)
        super().__init__(model=OWN if own else model, n=n, bytes_each=bytes_each, batch=batch, predict=predict, **sizes)

    @T.validate(*MOST, "bytes_each", "model")
    def _fits(self, proposal):
        name, given = proposal["trait"].name, proposal["value"]
        if name == "model" and given not in (*cost.MODELS, OWN):
            raise T.TraitError(f"model needs one of {', '.join(cost.MODELS)}, but it is {given!r}")
        if name == "bytes_each" and given not in BYTES:
            raise T.TraitError(f"bytes_each needs 1, 2, 4 or 8, but it is {given}")
        if name in MOST and not 1 <= given <= MOST[name]:
            raise T.TraitError(f"{name} needs a whole number from 1 to {MOST[name]:,}, but it is {given:,}")
        sizes = {size: getattr(self, size) for size in SHAPE} | {name: given}
        if name in SHAPE and sizes["d_model"] % sizes["n_heads"]:
            raise T.TraitError(
                f"d_model = {sizes['d_model']:,} cannot be split into {sizes['n_heads']} equal heads: "
                "set both together, with view.hold_trait_notifications():"
            )
        if name in SHAPE and sizes["n_heads"] % sizes["n_kv_heads"]:
            raise T.TraitError(
                f"{sizes['n_heads']} heads cannot share {sizes['n_kv_heads']} key/value heads equally: "
                "set both together, with view.hold_trait_notifications():"
            )
        return given

    @T.observe("model")
    def _take_sizes(self, change):
        if change["new"] != OWN:
            with self.hold_trait_notifications():
                for name in SHAPE:
                    setattr(self, name, getattr(cost.MODELS[change["new"]], name))

    @T.observe(*SHAPE)
    def _no_longer_that_model(self, change):
        if self.model != OWN and any(getattr(self, name) != self.models[self.model][name] for name in SHAPE):
            self.model = OWN

    def flops(self, n=None):
        """FLOP of projections, n² part and feed-forward, for one layer and one sequence."""
        n = n or self.n
        heads = dict(n_heads=self.n_heads, n_kv_heads=self.n_kv_heads)
        return (
            cost.projection_flops(n, self.d_model, **heads),
            cost.attention_flops(n, self.d_model),
            cost.feed_forward_flops(n, self.d_model),
        )

    def counted(self):
        """Lines of texts: what, its formula, for one layer and one sequence, for all. The same as in complexity.js."""
        all_of_it = self.layers * self.batch
        projections, attention, feed_forward = self.flops()
        entries = cost.score_entries(self.n)
        shared = self.n_kv_heads != self.n_heads
        lines = [
            ("Projections", "4 n d² + 4 n d · kv heads · d_head" if shared else "8 n d²", projections),
            ("Q Kᵀ and weights V, the n² part", "4 n² d", attention),
            ("Feed-forward", "16 n d²", feed_forward),
            ("All three", "sum", sum(self.flops())),
        ]
        return [
            ("Score entries", "n² for each head", cost.readable(entries),
             cost.readable(cost.score_entries(self.n, n_heads=self.n_heads) * all_of_it)),
            *((what, formula, cost.readable(flops, "FLOP"), cost.readable(flops * all_of_it, "FLOP"))
              for what, formula, flops in lines),
        ]  # fmt: skip

    def followed(self):
        """Lines of texts: what follows, its formula, the number. The same as in complexity.js."""
        d, d_head = self.d_model, self.d_model // self.n_heads
        matrix = cost.score_bytes(self.n, n_heads=self.n_heads, batch=self.batch)
        cache = cost.cache_bytes(
            self.layers, self.n, self.n_kv_heads, d_head, bytes_each=self.bytes_each, batch=self.batch
        )
        heads = dict(n_heads=self.n_heads, n_kv_heads=self.n_kv_heads)
        early, late = (cost.crossover(d, feed_forward=both, **heads) for both in (False, True))
        when = "n = 2 d", "n = 6 d"
        if self.n_kv_heads != self.n_heads:
            when = "n = d + kv heads · d_head", "n = 5 d + kv heads · d_head"
        return [
            ("Share of the n² part", "4 n² d / all three", f"{100 * self.shares()[1]:.1f} %"),
            ("All three when n doubles", "at 2 n / at n", f"× {self.growth():.2f}"),
            ("n² part = projections", when[0], f"{early:,}"),
            ("n² part = projections + feed-forward", when[1], f"{late:,}"),
            ("One float32 score matrix, all heads", "4 · heads · n² · batch", cost.readable(matrix, "B")),
            ("Key/value cache", "2 · layers · n · kv heads · d_head · bytes · batch", cost.readable(cache, "B")),
        ]  # fmt: skip

    def shares(self):
        """The shares of projections, n² part and feed-forward in the FLOP."""
        flops = self.flops()
        return [part / sum(flops) for part in flops]

    def growth(self):
        """How many times as many FLOP twice the tokens need."""
        return sum(self.flops(2 * self.n)) / sum(self.flops())

    def notes(self):
        """What is particular about the chosen model, a list of sentences. The same words as in complexity.js."""
        shape = cost.MODELS.get(self.model)
        told = []
        if shape and shape.gated:
            own = cost.feed_forward_flops(self.n, shape.d_model, d_ff=shape.d_ff, gated=True)
            told.append(
                f"{self.model} itself has three feed-forward matrices of width {shape.d_ff:,}: "
                f"6 n d d_ff = {cost.readable(own, 'FLOP')} in one layer."
            )
        if shape and self.n > shape.context:
            told.append(f"{self.model} was made for at most {shape.context:,} tokens.")
        return told

    def twin(self):
        given = [
            ("n", f"{self.n:,}"), ("layers", f"{self.layers:,}"), ("d_model, d", f"{self.d_model:,}"),
            ("heads", f"{self.n_heads:,}"), ("kv heads", f"{self.n_kv_heads:,}"),
            ("d_head", f"{self.d_model // self.n_heads:,}"), ("bytes per number", f"{self.bytes_each}"),
            ("batch", f"{self.batch:,}"),
        ]  # fmt: skip
        shares = zip(PARTS, self.shares(), strict=True)
        parts = ", ".join(f"{part} {100 * share:.1f} %" for part, share in shares)
        heads = ["what", "formula", "one layer, one sequence", "all layers, whole batch"]
        says = "<br>".join([f"Of the FLOP: {parts}.", *self.notes(), LEFT_OUT])
        return (
            f"<figure>{plain_table(self.model, ['what', 'number'], given)}"
            f"{plain_table('Counted', heads, self.counted())}"
            f"{plain_table('What follows', ['what', 'formula', 'number'], self.followed())}"
            f"<figcaption>{says}</figcaption></figure>"
        )

    def summary(self):
        return f"{self.model}, n {self.n}"
