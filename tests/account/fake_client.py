"""A client that only counts, for tests of the budget."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

from custom_components.vehicle_remote_access.api.response import Quota
from custom_components.vehicle_remote_access.api.service_types import OTHER, ServiceType


def fake_client(quota: Quota | None = None, service_type: ServiceType = OTHER) -> Any:
    """Return a client that has sent nothing."""
    return SimpleNamespace(
        quota=quota, request_count=0, live_read_count=0, billed=Counter[str](), type=service_type
    )
