-- what a result or the command line gives is sent as it is written, and counts as a number in expressions
SELECT '00123' AS code, 12345678901234567890.12 AS big, '1e3' AS e, 'TRUE' AS t, 0.1::float8 + 0.2 AS f, 100.00 AS m, '+5' AS pl \gset
\set sum :pl + :zip
\set eight pow(2, 3)
INSERT INTO taken VALUES (':code', :code), (':big', :big), (':e', :e), (':t', :t::int), (':f', :f), (':m', :m), (':pl', :pl);
INSERT INTO taken VALUES (':zip', :zip), (':price', :price), (':sum', :sum), ('div', 10 / :eight), (substr('abcdefghijk', :eight), 0);
