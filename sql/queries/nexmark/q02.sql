-- Nexmark query 2: selection.
SELECT auction, price
FROM bid
WHERE MOD(auction, 123) = 0
