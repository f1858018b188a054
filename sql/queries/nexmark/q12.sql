-- Nexmark query 12: bids of a user in each ten seconds of processing: a column of the table says when a bid arrived.
SELECT bidder, COUNT(*) AS bid_count, starttime, starttime + INTERVAL '10' SECOND AS endtime
FROM (
  SELECT
    bidder,
    DATE_TRUNC('SECOND', arrived) - INTERVAL '1' SECOND * (SECOND(arrived) % 10) AS starttime
  FROM bid
) AS tumbling
GROUP BY bidder, starttime
