-- columns of a result become variables, of one statement or of the last of several
\set aid :client_id + 1
BEGIN;
SELECT abalance AS balance, bid FROM pgbench_accounts WHERE aid = :aid \gset acc_
\if :acc_balance >= 0
UPDATE pgbench_accounts SET abalance = :acc_balance + :acc_bid WHERE aid = :aid RETURNING abalance AS after \gset
\endif
INSERT INTO taken VALUES ('after', :after);
COMMIT;
SELECT 1 AS a \; SELECT 2 AS a, 'x' AS b \gset
INSERT INTO taken VALUES (':b', :a);
