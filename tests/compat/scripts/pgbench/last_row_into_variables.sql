\set top 5
SELECT aid AS one, abalance FROM pgbench_accounts WHERE aid <= :top ORDER BY aid;
\aset
SELECT bid FROM pgbench_branches WHERE bid = -1 \aset none_
\set two :one + 1
SELECT :two::int + 1;
