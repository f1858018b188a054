-- title: the join key contains the unique key: inner
CREATE TABLE account (id INT, name STRING);
CREATE TABLE profile (id INT, city STRING);
INSERT INTO account VALUES (1, 'ann'), (2, 'bob');
INSERT INTO profile VALUES (1, 'Oslo'), (3, 'Rome');
-- stream: incremental
SELECT a.id, a.name, p.city FROM account a JOIN profile p ON a.id = p.id;
-- answer: 1, 'ann', 'Oslo'
-- change: a profile comes, another moves
INSERT INTO profile VALUES (2, 'Bern');
UPDATE profile SET city = 'Turin' WHERE id = 3;
-- expect: + 2, 'bob', 'Bern'
-- change: both rows of a key are replaced at once
UPDATE account SET name = 'anna' WHERE id = 1;
UPDATE profile SET city = 'Bergen' WHERE id = 1;
-- expect: - 1, 'ann', 'Oslo'
-- expect: + 1, 'anna', 'Bergen'
-- change: an account goes, one comes that a profile has waited for
DELETE FROM account WHERE id = 2;
INSERT INTO account VALUES (3, 'cid');
-- expect: - 2, 'bob', 'Bern'
-- expect: + 3, 'cid', 'Turin'
-- change: out and in again, the same
DELETE FROM account WHERE id = 3;
INSERT INTO account VALUES (3, 'cid');
-- expect: nothing
-- change: both rows of a key go
DELETE FROM account WHERE id = 1;
DELETE FROM profile WHERE id = 1;
-- expect: - 1, 'anna', 'Bergen'

-- title: the join key contains the unique key: left
CREATE TABLE account (id INT, name STRING);
CREATE TABLE profile (id INT, city STRING);
INSERT INTO account VALUES (1, 'ann'), (2, 'bob');
INSERT INTO profile VALUES (1, 'Oslo'), (3, 'Rome');
-- stream: incremental
SELECT a.id, a.name, p.city FROM account a LEFT JOIN profile p ON a.id = p.id;
-- answer: 1, 'ann', 'Oslo' | 2, 'bob', NULL
-- change: a profile comes, another moves
INSERT INTO profile VALUES (2, 'Bern');
UPDATE profile SET city = 'Turin' WHERE id = 3;
-- expect: - 2, 'bob', NULL
-- expect: + 2, 'bob', 'Bern'
-- change: both rows of a key are replaced at once
UPDATE account SET name = 'anna' WHERE id = 1;
UPDATE profile SET city = 'Bergen' WHERE id = 1;
-- expect: - 1, 'ann', 'Oslo'
-- expect: + 1, 'anna', 'Bergen'
-- change: an account goes, one comes that a profile has waited for
DELETE FROM account WHERE id = 2;
INSERT INTO account VALUES (3, 'cid');
-- expect: - 2, 'bob', 'Bern'
-- expect: + 3, 'cid', 'Turin'
-- change: out and in again, the same
DELETE FROM account WHERE id = 3;
INSERT INTO account VALUES (3, 'cid');
-- expect: nothing
-- change: both rows of a key go
DELETE FROM account WHERE id = 1;
DELETE FROM profile WHERE id = 1;
-- expect: - 1, 'anna', 'Bergen'

-- title: the join key contains the unique key: full
CREATE TABLE account (id INT, name STRING);
CREATE TABLE profile (id INT, city STRING);
INSERT INTO account VALUES (1, 'ann'), (2, 'bob');
INSERT INTO profile VALUES (1, 'Oslo'), (3, 'Rome');
-- stream: incremental
SELECT a.id, a.name, p.id AS profile, p.city FROM account a FULL JOIN profile p ON a.id = p.id;
-- answer: 1, 'ann', 1, 'Oslo' | 2, 'bob', NULL, NULL | NULL, NULL, 3, 'Rome'
-- change: a profile comes, another moves
INSERT INTO profile VALUES (2, 'Bern');
UPDATE profile SET city = 'Turin' WHERE id = 3;
-- expect: - 2, 'bob', NULL, NULL | NULL, NULL, 3, 'Rome'
-- expect: + 2, 'bob', 2, 'Bern' | NULL, NULL, 3, 'Turin'
-- change: both rows of a key are replaced at once
UPDATE account SET name = 'anna' WHERE id = 1;
UPDATE profile SET city = 'Bergen' WHERE id = 1;
-- expect: - 1, 'ann', 1, 'Oslo'
-- expect: + 1, 'anna', 1, 'Bergen'
-- change: an account goes, one comes that a profile has waited for
DELETE FROM account WHERE id = 2;
INSERT INTO account VALUES (3, 'cid');
-- expect: - 2, 'bob', 2, 'Bern' | NULL, NULL, 3, 'Turin'
-- expect: + NULL, NULL, 2, 'Bern' | 3, 'cid', 3, 'Turin'
-- change: out and in again, the same
DELETE FROM account WHERE id = 3;
INSERT INTO account VALUES (3, 'cid');
-- expect: nothing
-- change: both rows of a key go
DELETE FROM account WHERE id = 1;
DELETE FROM profile WHERE id = 1;
-- expect: - 1, 'anna', 1, 'Bergen'

