-- title: available everywhere: an INTERSECT of many warehouses
CREATE TABLE north (sku STRING, qty INT);
CREATE TABLE south (sku STRING, qty INT);
CREATE TABLE east (sku STRING, qty INT);
CREATE TABLE west (sku STRING, qty INT);
INSERT INTO north VALUES ('a', 1), ('b', 2), ('c', 0);
INSERT INTO south VALUES ('a', 5), ('b', 1);
INSERT INTO east VALUES ('a', 1), ('b', 0), ('c', 3);
INSERT INTO west VALUES ('a', 2), ('b', 7);
-- stream: incremental
SELECT sku FROM north WHERE qty > 0 INTERSECT SELECT sku FROM south WHERE qty > 0
INTERSECT SELECT sku FROM east WHERE qty > 0 INTERSECT SELECT sku FROM west WHERE qty > 0;
-- answer: 'a'
-- change: east gets b, west sells out of a
UPDATE east SET qty = 4 WHERE sku = 'b';
UPDATE west SET qty = 0 WHERE sku = 'a';
-- expect: - 'a'
-- expect: + 'b'
-- change: a second lot everywhere but in the west, where it returns
INSERT INTO north VALUES ('a', 1);
INSERT INTO south VALUES ('a', 1);
INSERT INTO east VALUES ('a', 1);
INSERT INTO west VALUES ('a', 1);
-- expect: + 'a'
-- change: one lot of each goes
DELETE FROM north WHERE qty = 1;
INSERT INTO north VALUES ('a', 1);
DELETE FROM south WHERE qty = 5;
-- expect: nothing

-- title: unique contacts: a UNION of many address books
CREATE TABLE crm (email STRING, name STRING);
CREATE TABLE shop (mail STRING, buyer STRING);
CREATE TABLE news (address STRING);
INSERT INTO crm VALUES ('A@x.org', 'Ada'), ('b@x.org', 'Bo');
INSERT INTO shop VALUES ('a@x.org', 'Ada'), (NULL, 'guest');
INSERT INTO news VALUES ('b@x.org'), ('c@x.org'), ('c@x.org');
-- stream: incremental
SELECT lower(email) AS contact FROM crm WHERE email IS NOT NULL
UNION SELECT lower(mail) FROM shop WHERE mail IS NOT NULL
UNION DISTINCT SELECT lower(address) FROM news WHERE address IS NOT NULL;
-- answer: 'a@x.org' | 'b@x.org' | 'c@x.org'
-- change: a contact leaves one book and stays in another
DELETE FROM crm WHERE name = 'Ada';
DELETE FROM news WHERE address = 'b@x.org';
-- expect: nothing
-- change: the last traces go, a guest gives an address
UPDATE shop SET mail = 'g@x.org' WHERE buyer = 'guest';
DELETE FROM shop WHERE buyer = 'Ada';
DELETE FROM news;
-- expect: - 'a@x.org' | 'c@x.org'
-- expect: + 'g@x.org'

-- title: TPC-H q1: pricing summary
CREATE TABLE lineitem (flag STRING, status STRING, qty DECIMAL(12,2), price DECIMAL(12,2), disc DECIMAL(12,2), ship DATE);
INSERT INTO lineitem VALUES ('N', 'O', 10.00, 100.00, 0.10, DATE '1998-01-01'), ('N', 'O', 5.00, 50.00, 0.00, DATE '1998-12-01');
INSERT INTO lineitem VALUES ('R', 'F', 1.00, 10.00, 0.05, DATE '1995-01-01');
-- stream: incremental
SELECT flag, status, SUM(qty) AS sum_qty, SUM(price) AS sum_price, SUM(price * (1 - disc)) AS sum_disc,
       MIN(disc) AS lo, COUNT(*) AS n
FROM lineitem WHERE ship <= DATE '1998-09-02' GROUP BY flag, status;
-- answer: 'N', 'O', 10, 100, 90, 0.1, 1 | 'R', 'F', 1, 10, 9.5, 0.05, 1
-- change: a shipment is put forward, one is returned
UPDATE lineitem SET ship = DATE '1998-09-02' WHERE ship > DATE '1998-09-02';
UPDATE lineitem SET flag = 'R' WHERE qty = 10;
-- answer: 'N', 'O', 5, 50, 50, 0, 1 | 'R', 'O', 10, 100, 90, 0.1, 1 | 'R', 'F', 1, 10, 9.5, 0.05, 1

-- title: TPC-H q3: orders not yet shipped
CREATE TABLE customer (ck INT, segment STRING);
CREATE TABLE orders (ok INT, ck INT, day DATE);
CREATE TABLE lineitem (ok INT, price DECIMAL(12,2), disc DECIMAL(12,2), ship DATE);
INSERT INTO customer VALUES (1, 'BUILDING'), (2, 'MACHINERY');
INSERT INTO orders VALUES (10, 1, DATE '1995-03-01'), (11, 2, DATE '1995-03-01'), (12, 1, DATE '1995-04-01');
INSERT INTO lineitem VALUES (10, 100.00, 0.10, DATE '1995-04-01'), (10, 50.00, 0.00, DATE '1995-01-01'), (11, 70.00, 0.00, DATE '1995-04-01');
-- stream: incremental
SELECT l.ok, SUM(price * (1 - disc)) AS revenue, day
FROM customer c, orders o, lineitem l
WHERE segment = 'BUILDING' AND c.ck = o.ck AND l.ok = o.ok AND day < DATE '1995-03-15' AND ship > DATE '1995-03-15'
GROUP BY l.ok, day;
-- answer: 10, 90, DATE '1995-03-01'
-- change: all three tables
UPDATE customer SET segment = 'BUILDING' WHERE ck = 2;
UPDATE orders SET day = DATE '1995-03-14' WHERE ok = 12;
INSERT INTO lineitem VALUES (12, 5.00, 0.00, DATE '1995-03-16');
UPDATE lineitem SET ship = DATE '1995-03-15' WHERE price = 100.00;
-- answer: 11, 70, DATE '1995-03-01' | 12, 5, DATE '1995-03-14'

