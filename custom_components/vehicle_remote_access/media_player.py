"""Media player: what the car plays."""

from datetime import datetime
from functools import partial
from typing import Final, override

from homeassistant.components.media_player import MediaPlayerEntity
from homeassistant.components.media_player.const import MediaPlayerEntityFeature, MediaPlayerState, MediaType

from .api.commands import ADJUST_VOLUME, MEDIA_NEXT_TRACK, MEDIA_PREV_TRACK, MEDIA_TOGGLE_PLAYBACK
from .api.records import MediaInfo, MediaState
from .entity import VehicleControl, VehicleEntityDescription, async_setup_vehicle_platform

PARALLEL_UPDATES = 0

_STATES: Final = {
    "playing": MediaPlayerState.PLAYING,
    "paused": MediaPlayerState.PAUSED,
    "stopped": MediaPlayerState.IDLE,
}
# Seconds
_JUMP: Final = 5.0
_VOLUME: Final = ADJUST_VOLUME.parameter("volume")

MEDIA: Final = VehicleEntityDescription(
    key=MediaInfo.key,
    fields=(*MediaInfo.fields, MediaState.remote_control_enabled),
    command=MEDIA_TOGGLE_PLAYBACK,
)


class Media(VehicleControl, MediaPlayerEntity):
    """The car's media player. It can be controlled while someone is in the car, if its owner allows that."""

    _attr_media_content_type = MediaType.MUSIC

    @override
    def _update_attributes(self) -> None:
        media = self.vehicle.vehicle_state.media_info
        self._attr_state = _STATES.get(media.media_playback_status or "")
        if not MediaInfo.media_playback_status.is_reported(self.vehicle) and media.audio_volume is not None:
            # While its computer is off, the car reports only the volume.
            self._attr_state = MediaPlayerState.OFF
        _, self._volume_max = _VOLUME.limits(self.vehicle)
        volume, step = media.audio_volume, media.audio_volume_increment
        self._attr_volume_level = None if volume is None else min(volume / self._volume_max, 1.0)
        if step:
            self._attr_volume_step = step / self._volume_max
        self._attr_media_title = media.now_playing_title
        self._attr_media_artist = media.now_playing_artist
        self._attr_media_album_name = media.now_playing_album
        self._attr_media_playlist = media.now_playing_station
        self._attr_source = media.now_playing_source
        self._attr_media_duration = media.now_playing_duration
        self._update_position(media.now_playing_elapsed, self.vehicle.vehicle_state.timestamp)
        self._attr_supported_features = MediaPlayerEntityFeature(0)
        # The features must not change often: Home Assistant stores them, and all open pages load them again.
        if self.vehicle.vehicle_state.media_state.remote_control_enabled is not False:
            self._attr_supported_features = (
                MediaPlayerEntityFeature.PLAY
                | MediaPlayerEntityFeature.PAUSE
                | MediaPlayerEntityFeature.NEXT_TRACK
                | MediaPlayerEntityFeature.PREVIOUS_TRACK
                | MediaPlayerEntityFeature.VOLUME_SET
                | MediaPlayerEntityFeature.VOLUME_STEP
            )

    def _update_position(self, position: float | None, at: datetime | None) -> None:
        """Keep the position of a track that plays on: pages calculate it from the time since then."""
        before, since = self._attr_media_position, self._attr_media_position_updated_at
        if position is not None and at is not None and before is not None and since is not None:
            played = (at - since).total_seconds() if self.state is MediaPlayerState.PLAYING else 0.0
            if abs(before + played - position) < _JUMP:
                return
        self._attr_media_position = None if position is None else round(position)
        self._attr_media_position_updated_at = at

    @override
    async def async_media_play(self) -> None:
        await self._toggle_to("playing")

    @override
    async def async_media_pause(self) -> None:
        await self._toggle_to("paused")

    async def _toggle_to(self, status: str) -> None:
        await self.async_send(MEDIA_TOGGLE_PLAYBACK, {MediaInfo.media_playback_status: status})

    @override
    async def async_media_next_track(self) -> None:
        await self.async_send(MEDIA_NEXT_TRACK)

    @override
    async def async_media_previous_track(self) -> None:
        await self.async_send(MEDIA_PREV_TRACK)

    @override
    async def async_set_volume_level(self, volume: float) -> None:
        await self.async_send(ADJUST_VOLUME, volume=volume * self._volume_max)


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={Media: [MEDIA]})
