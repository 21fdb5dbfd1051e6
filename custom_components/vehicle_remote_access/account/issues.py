"""Problems that only the user can fix, as issues in Home Assistant's repairs."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_NAME
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.loader import async_get_loaded_integration

from ..api.errors import ServiceError
from ..const import CONF_ENTRY_ID, CONF_SUBENTRY_ID, CONF_VIN, DOMAIN, TROUBLESHOOTING
from .markdown import escape_placeholders
from .provider import service_type_of

DUPLICATE_ACCOUNT: Final = "duplicate_account"
OTHER_ACCOUNT: Final = "other_account"
NOT_LISTED: Final = "vehicle_not_listed"
NEW: Final = "new_vehicle"
BLOCKED_PLAN: Final = "charging_plan_blocked"
SMALL_LIMIT: Final = "small_limit"
_WARNINGS: Final = (NEW, BLOCKED_PLAN, SMALL_LIMIT)
# With 60 requests a day, a drive is shown after about five minutes, with twice as many after half the time.
_MINUTES_WITH_ONE_REQUEST: Final = 300.0
# A shorter delay is no problem to report.
_LONG_DELAY: Final = 3


class IssueReporter:
    """Creates and deletes the issues of one account and its vehicles."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Start without issues. Unloading the account deletes them, unless the user ignored them."""
        self._hass = hass
        self._entry = entry
        self._service_type = service_type_of(entry.data)
        self._issue_ids: dict[str, str] = {}
        """The issue by its source. Several sources can share an issue of the account."""
        self._unconfirmed: set[str] = set()
        """The sources of vehicles that had a problem of the account since their last success."""
        self._is_unloaded = False
        entry.async_on_unload(self._unload)

    def update(self, subentry_id: str | None, error: ServiceError | None = None, *, topic: str = "") -> None:
        """Create or delete the issue of a result. `topic`: separates the issues of an account or vehicle."""
        owner_id = subentry_id or self._entry.entry_id
        source = f"{owner_id}_{topic}" if topic else owner_id
        if error is None:
            self._on_success(source)
        elif error.issue_scope is not None and self._is_reported(owner_id, source, error):
            is_account_issue = error.issue_scope == "account"
            issue_id = f"{self._entry.entry_id if is_account_issue else source}_{error.key}"
            name = self._entry.title if is_account_issue else self._name(owner_id)
            key = self._service_type.issues.get(error.key, error.key)
            self._create(issue_id, key, {"name": name, "detail": error.detail or "-"}, source=source)

    def _on_success(self, source: str) -> None:
        self._unconfirmed.discard(source)
        # A success of the account's own request also ends this issue for all vehicles.
        shared = self._issue_ids.get(source) if source == self._entry.entry_id else None
        for known_source, issue_id in list(self._issue_ids.items()):
            if known_source == source or issue_id == shared:
                self._delete(known_source)

    def _is_removed(self, owner_id: str) -> bool:
        """Return whether a user removed the vehicle, whose last request may still be under way."""
        return owner_id not in (self._entry.entry_id, *self._entry.subentries)

    def remove_vehicle(self, subentry_id: str) -> None:
        """Delete the issues of a removed vehicle, also those that the user ignored."""
        for source in [key for key in self._issue_ids if key.startswith(subentry_id)]:
            self._delete(source)
        delete_issues(self._hass, subentry_id)

    def _name(self, owner_id: str) -> str:
        return self._entry.subentries.get(owner_id, self._entry).title

    def _is_reported(self, owner_id: str, source: str, error: ServiceError) -> bool:
        """Return whether to report an error. A vehicle must meet one of the account twice in a row."""
        if self._is_removed(owner_id):
            return False
        is_of_account = owner_id == self._entry.entry_id
        if error.issue_scope != "account" or is_of_account or error.retry_after:
            return True
        is_repeated = source in self._unconfirmed
        self._unconfirmed.add(source)
        return is_repeated

    def report_missing_vehicle(self, subentry_id: str) -> None:
        """Offer to remove a vehicle that the service no longer lists."""
        if not self._is_removed(subentry_id):
            ids = {CONF_ENTRY_ID: self._entry.entry_id, CONF_SUBENTRY_ID: subentry_id}
            data = {**ids, CONF_NAME: self._name(subentry_id)}
            self.report(NOT_LISTED, {"account": self._entry.title}, subentry_id, data)

    def report_new_vehicles(self, vehicles: Iterable[Mapping[str, str]], configured: Iterable[str]) -> None:
        """Offer to add these vehicles, and no others. `configured`: the VINs of those that were added."""
        offers = {self._new_vehicle_issue_id(vehicle[CONF_VIN]): vehicle for vehicle in vehicles}
        prefix = self._new_vehicle_issue_id("")
        for issue_id in [key for key in self._issue_ids if key.startswith(prefix) and key not in offers]:
            del self._issue_ids[issue_id]
            # The list may be incomplete. An ignored offer must not return afterwards.
            _delete_unless_ignored(self._hass, issue_id)
        for vin in configured:
            ir.async_delete_issue(self._hass, DOMAIN, self._new_vehicle_issue_id(vin))
        for issue_id, vehicle in offers.items():
            texts = {"name": vehicle[CONF_NAME], "account": self._entry.title}
            data = {CONF_ENTRY_ID: self._entry.entry_id, **vehicle}
            self._create(issue_id, NEW, texts, data)

    def _new_vehicle_issue_id(self, vin: str) -> str:
        """Return the id of the offer to add a vehicle, or the prefix of all offers.

        Diagnostics contain issue ids. A longer digest would identify the VIN, by trying all possible ones.
        """
        digest = sha256(vin.encode()).hexdigest()[:4] if vin else ""
        return f"{self._entry.entry_id}_{NEW}_{digest}"

    def report_small_limit(self, requests: float) -> None:
        """Report that so few requests a day show a drive only after some minutes, or delete that report."""
        minutes = round(_MINUTES_WITH_ONE_REQUEST / max(requests, 1.0))
        placeholders = {"requests": f"{requests:.0f}", "minutes": str(minutes)}
        self.report(SMALL_LIMIT, placeholders if minutes >= _LONG_DELAY else None)

    def report(
        self,
        key: str,
        placeholders: Mapping[str, str] | None,
        subentry_id: str | None = None,
        data: Mapping[str, str] | None = None,
    ) -> None:
        """Report a problem, or delete its report without `placeholders`. `data`: what its fix needs."""
        owner_id = subentry_id or self._entry.entry_id
        issue_id = f"{owner_id}_{key}"
        if placeholders is None:
            self._delete(issue_id)
        else:
            self._create(issue_id, key, {"name": self._name(owner_id), **placeholders}, data)

    def _create(
        self,
        issue_id: str,
        key: str,
        placeholders: dict[str, str],
        data: Mapping[str, str] | None = None,
        *,
        source: str = "",
    ) -> None:
        if self._is_unloaded:
            return
        source = source or issue_id
        if self._issue_ids.get(source) != issue_id:
            self._delete(source)
            self._issue_ids[source] = issue_id
        documentation = async_get_loaded_integration(self._hass, DOMAIN).documentation
        service_type = self._service_type
        own = {"service": service_type.name, "key_url": service_type.key_url} if service_type.name else {}
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            issue_id,
            data=None if data is None else {**data},
            is_fixable=data is not None,
            learn_more_url=f"{documentation}{TROUBLESHOOTING}#{key}",
            severity=ir.IssueSeverity.WARNING if key in _WARNINGS else ir.IssueSeverity.ERROR,
            translation_key=key,
            # Descriptions of issues are Markdown, and the service chooses names and details.
            translation_placeholders={**own, **escape_placeholders(placeholders)},
        )

    def _delete(self, source: str) -> None:
        issue_id = self._issue_ids.pop(source, None)
        if issue_id is not None and issue_id not in self._issue_ids.values():
            ir.async_delete_issue(self._hass, DOMAIN, issue_id)

    @callback
    def _unload(self) -> None:
        self._is_unloaded = True
        # An ignored issue must not return after a reload.
        for issue_id in set(self._issue_ids.values()):
            _delete_unless_ignored(self._hass, issue_id)


def _delete_unless_ignored(hass: HomeAssistant, issue_id: str) -> None:
    issues = ir.async_get(hass)
    issue = issues.async_get_issue(DOMAIN, issue_id)
    if issue is not None and issue.dismissed_version is None:
        issues.async_delete(DOMAIN, issue_id)


def delete_issues(hass: HomeAssistant, *owner_ids: str) -> None:
    """Delete all issues of removed accounts and vehicles, by the ids of their entries and subentries."""
    issues = ir.async_get(hass)
    for domain, issue_id in list(issues.issues):
        if domain == DOMAIN and issue_id.startswith(owner_ids):
            issues.async_delete(domain, issue_id)
