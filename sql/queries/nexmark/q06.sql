-- Nexmark query 6: average selling price of the last ten auctions of a seller.
SELECT
  seller,
  AVG(final) OVER (
    PARTITION BY seller ORDER BY date_time, id ROWS BETWEEN 10 PRECEDING AND CURRENT ROW
  ) AS average
FROM (
  SELECT
    a.id,
    a.seller,
    b.price AS final,
    b.date_time,
    ROW_NUMBER() OVER (PARTITION BY a.id, a.seller ORDER BY b.price DESC, b.date_time) AS place
  FROM auction AS a, bid AS b
  WHERE a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires
) AS q
WHERE place <= 1
