"""A clock that can pause; where its seconds come from is an argument."""


class Stopwatch:
    """Runs from the start. ``ticks()`` gives seconds; one that goes backwards never gives less than 0.

    >>> seconds = iter([0, 5, 8, 10])
    >>> watch = Stopwatch(lambda: next(seconds))
    >>> watch.pause()
    >>> watch.go_on()
    >>> watch.seconds()
    7
    """

    def __init__(self, ticks):
        self.ticks = ticks
        self.since, self.before = ticks(), 0

    @property
    def running(self):
        return self.since is not None

    def pause(self):
        """Stand still; a second pause changes nothing."""
        self.before, self.since = self.seconds(), None

    def go_on(self):
        if self.since is None:
            self.since = self.ticks()

    def seconds(self):
        """How long it has run, without pauses."""
        return self.before + (max(self.ticks() - self.since, 0) if self.running else 0)


def span(seconds):
    """A time in words.

    >>> span(48.2), span(200)
    ('48 seconds', '3 min 20 s')
    """
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} second{'s' * (seconds != 1)}"
