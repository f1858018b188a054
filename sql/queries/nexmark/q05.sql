-- Nexmark query 5: hot items: windows of ten seconds that slide by two, a copy of each bid for each window it is in.
WITH counted AS (
  SELECT auction, starttime, COUNT(*) AS num
  FROM (
    SELECT
      auction,
      DATE_TRUNC('SECOND', date_time) - INTERVAL '1' SECOND * (SECOND(date_time) % 2 + 2 * slide)
        AS starttime
    FROM bid LATERAL VIEW EXPLODE(SEQUENCE(0, 4)) AS slide
  ) AS hopping
  GROUP BY auction, starttime
)
SELECT auction_bids.auction, auction_bids.num, auction_bids.starttime
FROM counted AS auction_bids
JOIN (
  SELECT MAX(num) AS maxn, starttime
  FROM counted
  GROUP BY starttime
) AS max_bids
ON auction_bids.starttime = max_bids.starttime AND auction_bids.num >= max_bids.maxn
