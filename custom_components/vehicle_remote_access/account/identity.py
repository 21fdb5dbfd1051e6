"""The identity of an account: its unique id is the id of the service's user."""

from collections.abc import Collection

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback

from ..const import CONF_SIMULATOR, DOMAIN
from .issues import DUPLICATE_ACCOUNT, OTHER_ACCOUNT, IssueReporter


@callback
def update_identity(
    hass: HomeAssistant,
    entry: ConfigEntry,
    issues: IssueReporter,
    user_ids: Collection[str | None],
) -> None:
    """Set the entry's unique id from the user ids of its vehicles.

    Reports an access token of another user, or another entry of the same user, as an issue.
    """
    user_id = next((user_id for user_id in user_ids if user_id is not None), None)
    if user_id is None:
        return
    if entry.unique_id is not None:
        # A vehicle shared with this account may report its owner's id, so one match is enough.
        is_known = entry.unique_id in user_ids or None not in user_ids
        if is_known and CONF_SIMULATOR not in entry.data:
            issues.report(OTHER_ACCOUNT, None if entry.unique_id in user_ids else {})
        return
    other = hass.config_entries.async_entry_for_domain_unique_id(DOMAIN, user_id)
    if other is None:
        hass.config_entries.async_update_entry(entry, unique_id=user_id)
    issues.report(DUPLICATE_ACCOUNT, None if other is None else {"other": other.title})
