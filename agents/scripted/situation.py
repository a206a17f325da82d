"""One moment in a kitchen: who carries what to where, and what is to be done."""

from hocket.agents.scripted.kitchen_map import FAR, KitchenMap
from hocket.agents.scripted.soups import missing
from hocket.games.overcooked.view import HEADINGS, CookView, KitchenView, PotView

DISPENSERS = {"onion": "O", "tomato": "T", "dish": "D"}
SINKS = {"onion": "P", "tomato": "P", "dish": "P", "soup": "S"}
"""Where each kind of item is wanted."""
_DETOUR = 8
"""Ticks that a way is taken to cost where others stand in it."""
_RANK = {"soup": 3, "dish": 2, "onion": 1, "tomato": 1, "nothing": 0}
_PATIENCE = 3
"""Waits among one's last options from which on others may no longer be trusted to do what they seem to be doing."""
_DOUBT = 0.35
"""How likely they are not, in each decision after that."""


class Body:
    """One cook: where it is and what it carries."""

    __slots__ = ("cell", "held", "pose", "room", "seat")

    def __init__(self, seat: int, view: CookView, kitchen: KitchenMap) -> None:
        self.seat = seat
        self.cell = kitchen.cell(view.place)
        self.pose = self.cell * 4 + HEADINGS.index(view.facing)
        self.room = kitchen.room_of[self.cell]
        self.held = view.held.partition(":")[0]
        """Kind of item, `nothing` for empty hands."""


class Pot:
    """One pot, and what it lacks."""

    __slots__ = ("cell", "idle", "left", "missing", "rooms", "startable")

    def __init__(self, pot: PotView, kitchen: KitchenMap, view: KitchenView, at_hand: tuple[str, ...]) -> None:
        self.cell = kitchen.cell(pot.at)
        self.rooms = kitchen.rooms_at[self.cell]
        self.idle = pot.state not in ("cooking", "ready")
        self.left = pot.left
        lacks = missing(pot.contents, view.orders, view.bonuses, at_hand)
        self.missing: tuple[str, ...] = (lacks or ()) if self.idle else ()
        """What goes into it now."""
        spoiled = lacks is None and missing(pot.contents, view.orders, view.bonuses, kitchen.ingredients) is None
        self.startable = self.idle and bool(pot.contents) and (lacks == () or spoiled)
        """Filled to an order, or spoiled: cooked, it can be cleared away."""


