-- Nexmark query 7: highest bid of each ten seconds.
SELECT b.auction, b.price, b.bidder, b.date_time, b.extra
FROM bid AS b
JOIN (
  SELECT MAX(price) AS maxprice, endtime
  FROM (
    SELECT
      price,
      DATE_TRUNC('SECOND', date_time) - INTERVAL '1' SECOND * (SECOND(date_time) % 10) + INTERVAL '10' SECOND
        AS endtime
    FROM bid
  ) AS tumbling
  GROUP BY endtime
) AS b1
ON b.price = b1.maxprice
WHERE b.date_time BETWEEN b1.endtime - INTERVAL '10' SECOND AND b1.endtime
