-- title: available_everywhere: a chain of INTERSECT over the stores
CREATE TABLE store_north (sku STRING, shelf INT);
CREATE TABLE store_south (sku STRING, shelf INT);
CREATE TABLE store_west (sku STRING, shelf INT);
INSERT INTO store_north VALUES ('lamp', 1), ('lamp', 2), ('desk', 3), ('sofa', 4);
INSERT INTO store_south VALUES ('lamp', 1), ('desk', 2);
INSERT INTO store_west VALUES ('lamp', 7), ('sofa', 8);
-- stream: incremental
SELECT sku FROM store_north INTERSECT SELECT sku FROM store_south INTERSECT SELECT sku FROM store_west;
-- answer: 'lamp'
-- change: one of two shelves with lamps is cleared
DELETE FROM store_north WHERE shelf = 2;
-- expect: nothing
-- change: the last store gets desks
INSERT INTO store_west VALUES ('desk', 9), ('desk', 10);
-- expect: + 'desk'
-- change: lamps leave one store and come to another, desks move to another shelf
DELETE FROM store_south WHERE sku = 'lamp';
INSERT INTO store_west VALUES ('lamp', 11);
UPDATE store_north SET shelf = 5 WHERE sku = 'desk';
-- expect: - 'lamp'
-- change: all three change: sofas come to the last, desks go from the first, lamps are back
INSERT INTO store_south VALUES ('sofa', 1), ('lamp', 2);
DELETE FROM store_north WHERE sku = 'desk';
UPDATE store_west SET shelf = 0 WHERE sku = 'sofa';
-- expect: - 'desk'
-- expect: + 'sofa' | 'lamp'
-- change: a store closes
DELETE FROM store_west;
-- expect: - 'sofa' | 'lamp'

-- title: available_everywhere, counted: INTERSECT ALL keeps as many as the poorest store has
CREATE TABLE store_north (sku STRING);
CREATE TABLE store_south (sku STRING);
CREATE TABLE store_west (sku STRING);
INSERT INTO store_north VALUES ('lamp'), ('lamp'), ('lamp');
INSERT INTO store_south VALUES ('lamp'), ('lamp');
INSERT INTO store_west VALUES ('lamp'), ('lamp'), ('lamp'), ('lamp');
-- stream: incremental
SELECT sku FROM store_north
INTERSECT ALL SELECT sku FROM store_south
INTERSECT ALL SELECT sku FROM store_west;
-- answer: 'lamp' | 'lamp'
-- change: the poorest gets two more
INSERT INTO store_south VALUES ('lamp'), ('lamp');
-- expect: + 'lamp'
-- change: the richest becomes the poorest
DELETE FROM store_west;
INSERT INTO store_west VALUES ('lamp');
-- expect: - 'lamp' | 'lamp'
-- change: nobody notices what a rich one gets
INSERT INTO store_north VALUES ('lamp');
-- expect: nothing

-- title: all_contacts: UNION ALL keeps every copy
CREATE TABLE customer (email STRING, name STRING);
CREATE TABLE supplier (email STRING, company STRING);
INSERT INTO customer VALUES ('ann@x', 'Ann'), ('bob@x', 'Bob');
INSERT INTO supplier VALUES ('ann@x', 'Ann & Sons');
-- stream: incremental
SELECT email, 'customer' AS book FROM customer UNION ALL SELECT email, 'supplier' FROM supplier;
-- answer: 'ann@x', 'customer' | 'bob@x', 'customer' | 'ann@x', 'supplier'
-- change: the same customer again, and a supplier who moves
INSERT INTO customer VALUES ('ann@x', 'Ann');
UPDATE supplier SET email = 'sons@x' WHERE company = 'Ann & Sons';
-- expect: + 'ann@x', 'customer' | 'sons@x', 'supplier'
-- expect: - 'ann@x', 'supplier'
-- change: only what is not shown changes
UPDATE customer SET name = 'Anne' WHERE name = 'Ann';
-- expect: nothing

-- title: all_contacts, without doubles: DISTINCT over UNION ALL
CREATE TABLE customer (email STRING, name STRING);
CREATE TABLE supplier (email STRING, company STRING);
INSERT INTO customer VALUES ('ann@x', 'Ann'), ('ann@x', 'Ann'), (NULL, 'Nobody');
INSERT INTO supplier VALUES ('ann@x', 'Ann & Sons');
-- stream: incremental
SELECT DISTINCT email FROM (SELECT email FROM customer UNION ALL SELECT email FROM supplier) AS contacts;
-- answer: 'ann@x' | NULL
-- change: two of three copies go
DELETE FROM customer WHERE name = 'Ann';
-- expect: nothing
-- change: the last copy goes while another contact comes twice, once from each side
DELETE FROM supplier;
INSERT INTO supplier VALUES ('cid@x', 'Cid');
INSERT INTO customer VALUES ('cid@x', 'Cid');
-- expect: - 'ann@x'
-- expect: + 'cid@x'
-- change: an unknown address becomes a known one
UPDATE customer SET email = 'cid@x' WHERE email IS NULL;
-- expect: - NULL

-- title: unique_contacts: UNION counts each side
CREATE TABLE customer (email STRING, name STRING);
CREATE TABLE supplier (email STRING, company STRING);
INSERT INTO customer VALUES ('ann@x', 'Ann'), ('bob@x', 'Bob');
INSERT INTO supplier VALUES ('ann@x', 'Ann & Sons'), ('dora@x', 'Dora');
-- stream: incremental
SELECT email FROM customer UNION SELECT email FROM supplier;
-- answer: 'ann@x' | 'bob@x' | 'dora@x'
-- change: 1 + 1 becomes 0 + 1
DELETE FROM customer WHERE email = 'ann@x';
-- expect: nothing
-- change: 0 + 1 becomes 1 + 0, 1 + 0 becomes 2 + 0
DELETE FROM supplier WHERE email = 'ann@x';
INSERT INTO customer VALUES ('ann@x', 'Ann'), ('bob@x', 'Bobby');
-- expect: nothing
-- change: 1 + 0 becomes 0 + 0, and 2 + 0 becomes 0 + 1
DELETE FROM customer;
INSERT INTO supplier VALUES ('bob@x', 'Bob Ltd');
-- expect: - 'ann@x'
-- change: NULL is a value like any other
INSERT INTO customer VALUES (NULL, 'Nobody');
INSERT INTO supplier VALUES (NULL, 'Nobody Ltd');
-- expect: + NULL
-- change: one NULL less
DELETE FROM supplier WHERE email IS NULL;
-- expect: nothing
-- answer: 'bob@x' | 'dora@x' | NULL
