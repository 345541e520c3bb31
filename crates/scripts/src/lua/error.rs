//! Errors of Lua's as messages for users.

/// An error of Lua's, without the stack behind it.
pub fn message(error: &mlua::Error) -> String {
    let text = match error {
        mlua::Error::CallbackError { cause, .. } => message(cause),
        mlua::Error::RuntimeError(text) => text.clone(),
        mlua::Error::SyntaxError { message, .. } => message.clone(),
        other => other.to_string(),
    };
    let end = text.find("\nstack traceback:").unwrap_or(text.len());
    text[..end]
        .trim_start_matches("runtime error: ")
        .to_string()
}
