"""Home Assistant's REST API, for what starts a real Home Assistant."""

from http import HTTPStatus
from typing import Any, Final

import aiohttp

DEMO: Final = "demo"
"""The owner's user name and password."""
ENTRIES: Final = "/api/config/config_entries/entry"


class DevelopError(Exception):
    """An error with a message for the user."""


async def get(session: aiohttp.ClientSession, path: str) -> Any:
    async with session.get(path) as response:
        return await response.json()


async def post(session: aiohttp.ClientSession, path: str, **body: Any) -> Any:
    async with session.post(path, json=body) as response:
        return await response.json()


async def sign_in(session: aiohttp.ClientSession, url: str) -> str:
    """Return an access token of the owner. Create the owner at the first start."""
    client = {"client_id": f"{url}/"}
    credentials = {"username": DEMO, "password": DEMO}
    try:
        user = await post(session, "/api/onboarding/users", name=DEMO, language="en", **credentials, **client)
        code = user["auth_code"]
    except aiohttp.ClientResponseError as error:
        # This step does not exist after the owner has been created.
        if error.status not in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            raise
        form = {"handler": ["homeassistant", None], "redirect_uri": f"{url}/", **client}
        step = await post(session, "/auth/login_flow", **form)
        step = await post(session, f"/auth/login_flow/{step['flow_id']}", **credentials, **client)
        if step["type"] != "create_entry":
            message = f"user {DEMO} with password {DEMO} can no longer sign in: use another --folder"
            raise DevelopError(message) from None
        code = step["result"]
    grant = {"grant_type": "authorization_code", "code": code, **client}
    async with session.post("/auth/token", data=grant) as response:
        token: str = (await response.json())["access_token"]
    return token
