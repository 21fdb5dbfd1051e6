"""Issues of the integration."""

from homeassistant.helpers import issue_registry as ir

from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home


def issues(home: Home) -> list[ir.IssueEntry]:
    return [issue for issue in ir.async_get(home.hass).issues.values() if issue.domain == DOMAIN]


def issue_keys(home: Home) -> list[str | None]:
    return [issue.translation_key for issue in issues(home)]


def placeholders(home: Home) -> dict[str, str] | None:
    """Return the texts in the only issue."""
    (issue,) = issues(home)
    return issue.translation_placeholders
