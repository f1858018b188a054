-- title: tumbling windows: clicks per ten minutes
-- lane: spark DuckDB has no window()
CREATE TABLE click (at TIMESTAMP, page STRING);
INSERT INTO click VALUES
  (TIMESTAMP '2026-01-01 10:01:00', 'x'), (TIMESTAMP '2026-01-01 10:09:59', 'x'), (TIMESTAMP '2026-01-01 10:10:00', 'y');
-- stream: incremental
SELECT window.start AS since, page, COUNT(*) AS clicks
FROM click
GROUP BY window(at, '10 minutes'), page;
-- answer: TIMESTAMP '2026-01-01 10:00:00', 'x', 2 | TIMESTAMP '2026-01-01 10:10:00', 'y', 1
-- change: a late click, one that was a minute later, and one whose time nobody knows
INSERT INTO click VALUES (TIMESTAMP '2026-01-01 10:05:00', 'y'), (NULL, 'x');
UPDATE click SET at = at + INTERVAL '1' MINUTE WHERE at = TIMESTAMP '2026-01-01 10:09:59';
-- expect: - TIMESTAMP '2026-01-01 10:00:00', 'x', 2
-- expect: + TIMESTAMP '2026-01-01 10:00:00', 'x', 1 | TIMESTAMP '2026-01-01 10:00:00', 'y', 1
-- expect: + TIMESTAMP '2026-01-01 10:10:00', 'x', 1
-- change: a window empties
DELETE FROM click WHERE at >= TIMESTAMP '2026-01-01 10:10:00';
-- expect: - TIMESTAMP '2026-01-01 10:10:00', 'y', 1 | TIMESTAMP '2026-01-01 10:10:00', 'x', 1

-- title: sliding windows: a row is in two
-- lane: spark DuckDB has no window()
CREATE TABLE reading (at TIMESTAMP, value INT);
INSERT INTO reading VALUES (TIMESTAMP '2026-01-01 10:01:00', 5), (TIMESTAMP '2026-01-01 10:06:00', 7);
-- stream: incremental
SELECT w.start AS since, w.end AS until, highest
FROM (
  SELECT window(at, '10 minutes', '5 minutes') AS w, MAX(value) AS highest
  FROM reading
  GROUP BY window(at, '10 minutes', '5 minutes')
) AS windows
WHERE highest > 5;
-- answer: TIMESTAMP '2026-01-01 10:00:00', TIMESTAMP '2026-01-01 10:10:00', 7 | TIMESTAMP '2026-01-01 10:05:00', TIMESTAMP '2026-01-01 10:15:00', 7
-- change: the highest was wrong
UPDATE reading SET value = 6 WHERE value = 7;
-- expect: - TIMESTAMP '2026-01-01 10:00:00', TIMESTAMP '2026-01-01 10:10:00', 7 | TIMESTAMP '2026-01-01 10:05:00', TIMESTAMP '2026-01-01 10:15:00', 7
-- expect: + TIMESTAMP '2026-01-01 10:00:00', TIMESTAMP '2026-01-01 10:10:00', 6 | TIMESTAMP '2026-01-01 10:05:00', TIMESTAMP '2026-01-01 10:15:00', 6
-- change: it goes
DELETE FROM reading WHERE value = 6;
-- answer: nothing

-- title: a window as a column may make more or fewer rows than it is given
-- lane: spark DuckDB has no window()
CREATE TABLE reading (at TIMESTAMP, value INT);
INSERT INTO reading VALUES (TIMESTAMP '2026-01-01 10:01:00', 5), (NULL, 7);
-- stream: full CONSTRUCT
SELECT value FROM (SELECT window(at, '10 minutes', '5 minutes') AS w, value FROM reading) AS windows;
-- answer: 5 | 5
-- change: a time becomes known
UPDATE reading SET at = TIMESTAMP '2026-01-01 10:03:00' WHERE value = 7;
-- expect: + 7 | 7

