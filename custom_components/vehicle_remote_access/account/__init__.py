"""The account: what its service supports, which vehicles it has, and which problems its owner must fix."""
