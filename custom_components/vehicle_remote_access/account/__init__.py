"""The account: what its service can do, which cars it has, and the issues that only its owner can fix."""
