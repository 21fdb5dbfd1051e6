"""What only a person can mend: told as repairs of Home Assistant until somebody has."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from .api.errors import Concern, ServiceError
from .const import CONF_ENTRY_ID, CONF_SUBENTRY_ID, DOMAIN

DUPLICATE_ACCOUNT: Final = "duplicate_account"
NOT_LISTED: Final = "vehicle_not_listed"


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

    @contextmanager
    def told(self, asker: str, name: str) -> Iterator[None]:
        """Tell what the question came to that is asked within."""
        try:
            yield
        except ServiceError as error:
            self.heard(asker, name, error)
            raise
        self.heard(asker, name)

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
            {CONF_ENTRY_ID: self._entry.entry_id, CONF_SUBENTRY_ID: subentry_id, "name": name},
        )

    @callback
    def listed(self, subentry_id: str) -> None:
        """Take that back: the service knows it again."""
        self._end(f"{subentry_id}_{NOT_LISTED}")

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

    def _begin(
        self,
        asker: str,
        issue_id: str,
        key: str,
        placeholders: dict[str, str],
        data: dict[str, str | int | float | None] | None = None,
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
            severity=ir.IssueSeverity.ERROR,
            translation_key=key,
            translation_placeholders=placeholders,
        )

    def _end(self, asker: str) -> None:
        issue_id = self._told.pop(asker, None)
        if issue_id is not None and issue_id not in self._told.values():
            ir.async_delete_issue(self._hass, DOMAIN, issue_id)

    @callback
    def _forget(self) -> None:
        self._is_over = True
        for asker in list(self._told):
            self._end(asker)
