\set z random_zipfian(1, 1000, 1.2)
\set e random_exponential(1, 1000, 5.0)
\set g random_gaussian(1, 1000, 2.5)
\set u random(1, 1000)
INSERT INTO taken VALUES ('zipfian', :z), ('exponential', :e), ('gaussian', :g), ('uniform', :u);
