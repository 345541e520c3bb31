-- texts of the command line that are SQL, and no values
INSERT INTO taken SELECT 'list', sum(aid) FROM pgbench_accounts WHERE aid IN (:list);
INSERT INTO taken SELECT 'condition', count(*) FROM pgbench_accounts WHERE :condition;
INSERT INTO taken SELECT 'order', aid FROM pgbench_accounts ORDER BY :column :direction LIMIT 1;
INSERT INTO taken VALUES (:text, 1);
