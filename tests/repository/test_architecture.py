"""The house: which room may know of which, and that every name has its words."""

import ast
from collections.abc import Iterator
import inspect
import json
from pathlib import Path
import re
from typing import Any, Final

from homeassistant.helpers.update_coordinator import DataUpdateCoordinator
from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components.vehicle_remote_access.account import issues as troubles
from custom_components.vehicle_remote_access.api import errors
from custom_components.vehicle_remote_access.api.commands import COMMANDS
from custom_components.vehicle_remote_access.api.fields import BINARY, SENSOR, Place
from custom_components.vehicle_remote_access.api.records import FIELDS, ChargeState
from custom_components.vehicle_remote_access.binary_sensor import QUESTIONS
from custom_components.vehicle_remote_access.condition import CONDITIONS
from custom_components.vehicle_remote_access.const import PLATFORMS
from custom_components.vehicle_remote_access.entity_descriptions import BINARY_LOOKS, SENSOR_LOOKS
from custom_components.vehicle_remote_access.polling.policy import Mode
from custom_components.vehicle_remote_access.sensor import DERIVED
from custom_components.vehicle_remote_access.trigger import TRIGGERS

HOUSE: Final = Path(__file__).parents[2] / "custom_components" / "vehicle_remote_access"
ROOT: Final = HOUSE.parent.parent

# Who may import whom, inside the house. What a room may know, it may know of every room before it too.
_CLIENT: Final = {
    "api.secrets",
    "api.errors",
    "api.kinds",
    "api.field",
    "api.records",
    "api.commands",
    "api.client",
}
_ACCOUNT: Final = {"connection", "const", "device", "memory", "settings", "telling", *_CLIENT}
_BELOW_PLATFORMS: Final = {
    "const",
    "coordinator",
    "entity",
    "looks",
    "known",
    "polling",
    *_CLIENT,
}
ARROWS: Final[dict[str, set[str]]] = {
    "const": set(),
    "polling": set(),
    "api": set(),
    "api.secrets": set(),
    "api.errors": {"api.secrets"},
    "api.kinds": set(),
    "api.field": {"api.kinds"},
    "api.records": {"api.kinds", "api.field"},
    "api.commands": {"api.errors", "api.kinds", "api.field", "api.records"},
    "api.answer": {"api.errors", "api.commands"},
    "api.client": {"api.answer", "api.errors", "api.commands", "api.secrets"},
    "connection": {"const", "simulator", *_CLIENT},
    "device": {"const", *_CLIENT},
    "energy": _CLIENT,
    "freshness": _CLIENT,
    "markdown": set(),
    "troubles": {"cars", "const", "markdown", *_CLIENT},
    "cars": {"const", "device", *_CLIENT},
    "forms": {"cars", "const", "settings"},
    "repairs": {"cars", "const", "markdown"},
    "memory": {"const"},
    "settings": {"const"},
    "telling": {"const"},
    "habits": _CLIENT,
    "watch": {"habits", "polling", *_CLIENT},
    "known": {"energy", *_ACCOUNT},
    "pause": set(),
    "reading": {"energy", "freshness", "known", "pause", "polling", "troubles", "watch", *_ACCOUNT},
    "orders": {"known", "pause", "reading", *_CLIENT},
    "coordinator": {"cars", "known", "orders", "polling", "reading", "troubles", *_ACCOUNT},
    "looks": {"api", "api.kinds"},
    "entity": {"const", "coordinator", "device", "known", *_CLIENT},
    "config_flow": {"cars", "connection", "const", "forms", "markdown", "settings", *_CLIENT},
    "services": {"connection", "const", "coordinator", *_CLIENT},
    "simulation": {"const", "coordinator", "device", "simulator"},
    "trigger": {"entity", *_CLIENT},
    "condition": {"entity", *_CLIENT},
    "sidebar": {"const"},
    "dashboard": {"const", "sidebar"},
    "__init__": {"const", "coordinator", "dashboard", "device", "memory", "services", "troubles"},
    "diagnostics": {"const", "coordinator", "device", *_CLIENT},
    "system_health": {"const", "coordinator", "polling"},
    **{str(platform): _BELOW_PLATFORMS for platform in PLATFORMS},
}


def _rooms() -> Iterator[tuple[str, Path]]:
    for path in sorted(HOUSE.rglob("*.py")):
        parts = path.relative_to(HOUSE).with_suffix("").parts
        name = ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)
        yield name, path


