BEGIN \; UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = 7 \; COMMIT;
SELECT abalance FROM pgbench_accounts WHERE aid = 7;