-- title: a unique key besides the join key: inner
CREATE TABLE sale (id INT, customer INT, total INT);
CREATE TABLE parcel (id INT, customer INT, state STRING);
INSERT INTO sale VALUES (1, 7, 10), (2, 7, 20), (3, 8, 30);
INSERT INTO parcel VALUES (101, 7, 'sent'), (102, 9, 'lost');
-- stream: incremental
SELECT s.id, s.total, p.id AS parcel, p.state
FROM sale s JOIN parcel p ON s.customer = p.customer;
-- answer: 1, 10, 101, 'sent' | 2, 20, 101, 'sent'
-- change: a second parcel for the customer, the first arrives
INSERT INTO parcel VALUES (103, 7, 'sent');
UPDATE parcel SET state = 'there' WHERE id = 101;
-- expect: - 1, 10, 101, 'sent' | 2, 20, 101, 'sent'
-- expect: + 1, 10, 101, 'there' | 2, 20, 101, 'there' | 1, 10, 103, 'sent' | 2, 20, 103, 'sent'
-- change: a sale and a parcel change their customer, each to where the other was
UPDATE sale SET customer = 8 WHERE id = 2;
UPDATE parcel SET customer = 8 WHERE id = 103;
-- expect: - 2, 20, 101, 'there' | 1, 10, 103, 'sent'
-- expect: + 3, 30, 103, 'sent'
-- change: a sale without a customer meets nothing, nor does such a parcel
INSERT INTO sale VALUES (4, NULL, 40);
INSERT INTO parcel VALUES (104, NULL, 'lost');
-- expect: nothing
-- change: the last sale of one customer goes, the last parcel of another too
DELETE FROM sale WHERE id = 1;
DELETE FROM parcel WHERE id = 103;
-- expect: - 1, 10, 101, 'there' | 2, 20, 103, 'sent' | 3, 30, 103, 'sent'

-- title: a unique key besides the join key: left
CREATE TABLE sale (id INT, customer INT, total INT);
CREATE TABLE parcel (id INT, customer INT, state STRING);
INSERT INTO sale VALUES (1, 7, 10), (2, 7, 20), (3, 8, 30);
INSERT INTO parcel VALUES (101, 7, 'sent'), (102, 9, 'lost');
-- stream: incremental
SELECT s.id, s.total, p.id AS parcel, p.state
FROM sale s LEFT JOIN parcel p ON s.customer = p.customer;
-- answer: 1, 10, 101, 'sent' | 2, 20, 101, 'sent' | 3, 30, NULL, NULL
-- change: a second parcel for the customer, the first arrives
INSERT INTO parcel VALUES (103, 7, 'sent');
UPDATE parcel SET state = 'there' WHERE id = 101;
-- expect: - 1, 10, 101, 'sent' | 2, 20, 101, 'sent'
-- expect: + 1, 10, 101, 'there' | 2, 20, 101, 'there' | 1, 10, 103, 'sent' | 2, 20, 103, 'sent'
-- change: a sale and a parcel change their customer, each to where the other was
UPDATE sale SET customer = 8 WHERE id = 2;
UPDATE parcel SET customer = 8 WHERE id = 103;
-- expect: - 2, 20, 101, 'there' | 1, 10, 103, 'sent' | 3, 30, NULL, NULL
-- expect: + 3, 30, 103, 'sent'
-- change: a sale without a customer meets nothing, nor does such a parcel
INSERT INTO sale VALUES (4, NULL, 40);
INSERT INTO parcel VALUES (104, NULL, 'lost');
-- expect: + 4, 40, NULL, NULL
-- change: the last sale of one customer goes, the last parcel of another too
DELETE FROM sale WHERE id = 1;
DELETE FROM parcel WHERE id = 103;
-- expect: - 1, 10, 101, 'there' | 2, 20, 103, 'sent' | 3, 30, 103, 'sent'
-- expect: + 2, 20, NULL, NULL | 3, 30, NULL, NULL

