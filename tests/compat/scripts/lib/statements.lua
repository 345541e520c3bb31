local statements = {one = "SELECT 1"}

function statements.list(numbers)
   return "SELECT " .. table.concat(numbers, ", ")
end

return statements
