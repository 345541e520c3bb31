-- Modules of a custom folder, one of the old kind, and a file that is loaded.
package.path = package.path .. ";./lib/?.lua"
local statements = require("statements")
require("counting")
dofile("lib/connecting.lua")

function event()
   con:query(statements.one)
   con:query(statements.list(counting.up_to(3)))
end