-- title: a unique key besides the join key: full
CREATE TABLE sale (id INT, customer INT, total INT);
CREATE TABLE parcel (id INT, customer INT, state STRING);
INSERT INTO sale VALUES (1, 7, 10), (2, 7, 20), (3, 8, 30);
INSERT INTO parcel VALUES (101, 7, 'sent'), (102, 9, 'lost');
-- stream: incremental
SELECT s.id, s.total, p.id AS parcel, p.state
FROM sale s FULL JOIN parcel p ON s.customer = p.customer;
-- answer: 1, 10, 101, 'sent' | 2, 20, 101, 'sent' | 3, 30, NULL, NULL | NULL, NULL, 102, 'lost'
-- change: a second parcel for the customer, the first arrives
INSERT INTO parcel VALUES (103, 7, 'sent');
UPDATE parcel SET state = 'there' WHERE id = 101;
-- expect: - 1, 10, 101, 'sent' | 2, 20, 101, 'sent'
-- expect: + 1, 10, 101, 'there' | 2, 20, 101, 'there' | 1, 10, 103, 'sent' | 2, 20, 103, 'sent'
-- change: a sale and a parcel change their customer, each to where the other was
UPDATE sale SET customer = 8 WHERE id = 2;
UPDATE parcel SET customer = 8 WHERE id = 103;
-- expect: - 2, 20, 101, 'there' | 1, 10, 103, 'sent' | 3, 30, NULL, NULL
-- expect: + 3, 30, 103, 'sent'
-- change: a sale without a customer meets nothing, nor does such a parcel
INSERT INTO sale VALUES (4, NULL, 40);
INSERT INTO parcel VALUES (104, NULL, 'lost');
-- expect: + 4, 40, NULL, NULL | NULL, NULL, 104, 'lost'
-- change: the last sale of one customer goes, the last parcel of another too
DELETE FROM sale WHERE id = 1;
DELETE FROM parcel WHERE id = 103;
-- expect: - 1, 10, 101, 'there' | 2, 20, 103, 'sent' | 3, 30, 103, 'sent'
-- expect: + 2, 20, NULL, NULL | 3, 30, NULL, NULL | NULL, NULL, 101, 'there'

-- title: no unique key: inner
CREATE TABLE click (page STRING, who STRING);
CREATE TABLE view (page STRING, place STRING);
INSERT INTO click VALUES ('x', 'ann'), ('x', 'ann'), ('y', 'bob');
INSERT INTO view VALUES ('x', 'top'), ('z', 'end');
-- stream: incremental
SELECT c.page, c.who, v.place FROM click c JOIN view v ON c.page = v.page;
-- answer: 'x', 'ann', 'top' | 'x', 'ann', 'top'
-- change: one more of equal rows on one side
INSERT INTO view VALUES ('x', 'top');
-- expect: + 'x', 'ann', 'top' | 'x', 'ann', 'top'
-- change: one of each side goes: each held two
DELETE FROM click WHERE who = 'ann';
INSERT INTO click VALUES ('x', 'ann');
DELETE FROM view WHERE place = 'top';
INSERT INTO view VALUES ('x', 'top');
-- expect: - 'x', 'ann', 'top' | 'x', 'ann', 'top' | 'x', 'ann', 'top'
-- change: the last copy of one side goes, two of another key come
DELETE FROM view WHERE page = 'x';
INSERT INTO view VALUES ('y', 'mid'), ('y', 'mid');
-- expect: - 'x', 'ann', 'top'
-- expect: + 'y', 'bob', 'mid' | 'y', 'bob', 'mid'
-- change: equal rows move together
UPDATE view SET page = 'x' WHERE page = 'y';
INSERT INTO click VALUES ('x', 'ann');
-- expect: - 'y', 'bob', 'mid' | 'y', 'bob', 'mid'
-- expect: + 'x', 'ann', 'mid' | 'x', 'ann', 'mid' | 'x', 'ann', 'mid' | 'x', 'ann', 'mid'

