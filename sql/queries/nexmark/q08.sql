-- Nexmark query 8: new users who sell at once: both in the same ten seconds.
SELECT p.id, p.name, p.starttime
FROM (
  SELECT
    id,
    name,
    DATE_TRUNC('SECOND', date_time) - INTERVAL '1' SECOND * (SECOND(date_time) % 10) AS starttime
  FROM person
  GROUP BY ALL
) AS p
JOIN (
  SELECT
    seller,
    DATE_TRUNC('SECOND', date_time) - INTERVAL '1' SECOND * (SECOND(date_time) % 10) AS starttime
  FROM auction
  GROUP BY ALL
) AS a
ON p.id = a.seller AND p.starttime = a.starttime
