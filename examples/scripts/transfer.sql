-- A transfer between two of oltp's rows: what one user adds to k, another loses.
\set from random(1, :rows)
\set to random(1, :rows)
\set amount random(1, 100)
BEGIN;
UPDATE sbtest1 SET k = k - :amount WHERE id = :from;
UPDATE sbtest1 SET k = k + :amount WHERE id = :to;
SELECT k FROM sbtest1 WHERE id = :to;
COMMIT;
