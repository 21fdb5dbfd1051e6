"""Switches for the differences between services of this family and the interface document."""

from dataclasses import dataclass
from typing import Final, Literal

USUAL_TOKEN_LIFETIME: Final = 8 * 3600.0
"""Seconds until an access token expires at usual services of this family."""
OTHER: Final = "other"  # the name of a service that follows the interface document


@dataclass(slots=True)
class Switches:
    """How this service differs from the interface document. The defaults follow the document.

    The text under a switch is shown on the admin page.
    """

    # The service
    profile: Literal["current-2019", "legacy-2018", "fleet-2024"] = "current-2019"
    """`legacy-2018`: /vehicle_data doesn't exist, and data_request returns the legacy variant. `fleet-2024`:
    the service is one of the Fleet API's family. docs/simulator.md lists the differences."""
    list: bool = True
    """Whether GET /api/1/vehicles exists."""
    latency: float = 0.0
    """Real seconds before every response."""
    token_error: str = "invalid_token"  # noqa: S105 - an error text
    """The error text of a 401 response to an invalid access token."""
    token_lifetime: float = 0.0
    """Seconds until an access token expires; 0 for never. POST /oauth2/v3/token returns a new one."""
    refuse_refresh: bool = False
    """Whether the service refuses to refresh access tokens."""

    # What the car reports
    lid_delay: float = 0.0
    """Seconds until the car reports that the trunk or frunk was opened or closed."""

    # What the car does
    remote_password: Literal["account", "any"] = "account"  # noqa: S105 - names a rule
    """`account`: remote_start_drive checks the password. `any`: it accepts any password, or none."""
    unlocked_blocks_sleep: bool = False
    """Whether an unlocked car stays awake."""
    shortest_awake: float = 90.0
    """Least real seconds that a car stays awake, so that a client that polls once a minute sees it at any
    time factor."""
    hourly_check: bool = False
    """Whether a sleeping car wakes up every hour for two and a half minutes."""

    @property
    def is_fleet(self) -> bool:
        return self.profile == "fleet-2024"