ROOMS: Final = dict(_rooms())
SIMULATOR: Final = {name for name in ROOMS if name.partition(".")[0] == "simulator"}


def _imported(name: str) -> Iterator[tuple[int, str]]:
    """Yield what a room imports: how many levels up, and what from there."""
    for node in ast.walk(ast.parse(ROOMS[name].read_text())):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module is None:
                yield from ((node.level, alias.name) for alias in node.names)
            else:
                yield node.level, node.module


def _inside(name: str) -> Iterator[str]:
    """Yield the rooms that a room imports."""
    package = name.split(".") if ROOMS[name].name == "__init__.py" else name.split(".")[:-1]
    package = [] if name == "__init__" else package
    for level, module in _imported(name):
        if level:
            yield ".".join((*package[: len(package) - level + 1], module))


@pytest.mark.parametrize("name", [name for name in ROOMS if name not in SIMULATOR])
def test_imports_follow_the_arrows(name: str) -> None:
    """A room imports only what lies before it."""
    assert name in ARROWS, f"{name} has no place in the house"
    assert set(_inside(name)) <= ARROWS[name]


@pytest.mark.parametrize("name", [name for name in ROOMS if name in SIMULATOR or name.startswith("api")])
def test_client_and_simulator_stand_alone(name: str) -> None:
    """The client and the simulator know neither Home Assistant nor each other."""
    own = name.partition(".")[0]
    assert all(room.partition(".")[0] == own for room in _inside(name))
    assert not [module for _, module in _imported(name) if module.startswith("homeassistant")]
    assert not [module for _, module in _imported(name) if module.startswith("custom_components")]


def test_set_up_is_short() -> None:
    """What sets everything up fits on one screen."""
    assert len((HOUSE / "__init__.py").read_text().splitlines()) <= 70


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platform_leaves_queueing_to_the_car(platform: str) -> None:
    """Home Assistant's own queue would span all cars of an account and hide commands from ours."""
    assert "\nPARALLEL_UPDATES = 0\n" in (HOUSE / f"{platform}.py").read_text()


# Words


def _load(name: str) -> Any:
    return json.loads((HOUSE / name).read_text())


ENGLISH: Final = _load("translations/en.json")


# What is shown and is no field, or shows one in another way
OTHERS: Final = {
    "sensor": {
        *(line.path for line in DERIVED),
        ChargeState.time_to_full_charge.path,
        "last_command",
        "requests_today",
    },
    "binary_sensor": {
        *(".".join(filter(None, (each.fields[0].path, each.what))) for each in QUESTIONS),
        "service_reachable",
    },
}


@pytest.mark.parametrize(("place", "platform"), [(SENSOR, "sensor"), (BINARY, "binary_sensor")])
def test_every_shown_field_has_a_name(place: Place, platform: str) -> None:
    """A field that is shown has an English name, and no name is left of one that is not."""
    paths = {field.path for field in FIELDS if field.place is place} | OTHERS[platform]
    assert set(ENGLISH["entity"][platform]) == {path.replace(".", "_") for path in paths}


@pytest.mark.parametrize("field", [field for field in FIELDS if field.place is SENSOR and field.kind.options])
def test_every_state_has_a_word(field: Any) -> None:
    """Each value that a sensor can show is translated."""
    words = ENGLISH["entity"]["sensor"][field.path.replace(".", "_")]["state"]
    assert set(words) == set(field.kind.options)


@pytest.mark.parametrize("key", ["polling_mode", "last_command"])
def test_every_state_of_ours_has_a_word(key: str) -> None:
    """Each mode and each command is translated."""
    words = ENGLISH["entity"]["sensor"][key]["state"]
    known = {"polling_mode": set(Mode), "last_command": {command.name for command in COMMANDS}}
    assert set(words) == known[key]


@pytest.mark.parametrize("field", [field for field in FIELDS if field.place in (SENSOR, BINARY)])
def test_every_shown_kind_has_a_look(field: Any) -> None:
    """Each kind that is shown says how."""
    looks = BINARY_LOOKS if field.place is BINARY else SENSOR_LOOKS
    assert field.kind in looks or field.kind.options