-- title: sessions: a row joins two that were apart
-- lane: spark DuckDB has no session_window()
CREATE TABLE click (at TIMESTAMP, who STRING);
INSERT INTO click VALUES (TIMESTAMP '2026-01-01 10:00:00', 'ann'), (TIMESTAMP '2026-01-01 10:08:00', 'ann');
-- stream: incremental
SELECT who, session_window.start AS since, COUNT(*) AS clicks
FROM click
GROUP BY who, session_window(at, '5 minutes');
-- answer: 'ann', TIMESTAMP '2026-01-01 10:00:00', 1 | 'ann', TIMESTAMP '2026-01-01 10:08:00', 1
-- change: one between them
INSERT INTO click VALUES (TIMESTAMP '2026-01-01 10:04:00', 'ann');
-- expect: - 'ann', TIMESTAMP '2026-01-01 10:00:00', 1 | 'ann', TIMESTAMP '2026-01-01 10:08:00', 1
-- expect: + 'ann', TIMESTAMP '2026-01-01 10:00:00', 3
-- change: it goes, another comes just within reach, one has no time, and another visitor
DELETE FROM click WHERE at = TIMESTAMP '2026-01-01 10:04:00';
INSERT INTO click VALUES (TIMESTAMP '2026-01-01 10:13:00', 'ann'), (NULL, 'ann'), (TIMESTAMP '2026-01-01 10:00:00', NULL);
-- answer: 'ann', TIMESTAMP '2026-01-01 10:00:00', 1 | 'ann', TIMESTAMP '2026-01-01 10:08:00', 2 | NULL, TIMESTAMP '2026-01-01 10:00:00', 1

-- title: sessions with a gap of their own for each row
-- lane: spark DuckDB has no session_window()
CREATE TABLE click (at TIMESTAMP, who STRING, n INT);
INSERT INTO click VALUES (TIMESTAMP '2026-01-01 10:00:00', 'ann', 9), (TIMESTAMP '2026-01-01 10:08:00', 'ann', 1), (TIMESTAMP '2026-01-01 10:08:00', 'bob', 1);
-- stream: incremental
SELECT session_window AS w, SUM(n) AS n FROM click
GROUP BY session_window(at, CASE WHEN n > 5 THEN '10 minutes' ELSE '1 minute' END);
-- change: the long one becomes short
UPDATE click SET n = 2 WHERE n = 9;
-- change: and long again, while another goes
UPDATE click SET n = 7 WHERE n = 2;
DELETE FROM click WHERE who = 'bob';

-- title: tumbling windows as a column
-- lane: spark DuckDB has no window()
CREATE TABLE reading (at TIMESTAMP, value INT);
INSERT INTO reading VALUES (TIMESTAMP '2026-01-01 10:01:00', 5), (TIMESTAMP '2026-01-01 10:02:00', 6), (NULL, 7);
-- stream: incremental
SELECT r.value, window_time(r.w) AS until, t.n FROM (SELECT *, window(at, '10 minutes') AS w FROM reading) r
JOIN (SELECT window(at, '10 minutes') AS w, COUNT(*) AS n FROM reading GROUP BY 1) t ON r.w = t.w;
-- change: a time becomes known, another moves
UPDATE reading SET at = TIMESTAMP '2026-01-01 10:03:00' WHERE value = 7;
UPDATE reading SET at = TIMESTAMP '2026-01-01 10:13:00' WHERE value = 5;

-- title: sessions by lag and running sum: the same, incrementally
CREATE TABLE click (at INT, who STRING);
INSERT INTO click VALUES (0, 'ann'), (8, 'ann'), (0, 'bob');
-- stream: incremental
SELECT who, MIN(at) AS since, MAX(at) AS until, COUNT(*) AS clicks
FROM (
  SELECT who, at, SUM(begins) OVER (PARTITION BY who ORDER BY at) AS number
  FROM (
    SELECT who, at, CASE WHEN LAG(at) OVER (PARTITION BY who ORDER BY at) > at - 5 THEN 0 ELSE 1 END AS begins
    FROM click
  ) AS gaps
) AS numbered
GROUP BY who, number;
-- answer: 'ann', 0, 0, 1 | 'ann', 8, 8, 1 | 'bob', 0, 0, 1
-- change: one between them joins two sessions
INSERT INTO click VALUES (4, 'ann');
-- expect: - 'ann', 0, 0, 1 | 'ann', 8, 8, 1
-- expect: + 'ann', 0, 8, 3
-- change: it goes, another comes at an equal time, and one long before
DELETE FROM click WHERE at = 4;
INSERT INTO click VALUES (8, 'ann'), (-9, 'ann');
-- expect: - 'ann', 0, 8, 3
-- expect: + 'ann', -9, -9, 1 | 'ann', 0, 0, 1 | 'ann', 8, 8, 2
