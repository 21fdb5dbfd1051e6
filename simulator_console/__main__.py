"""Run the simulated service without Home Assistant: `python -m simulator_console`."""

from pathlib import Path
import sys
from types import ModuleType

# The integration's package imports Home Assistant, which takes seconds. The simulator does not need it.
integration = ModuleType("custom_components.vehicle_remote_access")
integration.__path__ = [str(Path(__file__).parents[1] / "custom_components" / "vehicle_remote_access")]
sys.modules[integration.__name__] = integration

from .program import main  # noqa: E402

sys.exit(main())
