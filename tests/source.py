"""The source files of the integration, as tests read them."""

import ast
from collections.abc import Iterator
import json
from pathlib import Path
from typing import Any, Final

INTEGRATION: Final = Path(__file__).parents[1] / "custom_components" / "vehicle_remote_access"
ROOT: Final = INTEGRATION.parent.parent


def _modules(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        yield ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts), path


MODULES: Final = dict(_modules(INTEGRATION))


def external_imports(name: str) -> set[str]:
    """Return the packages outside the integration that a module imports, also for type checking."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
    return found


def load_json(name: str) -> Any:
    return json.loads((INTEGRATION / name).read_text())


ENGLISH: Final = load_json("translations/en.json")
