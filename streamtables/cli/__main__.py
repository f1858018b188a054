"""`python -m streamtables.cli`."""

from streamtables.cli.app import main

main()
