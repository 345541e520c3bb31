//! Where a script's files are: its own chunk, modules, what it loads.

use super::core::Core;
use mlua::{Function, Lua, Table};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where sysbench's own scripts and modules are installed.
const INSTALLED: &str = "/usr/share/sysbench/?.lua";

/// What sysbench puts before Lua's own `package.path`: relative ones, then those of luarocks in the user's home.
const RELATIVE: [&str; 3] = ["./?.lua", "./?/init.lua", "./src/lua/?.lua"];
const ROCKS: [&str; 2] = [
    ".luarocks/share/lua/5.1/?.lua",
    ".luarocks/share/lua/5.1/?/init.lua",
];
const USUAL: [&str; 2] = ["/usr/local/share/lua/5.1/?.lua", "/usr/share/lua/5.1/?.lua"];

/// Adds what the prelude asks for: `chunk(path)`, the script's `folder`, and sysbench's `path` of modules.
pub fn register(lua: &Lua, core: &Rc<Core>, script: &Path, table: &Table) -> mlua::Result<()> {
    let held = Rc::clone(core);
    let chunk = move |lua: &Lua, path: String| -> mlua::Result<Option<Function>> {
        let factory = factory(lua, &held, Path::new(&path))?;
        factory.map(|factory| factory.call(())).transpose()
    };
    table.raw_set("chunk", lua.create_function(chunk)?)?;
    let folder = match script.parent() {
        Some(parent) if parent != Path::new("") => format!("{}/", parent.display()),
        _ => String::new(),
    };
    table.raw_set("folder", folder)?;
    table.raw_set("path", search_path())
}

/// As sysbench 1.0.20 has it; LUA_PATH comes first, as with Lua.
fn search_path() -> String {
    let mut all: Vec<String> = RELATIVE.map(str::to_string).to_vec();
    if let Some(home) = std::env::var_os("HOME") {
        let home = PathBuf::from(home);
        all.extend(ROCKS.map(|path| home.join(path).display().to_string()));
    }
    all.extend(USUAL.map(str::to_string));
    all.push(INSTALLED.to_string());
    let usual = all.join(";");
    match std::env::var("LUA_PATH") {
        Ok(own) if own.contains(";;") => own.replacen(";;", &format!(";{usual};"), 1),
        Ok(own) => format!("{own};{usual}"),
        Err(_) => usual,
    }
}

/// What makes a new closure of a file's chunk, each with separate globals; None without such a file. The code
/// itself is compiled once.
pub fn factory(lua: &Lua, core: &Core, path: &Path) -> mlua::Result<Option<Function>> {
    if let Some(known) = core.modules.borrow().get(path) {
        return Ok(Some(known.clone()));
    }
    if !path.is_file() {
        return Ok(None);
    }
    let cannot = |error| format!("cannot read {}: {error}", path.display());
    let source = std::fs::read(path).map_err(|error| mlua::Error::runtime(cannot(error)))?;
    let text = String::from_utf8_lossy(&source);
    let words = ["fetch_row", "query_row", "nrows", "nfields"];
    if words.iter().any(|word| text.contains(word)) {
        core.fetches.set(true);
    }
    let source = match source.starts_with(b"#") {
        // As Lua does with files: a first line for the shell is skipped.
        true => [b"--".as_slice(), &source].concat(),
        false => source,
    };
    let name = format!("@{}", path.display());
    // Alone first: an error of its syntax is then where it is.
    lua.load(source.as_slice())
        .set_name(&name)
        .into_function()?;
    let wrapped = [b"return function(...) ".as_slice(), &source, b"\nend"].concat();
    let factory = lua.load(wrapped).set_name(name).into_function()?;
    core.modules
        .borrow_mut()
        .insert(path.to_path_buf(), factory.clone());
    Ok(Some(factory))
}