-- title: no unique key: left
CREATE TABLE click (page STRING, who STRING);
CREATE TABLE view (page STRING, place STRING);
INSERT INTO click VALUES ('x', 'ann'), ('x', 'ann'), ('y', 'bob');
INSERT INTO view VALUES ('x', 'top'), ('z', 'end');
-- stream: incremental
SELECT c.page, c.who, v.place FROM click c LEFT JOIN view v ON c.page = v.page;
-- answer: 'x', 'ann', 'top' | 'x', 'ann', 'top' | 'y', 'bob', NULL
-- change: one more of equal rows on one side
INSERT INTO view VALUES ('x', 'top');
-- expect: + 'x', 'ann', 'top' | 'x', 'ann', 'top'
-- change: one of each side goes: each held two
DELETE FROM click WHERE who = 'ann';
INSERT INTO click VALUES ('x', 'ann');
DELETE FROM view WHERE place = 'top';
INSERT INTO view VALUES ('x', 'top');
-- expect: - 'x', 'ann', 'top' | 'x', 'ann', 'top' | 'x', 'ann', 'top'
-- change: the last copy of one side goes, two of another key come
DELETE FROM view WHERE page = 'x';
INSERT INTO view VALUES ('y', 'mid'), ('y', 'mid');
-- expect: - 'x', 'ann', 'top' | 'y', 'bob', NULL
-- expect: + 'x', 'ann', NULL | 'y', 'bob', 'mid' | 'y', 'bob', 'mid'
-- change: equal rows move together
UPDATE view SET page = 'x' WHERE page = 'y';
INSERT INTO click VALUES ('x', 'ann');
-- expect: - 'x', 'ann', NULL | 'y', 'bob', 'mid' | 'y', 'bob', 'mid'
-- expect: + 'y', 'bob', NULL | 'x', 'ann', 'mid' | 'x', 'ann', 'mid' | 'x', 'ann', 'mid' | 'x', 'ann', 'mid'

-- title: no unique key: full
CREATE TABLE click (page STRING, who STRING);
CREATE TABLE view (page STRING, place STRING);
INSERT INTO click VALUES ('x', 'ann'), ('x', 'ann'), ('y', 'bob');
INSERT INTO view VALUES ('x', 'top'), ('z', 'end');
-- stream: incremental
SELECT c.page, c.who, v.place FROM click c FULL JOIN view v ON c.page = v.page;
-- answer: 'x', 'ann', 'top' | 'x', 'ann', 'top' | 'y', 'bob', NULL | NULL, NULL, 'end'
-- change: one more of equal rows on one side
INSERT INTO view VALUES ('x', 'top');
-- expect: + 'x', 'ann', 'top' | 'x', 'ann', 'top'
-- change: one of each side goes: each held two
DELETE FROM click WHERE who = 'ann';
INSERT INTO click VALUES ('x', 'ann');
DELETE FROM view WHERE place = 'top';
INSERT INTO view VALUES ('x', 'top');
-- expect: - 'x', 'ann', 'top' | 'x', 'ann', 'top' | 'x', 'ann', 'top'
-- change: the last copy of one side goes, two of another key come
DELETE FROM view WHERE page = 'x';
INSERT INTO view VALUES ('y', 'mid'), ('y', 'mid');
-- expect: - 'x', 'ann', 'top' | 'y', 'bob', NULL
-- expect: + 'x', 'ann', NULL | 'y', 'bob', 'mid' | 'y', 'bob', 'mid'
-- change: equal rows move together
UPDATE view SET page = 'x' WHERE page = 'y';
INSERT INTO click VALUES ('x', 'ann');
-- expect: - 'x', 'ann', NULL | 'y', 'bob', 'mid' | 'y', 'bob', 'mid'
-- expect: + 'y', 'bob', NULL | 'x', 'ann', 'mid' | 'x', 'ann', 'mid' | 'x', 'ann', 'mid' | 'x', 'ann', 'mid'

-- title: joins of joins, each side another layout: outer above inner
CREATE TABLE account (id INT, name STRING);
CREATE TABLE sale (id INT, account INT, sku STRING);
CREATE TABLE click (account INT, page STRING);
INSERT INTO account VALUES (1, 'ann'), (2, 'bob');
INSERT INTO sale VALUES (11, 1, 'lamp'), (12, 3, 'desk');
INSERT INTO click VALUES (1, 'x'), (1, 'x'), (3, 'y');
-- stream: incremental
SELECT a.name, s.id AS sale, c.page
FROM account a JOIN sale s ON a.id = s.account LEFT JOIN click c ON c.account = s.account;
-- answer: 'ann', 11, 'x' | 'ann', 11, 'x'
-- change: all three change: the missing account comes, clicks go, a sale moves
INSERT INTO account VALUES (3, 'cid');
DELETE FROM click WHERE page = 'x';
UPDATE sale SET account = 2 WHERE id = 11;
-- expect: - 'ann', 11, 'x' | 'ann', 11, 'x'
-- expect: + 'bob', 11, NULL | 'cid', 12, 'y'
-- change: a click, twice, and the account it is about goes
INSERT INTO click VALUES (2, 'z'), (2, 'z');
DELETE FROM account WHERE id = 3;
-- expect: - 'bob', 11, NULL | 'cid', 12, 'y'
-- expect: + 'bob', 11, 'z' | 'bob', 11, 'z'