ERRORS: Final = [
    each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.ServiceError)
]


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_has_words(error: type[errors.ServiceError]) -> None:
    """Each cause of failure has a sentence, and gives all that the sentence needs."""
    sentence = ENGLISH["exceptions"][error.key]["message"]
    needs: dict[type[errors.ServiceError], tuple[Any, ...]] = {
        errors.RateLimitedError: (120.0,),
        errors.OutOfBoundsError: ("words", 1.5, 20.0),
    }
    made = error(*needs.get(error, ("words",)))
    assert set(re.findall(r"{(\w+)}", sentence)) <= set(made.placeholders)


@pytest.mark.parametrize("reason", sorted(errors.REASONS))
def test_every_reason_has_words(reason: str) -> None:
    """Each reason for which cars are known to refuse has a sentence, and none is left of another."""
    assert errors.RefusedError(reason.replace("_", " ").title()).sentence == f"refused_{reason}"
    refusals = {key for key in ENGLISH["exceptions"] if key.startswith("refused_")}
    assert refusals == {f"refused_{each}" for each in errors.REASONS}


def test_every_trouble_has_words() -> None:
    """What only a person can mend says what to do, with nothing that is not filled in."""
    told = {error.key: {"name", "detail"} for error in ERRORS if error.needs_a_person}
    told |= {troubles.DUPLICATE_ACCOUNT: {"name", "other"}, troubles.OTHER_ACCOUNT: {"name"}}
    told |= {key: {"name", "account"} for key in (troubles.NOT_LISTED, troubles.NEW)}
    assert set(ENGLISH["issues"]) == set(told)
    for key, words in ENGLISH["issues"].items():
        assert set(re.findall(r"{(\w+)}", json.dumps(words))) <= told[key], key


@pytest.mark.parametrize(
    "form", [ENGLISH["config"], ENGLISH["config_subentries"]["vehicle"], ENGLISH["options"]]
)
def test_form_keeps_error_details_out_of_its_markdown(form: dict[str, Any]) -> None:
    """A form shows an error detail only in its error, which is plain text; its other texts are Markdown."""
    assert "{detail}" not in json.dumps(form["step"])


def test_icons_belong_to_names() -> None:
    """Each icon belongs to an entity that has a name."""
    for platform, icons in _load("icons.json")["entity"].items():
        assert set(icons) <= set(ENGLISH["entity"][platform]), platform


def test_actions_are_described() -> None:
    """Each action has its description, its words and its icon, and so has each of its fields."""
    described = load_yaml_dict(str(HOUSE / "services.yaml"))
    words = ENGLISH["services"]
    assert set(described) == set(words) == set(_load("icons.json")["services"])
    for name, action in described.items():
        assert set(action["fields"]) == set(words[name]["fields"]), name
        for field in action["fields"].values():
            select = field["selector"].get("select")
            if select:
                assert set(select["options"]) == set(
                    ENGLISH["selector"][select["translation_key"]]["options"]
                )


@pytest.mark.parametrize(("kind", "known"), [("triggers", TRIGGERS), ("conditions", CONDITIONS)])
def test_triggers_and_conditions_are_described(kind: str, known: dict[str, Any]) -> None:
    """Each has its description, its words, its icon and its page, and so has each of its options."""
    described = load_yaml_dict(str(HOUSE / f"{kind}.yaml"))
    described = {key: each for key, each in described.items() if not key.startswith(".")}
    words, pages = ENGLISH[kind], {page.stem: page.read_text() for page in (ROOT / "docs" / kind).iterdir()}
    index = pages.pop("README")
    assert set(described) == set(words) == set(_load("icons.json")[kind]) == set(pages) == set(known)
    for key, page in pages.items():
        options = set(described[key]["fields"])
        assert set(words[key]["fields"]) == options, key
        assert set(re.findall(r"`options`, `(\w+)`", page)) == options, key
        assert page.startswith(f"# {words[key]['name']}\n"), key
        assert f"[{words[key]['name']}]({key}.md)" in index


# Home Assistant's own code


def test_few_private_names_of_home_assistant() -> None:
    """Of the private names of Home Assistant's coordinator, only those meant for subclasses are used."""
    source = inspect.getsource(DataUpdateCoordinator)
    private = set(re.findall(r"(?:self\.|def )(_[a-z]\w+)", source))
    ours = {name for path in HOUSE.glob("*.py") for name in re.findall(r"\b_[a-z]\w+", path.read_text())}
    assert {"_async_update_data", "_async_refresh_finished", "_shutdown_requested"} <= private
    assert private & ours == {"_async_update_data", "_async_refresh_finished", "_schedule_refresh"}
