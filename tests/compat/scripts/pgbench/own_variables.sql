INSERT INTO taken VALUES ('client', :client_id), ('scale', :scale), ('seeds', case when :random_seed > 0 and :default_seed::numeric <> 0 then 1 else 0 end);
