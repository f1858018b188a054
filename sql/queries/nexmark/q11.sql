-- Nexmark query 11: sessions of a user: ten quiet seconds end one.
SELECT
  bidder,
  COUNT(*) AS bid_count,
  MIN(date_time) AS starttime,
  MAX(date_time) + INTERVAL '10' SECOND AS endtime
FROM (
  SELECT
    bidder,
    date_time,
    SUM(begins) OVER (PARTITION BY bidder ORDER BY date_time) AS session_number
  FROM (
    SELECT
      bidder,
      date_time,
      CASE
        WHEN LAG(date_time) OVER (PARTITION BY bidder ORDER BY date_time)
          > date_time - INTERVAL '10' SECOND
        THEN 0
        ELSE 1
      END AS begins
    FROM bid
  ) AS gaps
) AS numbered
GROUP BY bidder, session_number