-- title: TPC-H q5: revenue of a region's own suppliers
CREATE TABLE customer (ck INT, nk INT);
CREATE TABLE orders (ok INT, ck INT);
CREATE TABLE lineitem (ok INT, sk INT, price DECIMAL(12,2));
CREATE TABLE supplier (sk INT, nk INT);
CREATE TABLE nation (nk INT, name STRING, rk INT);
CREATE TABLE region (rk INT, name STRING);
INSERT INTO customer VALUES (1, 1), (2, 2);
INSERT INTO orders VALUES (10, 1), (11, 2);
INSERT INTO lineitem VALUES (10, 5, 100.00), (10, 6, 10.00), (11, 6, 1.00);
INSERT INTO supplier VALUES (5, 1), (6, 2);
INSERT INTO nation VALUES (1, 'INDIA', 1), (2, 'JAPAN', 1);
INSERT INTO region VALUES (1, 'ASIA'), (2, 'EUROPE');
-- stream: incremental
SELECT nation.name, SUM(price) AS revenue
FROM customer JOIN orders ON customer.ck = orders.ck JOIN lineitem ON lineitem.ok = orders.ok
JOIN supplier ON lineitem.sk = supplier.sk AND customer.nk = supplier.nk
JOIN nation ON supplier.nk = nation.nk JOIN region ON nation.rk = region.rk
WHERE region.name = 'ASIA' GROUP BY nation.name;
-- answer: 'INDIA', 100 | 'JAPAN', 1
-- change: five of six tables
UPDATE nation SET name = 'BHARAT' WHERE nk = 1;
UPDATE supplier SET nk = 1 WHERE sk = 6;
DELETE FROM orders WHERE ok = 11;
INSERT INTO lineitem VALUES (10, 5, 0.50);
UPDATE customer SET nk = 1 WHERE ck = 2;
-- answer: 'BHARAT', 110.5
-- change: the region's name
UPDATE region SET name = CASE WHEN name = 'ASIA' THEN 'EUROPE' ELSE 'ASIA' END;
-- answer: nothing

-- title: TPC-H q10 and q18 in one: great orders of returning customers
CREATE TABLE orders (ok INT, ck INT, total INT);
CREATE TABLE lineitem (ok INT, qty INT, flag STRING);
INSERT INTO orders VALUES (1, 7, 100), (2, 7, 50), (3, 8, 10);
INSERT INTO lineitem VALUES (1, 200, 'N'), (1, 101, 'R'), (2, 5, 'R'), (3, 300, 'N');
-- stream: incremental
WITH great AS (SELECT ok, SUM(qty) AS qty FROM lineitem GROUP BY ok HAVING SUM(qty) > 300),
     returned AS (SELECT DISTINCT ck FROM orders JOIN lineitem ON orders.ok = lineitem.ok WHERE flag = 'R')
SELECT o.ck, o.ok, great.qty, o.total FROM orders o JOIN great ON o.ok = great.ok JOIN returned ON returned.ck = o.ck;
-- answer: 7, 1, 301, 100
-- change: one order sinks below the line, one rises, its customer returns something
DELETE FROM lineitem WHERE ok = 1 AND flag = 'R';
INSERT INTO lineitem VALUES (3, 1, 'R');
-- answer: 8, 3, 301, 10
-- change: the order moves to the other customer
UPDATE orders SET ck = 7 WHERE ok = 3;
-- answer: 7, 3, 301, 10

-- title: what is in two of three lists, by counting
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
CREATE TABLE c (x INT);
INSERT INTO a VALUES (1), (1), (2);
INSERT INTO b VALUES (2), (3);
INSERT INTO c VALUES (3), (3), (4);
-- stream: incremental
SELECT x, COUNT(*) AS lists FROM (
  SELECT DISTINCT x FROM a UNION ALL SELECT DISTINCT x FROM b UNION ALL SELECT DISTINCT x FROM c
) z GROUP BY x HAVING COUNT(*) >= 2;
-- answer: 2, 2 | 3, 2
-- change: all three
INSERT INTO b VALUES (1), (4);
DELETE FROM c WHERE x = 3;
INSERT INTO c VALUES (2), (3);
-- answer: 1, 2 | 2, 3 | 3, 2 | 4, 2

-- title: set operations nested in each other, under an aggregate
CREATE TABLE a (g STRING, x INT);
CREATE TABLE b (g STRING, x INT);
CREATE TABLE c (g STRING, x INT);
INSERT INTO a VALUES ('p', 1), ('p', 1), ('q', 2);
INSERT INTO b VALUES ('p', 1), ('q', 3);
INSERT INTO c VALUES ('q', 2), (NULL, NULL);
-- stream: incremental
SELECT g, COUNT(*) AS n, SUM(x) AS s FROM (
  (SELECT * FROM a UNION ALL SELECT * FROM b) EXCEPT ALL (SELECT * FROM b INTERSECT SELECT * FROM a)
  UNION (SELECT * FROM c EXCEPT (SELECT DISTINCT * FROM a))
) z GROUP BY g;
-- answer: 'p', 1, 1 | 'q', 2, 5 | NULL, 1, NULL
-- change: all three
DELETE FROM a WHERE g = 'p';
INSERT INTO b VALUES ('q', 2), (NULL, NULL);
UPDATE c SET x = 5 WHERE g = 'q';
-- answer: 'p', 1, 1 | 'q', 3, 10 | NULL, 1, NULL
