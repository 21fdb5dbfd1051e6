"""The blocks in which charging costs least are those that trying all of them finds."""

from itertools import combinations, groupby
from random import Random

from custom_components.vehicle_remote_access.charging_plan.cheapest import SHORTEST_BLOCK, cheapest_blocks


def _by_trying_all(
    prices: list[int], steps: int, starts: int, running: int | None, start_price: int
) -> tuple[int, int, int] | None:
    """Return the lowest cost, its starts, and how early its steps are. None if no steps are allowed."""
    found = []
    for chosen in combinations(range(len(prices)), steps):
        blocks = [
            [index for _, index in block]
            for _, block in groupby(enumerate(chosen), key=lambda each: each[1] - each[0])
        ]
        if running is not None:
            if chosen[:running] != tuple(range(min(running, steps))):
                continue
            if blocks[0][0] == 0:
                del blocks[0]
        if len(blocks) <= starts and all(len(block) >= SHORTEST_BLOCK for block in blocks):
            cost = sum(prices[index] for index in chosen) + start_price * len(blocks)
            found.append((cost, len(blocks), -sum(chosen)))
    return min(found, default=None)


def test_same_as_trying_all() -> None:
    """In 10,000 random cases, the cost is the lowest. Of equal costs, the starts are the fewest."""
    random = Random(1)  # noqa: S311 - it is no secret
    for case in range(10_000):
        # Few different prices, so that many costs are equal
        prices = [random.randint(-2, 5) for _ in range(random.randint(2, 10))]
        steps, can_pause = random.randint(1, len(prices)), random.random() < 0.5
        running, start_price = random.choice([None, None, 0, 1, 3]), random.choice([0, 0, 1, 2])
        blocks = cheapest_blocks(prices, steps, running, start_price, can_pause=can_pause)
        chosen = [index for block in blocks for index in block]
        if running is None:
            steps = max(steps, SHORTEST_BLOCK)
        starts = 2 if running is None and can_pause else 1
        expected = _by_trying_all(prices, steps, starts, running, start_price)
        begun = len(blocks) - (running is not None and blocks[0].start == 0)
        found = sum(prices[index] for index in chosen) + start_price * begun, begun, -sum(chosen)
        assert found == expected, (case, prices, blocks)


def test_single_step_is_as_long_as_the_shortest_block() -> None:
    assert cheapest_blocks([3, 1, 2, 9], 1) == [range(1, 3)]
