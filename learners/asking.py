"""How the base of a run is asked: as configured, and else as it says."""

import msgspec

from hocket.agents.style import Style
from hocket.learners.config import Config
from hocket.runtime.errors import SettingError


def style_of(config: Config, own: Style) -> Style:
    """Return how a base is asked in a run.

    Args:
        config: of the run.
        own: how the base is asked unless one says otherwise.

    Raises:
        SettingError: objects are to be written where the interface is another.
    """
    model = config.model
    scorer = "json" if config.cell.interface == "json" else model.scorer or own.scorer
    if scorer == "json" and config.cell.interface != "json":
        raise SettingError(setting="model.scorer", value=scorer, right="another, or cell.interface=json beside it")
    changes = {"profile": model.profile, "grammar": model.grammar, "most_tokens": model.most_tokens}
    given = {name: value for name, value in changes.items() if value is not None}
    return msgspec.structs.replace(own, scorer=scorer, temperature=config.rollouts.temperature, **given)
