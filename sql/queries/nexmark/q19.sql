-- Nexmark query 19: ten highest bids of an auction.
SELECT *
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC, date_time) AS place
  FROM bid
) AS ranked
WHERE place <= 10
