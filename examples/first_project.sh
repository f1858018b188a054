#!/usr/bin/env bash
# From nothing to a table that is scheduled, refreshed and verified. Run it in an empty folder.
set -euo pipefail
streamtables init shop && cd shop
streamtables sql --file sample.sql
streamtables apply
streamtables sql "INSERT INTO shop.orders VALUES (5, 'IT', 99.00), (6, 'FR', 12.75); REFRESH STREAM TABLES"
streamtables verify shop.by_country
streamtables status
streamtables plan