class Situation:
    """What is to be done in a kitchen, less what others seem to be doing already."""

    def __init__(self, kitchen: KitchenMap, view: KitchenView, seat: int, recent: tuple[str, ...], draw: float) -> None:
        self.kitchen, self.recent = kitchen, recent
        self.me = Body(seat, view.me, kitchen)
        self.others = [Body(at + (at >= seat), other, kitchen) for at, other in enumerate(view.others)]
        self.blocked = tuple(sorted([other.cell for other in self.others]))
        rooms = dict.fromkeys([self.me.room, *[other.room for other in self.others]])
        self.occupied = tuple(sorted(rooms))
        self.counters = {kitchen.cell(place): item.partition(":")[0] for place, item in view.counters}
        """Kind of the item on each counter that carries one."""
        self.waits = recent.count("wait")
        """How many of this cook's last five options were waits: what others seem to do, they may not do."""
        self.put_down = bool(recent) and recent[-1].startswith("drop_held")
        """Whether this cook has just put something down, which it does to do something else."""
        doubt = self.waits >= _PATIENCE and draw < _DOUBT and not any(pot.left for pot in view.pots)
        self.team = [self.me] if doubt else [self.me, *self.others]
        """Cooks that are counted on, this one first."""
        self._set_pots(view)
        self.claims: dict[int, Pot] = {}
        """Pot for which each seat's held ingredient or dish is meant."""
        self.needs = [(pot, item) for pot in self.pots for item in pot.missing]
        self.unplated = [pot for pot in self.pots if not pot.idle]
        self._claim()

    def ticks(self, body: Body, tile: int) -> int:
        """Return how long `body` takes to act on a tile: around the others for this cook, freely for others."""
        return self.kitchen.ticks(tile, body.pose, self.blocked if body is self.me else ())

    def cut_off(self, tile: int) -> bool:
        """Tell whether others keep this cook from a tile of its room."""
        return self.ticks(self.me, tile) >= FAR

    def yields_to(self, other: Body) -> bool:
        """Tell whether it is for this cook to make way for another: for what is carried, then by seat."""
        return (_RANK[self.me.held], -self.me.seat) < (_RANK[other.held], -other.seat)

    def sources(self, item: str, room: int) -> list[int]:
        """Return the tiles of a room that give a kind of item."""
        kitchen = self.kitchen
        letter = DISPENSERS.get(item)
        tiles = list(kitchen.tiles(letter, room)) if letter else []
        return tiles + [cell for cell, kind in self.counters.items() if kind == item and room in kitchen.rooms_at[cell]]

    def hops(self, item: str) -> dict[int, int]:
        """Return how many counters lie between each room and the place where an item is wanted."""
        return self.kitchen.hops(SINKS[item], self.occupied)

    def _set_pots(self, view: KitchenView) -> None:
        at_hand = tuple(item for item in ("onion", "tomato") if any(self._can_bring(body, item) for body in self.team))
        self.next_soup = missing((), view.orders, view.bonuses, at_hand) or ()
        """Ingredients of the soup that an empty pot is filled with."""
        self.pots: list[Pot] = []
        """Those that a cook can use, the fullest first."""
        for each in view.pots:
            pot = Pot(each, self.kitchen, view, at_hand)
            if pot.startable and each.state == "filling" and self._would_not_start(pot):
                pot.missing, pot.startable = at_hand[:1], False
            if any(room in self.occupied for room in pot.rooms):
                self.pots.append(pot)
        self.pots.sort(key=lambda pot: len(pot.missing))

    def _would_not_start(self, pot: Pot) -> bool:
        """Whether this cook has just tried in vain: under old dynamics only a full pot starts, and by itself."""
        return f"start_cooking@{self.kitchen.names[pot.cell]}" in self.recent[-3:]

    def _can_bring(self, body: Body, item: str) -> bool:
        if self.hops(item)[body.room] >= FAR:
            return False
        return any(self.ticks(body, tile) < FAR for tile in self.kitchen.tiles(DISPENSERS[item], body.room))

    def _claim(self) -> None:
        """Give every held ingredient and dish the pot for which it is best used."""
        bids = [
            (self._doubted(body, pot.cell), self._ticks_to_use(body, pot), body.seat, body, pot)
            for body in (self.me, *self.others)
            if body.held in DISPENSERS
            for pot in self.pots
            if body.room in pot.rooms and (not pot.idle if body.held == "dish" else body.held in pot.missing)
        ]
        bids.sort(key=lambda bid: bid[:3])
        for doubted, ticks, seat, body, pot in bids:
            if ticks >= FAR or seat in self.claims or (body is self.me and self.waits > 1 and self.cut_off(pot.cell)):
                continue
            if body.held == "dish" and pot in self.unplated:
                self.claims[seat] = pot
                if not doubted:
                    self.unplated.remove(pot)
            elif (pot, body.held) in self.needs:
                self.claims[seat] = pot
                if not doubted:
                    self.needs.remove((pot, body.held))

    def _doubted(self, body: Body, tile: int) -> bool:
        """Whether a cook is not expected to use `tile`: it did not for long, or cannot while this one stands here."""
        if body is self.me:
            return False
        cells = [other.cell for other in (self.me, *self.others) if other is not body]
        cut_off = self.waits > 0 and self.kitchen.ticks(tile, body.pose, tuple(sorted(cells))) >= FAR
        return body not in self.team or cut_off

    def _ticks_to_use(self, body: Body, pot: Pot) -> int:
        ticks = self.ticks(body, pot.cell)
        if ticks >= FAR:
            ticks = self.kitchen.ticks(pot.cell, body.pose) + _DETOUR
        return max(ticks, pot.left) if body.held == "dish" else ticks + 3 * len(pot.missing)
