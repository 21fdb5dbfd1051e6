"""Code that the scripts and the tests share: processes to develop with, a user in a browser, and logs."""
