"""What only a person can mend: told as repairs of Home Assistant until somebody has."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_ID, CONF_NAME
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..api.errors import Concern, ServiceError
from ..const import CONF_ENTRY_ID, CONF_SUBENTRY_ID, CONF_VIN, DOMAIN
from .discovery import Car
from .markdown import escape_markdown

DUPLICATE_ACCOUNT: Final = "duplicate_account"
OTHER_ACCOUNT: Final = "other_account"
NOT_LISTED: Final = "vehicle_not_listed"
NEW: Final = "new_vehicle"


class Troubles:
    """The troubles of one account and of its cars."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Begin without any; what is left when the account is unloaded is told no more."""
        self._hass = hass
        self._entry = entry
        # Who asked, and which issue tells what that came to.
        self._told: dict[str, str] = {}
        self._doubted: set[str] = set()
        self._is_over = False
        entry.async_on_unload(self._forget)

    @callback
    def heard(self, asker: str, name: str, error: ServiceError | None = None) -> None:
        """Tell what a question came to: to nothing for a reason that needs a person, or to an answer.

        `name` is the car's. Other failures end no trouble and begin none.
        """
        if error is None:
            self._doubted.discard(asker)
            # What the account's own request was refused for, and is no more, keeps no car's read any more.
            same = self._told.get(asker) if asker == self._entry.entry_id else None
            for each in [asker, *(each for each, issue_id in self._told.items() if issue_id == same)]:
                self._end(each)
        elif error.needs_a_person is not None and not self._may_be_chance(asker, error):
            is_accounts = error.needs_a_person is Concern.ACCOUNT
            whose, name = (self._entry.entry_id, self._entry.title) if is_accounts else (asker, name)
            self._begin(
                asker, f"{whose}_{error.key}", error.key, {"name": name, "detail": error.detail or "-"}
            )

    def _may_be_chance(self, asker: str, error: ServiceError) -> bool:
        """Whether a car's read is the first in a row to say so of the whole account: the next one may not."""
        if error.needs_a_person is not Concern.ACCOUNT or asker == self._entry.entry_id or error.pause:
            return False
        is_first = asker not in self._doubted
        self._doubted.add(asker)
        return is_first

    @callback
    def not_listed(self, subentry_id: str, name: str) -> None:
        """Offer to remove a car that the service knows no more."""
        self._begin(
            f"{subentry_id}_{NOT_LISTED}",
            f"{subentry_id}_{NOT_LISTED}",
            NOT_LISTED,
            {"name": name, "account": self._entry.title},
            {CONF_ENTRY_ID: self._entry.entry_id, CONF_SUBENTRY_ID: subentry_id, CONF_NAME: name},
        )

    @callback
    def listed(self, subentry_id: str) -> None:
        """Take that back: the service knows it again."""
        self._end(f"{subentry_id}_{NOT_LISTED}")

    @callback
    def new(self, cars: Iterable[Car], added: Iterable[str]) -> None:
        """Offer to add these cars, which the account has got, and no others. `added`: whose VIN is taken."""
        offered = {self._news_of(car.vin): car for car in cars}
        kind = self._news_of("")
        for each in [each for each in self._told if each.startswith(kind) and each not in offered]:
            del self._told[each]
            # What a person has chosen to ignore shall not come back because a list was once not whole.
            _delete_unless_ignored(self._hass, each)
        for vin in added:
            ir.async_delete_issue(self._hass, DOMAIN, self._news_of(vin))
        for each, car in offered.items():
            self._begin(
                each,
                each,
                NEW,
                {"name": car.name, "account": self._entry.title},
                {
                    CONF_ENTRY_ID: self._entry.entry_id,
                    CONF_ID: car.number,
                    CONF_VIN: car.vin,
                    CONF_NAME: car.name,
                },
                ir.IssueSeverity.WARNING,
            )

    def _news_of(self, vin: str) -> str:
        """Return what the offer of a car is called, or how all of them begin.

        Issues are named in diagnostics, where no VIN may be. There are so few VINs that more of the digest
        would be the VIN: whoever tries all finds the one that fits.
        """
        digest = sha256(vin.encode()).hexdigest()[:4] if vin else ""
        return f"{self._entry.entry_id}_{NEW}_{digest}"

    @callback
    def same_account(self, other: ConfigEntry[Any] | None) -> None:
        """Tell that another entry is the same account, or that none is any more."""
        if other is None:
            self._end(DUPLICATE_ACCOUNT)
            return
        self._begin(
            DUPLICATE_ACCOUNT,
            f"{self._entry.entry_id}_{DUPLICATE_ACCOUNT}",
            DUPLICATE_ACCOUNT,
            {"name": self._entry.title, "other": other.title},
        )

    @callback
    def other_account(self, *, is_other: bool) -> None:
        """Report that the access token belongs to another user than before, or end that report."""
        if not is_other:
            self._end(OTHER_ACCOUNT)
            return
        name = {"name": self._entry.title}
        self._begin(OTHER_ACCOUNT, f"{self._entry.entry_id}_{OTHER_ACCOUNT}", OTHER_ACCOUNT, name)

    def _begin(
        self,
        asker: str,
        issue_id: str,
        key: str,
        placeholders: dict[str, str],
        data: dict[str, str | int | float | None] | None = None,
        severity: ir.IssueSeverity = ir.IssueSeverity.ERROR,
    ) -> None:
        if self._is_over:
            return
        if self._told.get(asker) != issue_id:
            self._end(asker)
            self._told[asker] = issue_id
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            issue_id,
            data=data,
            is_fixable=data is not None,
            severity=severity,
            translation_key=key,
            # Descriptions of issues are Markdown, and the service chooses names and details.
            translation_placeholders={name: escape_markdown(text) for name, text in placeholders.items()},
        )

    def _end(self, asker: str) -> None:
        issue_id = self._told.pop(asker, None)
        if issue_id is not None and issue_id not in self._told.values():
            ir.async_delete_issue(self._hass, DOMAIN, issue_id)

    @callback
    def _forget(self) -> None:
        self._is_over = True
        # What a person has chosen to ignore shall not come back because the account is loaded anew.
        for issue_id in set(self._told.values()):
            _delete_unless_ignored(self._hass, issue_id)


def _delete_unless_ignored(hass: HomeAssistant, issue_id: str) -> None:
    issues = ir.async_get(hass)
    issue = issues.async_get_issue(DOMAIN, issue_id)
    if issue is not None and issue.dismissed_version is None:
        issues.async_delete(DOMAIN, issue_id)


@callback
def forget_troubles(hass: HomeAssistant, *owners: str) -> None:
    """Delete what was told of accounts and cars that are gone, by the ids of their entries and subentries."""
    issues = ir.async_get(hass)
    for domain, issue_id in list(issues.issues):
        if domain == DOMAIN and issue_id.startswith(owners):
            issues.async_delete(domain, issue_id)
