-- title: three streams meet at equal times: in order, a reading each
CREATE TABLE temperature (t INT, v INT);
CREATE TABLE pressure (t INT, v INT);
CREATE TABLE humidity (t INT, v INT);
-- stream: incremental
SELECT a.t, a.v AS temperature, b.v AS pressure, c.v AS humidity
FROM temperature AS a JOIN pressure AS b ON a.t = b.t JOIN humidity AS c ON c.t = b.t;
-- answer: nothing
-- change: time 1
INSERT INTO temperature VALUES (1, 11);
INSERT INTO pressure VALUES (1, 21);
INSERT INTO humidity VALUES (1, 31);
-- expect: + 1, 11, 21, 31
-- change: time 2, where humidity is silent
INSERT INTO temperature VALUES (2, 12);
INSERT INTO pressure VALUES (2, 22);
-- expect: nothing
-- change: time 3
INSERT INTO temperature VALUES (3, 13);
INSERT INTO pressure VALUES (3, 23);
INSERT INTO humidity VALUES (3, 33);
-- expect: + 3, 13, 23, 33
-- answer: 1, 11, 21, 31 | 3, 13, 23, 33

-- title: three streams meet at equal times: one stream is far ahead of the others
CREATE TABLE temperature (t INT, v INT);
CREATE TABLE pressure (t INT, v INT);
CREATE TABLE humidity (t INT, v INT);
-- stream: incremental
SELECT a.t, a.v AS temperature, b.v AS pressure, c.v AS humidity
FROM temperature AS a JOIN pressure AS b ON a.t = b.t JOIN humidity AS c ON c.t = b.t;
-- change: all of the first
INSERT INTO temperature VALUES (1, 11), (2, 12), (3, 13);
-- expect: nothing
-- change: all of the last
INSERT INTO humidity VALUES (1, 31), (3, 33);
-- expect: nothing
-- change: all of the middle one
INSERT INTO pressure VALUES (1, 21), (2, 22), (3, 23);
-- expect: + 1, 11, 21, 31 | 3, 13, 23, 33
-- answer: 1, 11, 21, 31 | 3, 13, 23, 33

-- title: three streams meet at equal times: shuffled, backwards, two times in one batch
CREATE TABLE temperature (t INT, v INT);
CREATE TABLE pressure (t INT, v INT);
CREATE TABLE humidity (t INT, v INT);
-- stream: incremental
SELECT a.t, a.v AS temperature, b.v AS pressure, c.v AS humidity
FROM temperature AS a JOIN pressure AS b ON a.t = b.t JOIN humidity AS c ON c.t = b.t;
-- change: the last first, for two of them
INSERT INTO humidity VALUES (3, 33);
INSERT INTO temperature VALUES (3, 13), (1, 11);
-- expect: nothing
-- change: times 3 and 2 of one
INSERT INTO pressure VALUES (3, 23), (2, 22);
-- expect: + 3, 13, 23, 33
-- change: the rest, of all
INSERT INTO humidity VALUES (1, 31);
INSERT INTO temperature VALUES (2, 12);
INSERT INTO pressure VALUES (1, 21);
-- expect: + 1, 11, 21, 31
-- answer: 1, 11, 21, 31 | 3, 13, 23, 33

-- title: three streams meet at equal times: all in one batch
CREATE TABLE temperature (t INT, v INT);
CREATE TABLE pressure (t INT, v INT);
CREATE TABLE humidity (t INT, v INT);
-- stream: incremental
SELECT a.t, a.v AS temperature, b.v AS pressure, c.v AS humidity
FROM temperature AS a JOIN pressure AS b ON a.t = b.t JOIN humidity AS c ON c.t = b.t;
-- change: everything
INSERT INTO pressure VALUES (2, 22), (3, 23), (1, 21);
INSERT INTO temperature VALUES (3, 13), (1, 11), (2, 12);
INSERT INTO humidity VALUES (3, 33), (1, 31);
-- expect: + 1, 11, 21, 31 | 3, 13, 23, 33

-- title: three streams meet at equal times: wrong at first, corrected later
CREATE TABLE temperature (t INT, v INT);
CREATE TABLE pressure (t INT, v INT);
CREATE TABLE humidity (t INT, v INT);
-- stream: incremental
SELECT a.t, a.v AS temperature, b.v AS pressure, c.v AS humidity
FROM temperature AS a JOIN pressure AS b ON a.t = b.t JOIN humidity AS c ON c.t = b.t;
-- change: a reading at a wrong time meets the others
INSERT INTO temperature VALUES (1, 11), (2, 13);
INSERT INTO pressure VALUES (1, 21), (2, 22), (3, 23);
INSERT INTO humidity VALUES (1, 31), (2, 33), (2, 33);
-- expect: + 1, 11, 21, 31 | 2, 13, 22, 33 | 2, 13, 22, 33
-- change: one of the doubles goes
DELETE FROM humidity WHERE t = 2;
INSERT INTO humidity VALUES (2, 33);
-- expect: - 2, 13, 22, 33
-- change: both readings were those of time 3
UPDATE temperature SET t = 3 WHERE t = 2;
UPDATE humidity SET t = 3 WHERE t = 2;
-- expect: - 2, 13, 22, 33
-- expect: + 3, 13, 23, 33
-- change: the reading that is missing comes
INSERT INTO temperature VALUES (2, 12);
-- expect: nothing
-- answer: 1, 11, 21, 31 | 3, 13, 23, 33

-- title: a moving average and its crossing: windows over a stream that comes out of order
CREATE TABLE price (t INT, v INT);
INSERT INTO price VALUES (1, 10), (2, 12), (4, 20);
-- stream: incremental
SELECT t, v, short, is_above
FROM (
  SELECT t, v, short, v > short AS is_above, LAG(v > short) OVER (ORDER BY t) AS was_above
  FROM (SELECT t, v, AVG(v) OVER (ORDER BY t ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS short FROM price) AS averages
) AS crossings
WHERE is_above <> was_above;
-- answer: 2, 12, 11, TRUE
-- change: a late tick between two others
INSERT INTO price VALUES (3, 8);
-- expect: + 3, 8, 10, FALSE | 4, 20, 14, TRUE
-- change: it was wrong
UPDATE price SET v = 16 WHERE t = 3;
-- expect: - 3, 8, 10, FALSE | 4, 20, 14, TRUE
