//! Result files that are either complete under their own name or recognisable as parts.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Written as `NAME.part` and renamed when complete.
pub struct ResultFile {
    out: BufWriter<File>,
    part: PathBuf,
    complete: PathBuf,
}

impl ResultFile {
    pub fn create(folder: &Path, name: &str) -> io::Result<ResultFile> {
        let part = folder.join(format!("{name}.part"));
        Ok(ResultFile {
            out: BufWriter::with_capacity(64 * 1024, File::create(&part)?),
            part,
            complete: folder.join(name),
        })
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.out.flush()?;
        fs::rename(&self.part, &self.complete)
    }
}

impl Write for ResultFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A fresh folder that the test's name makes its own.
    pub fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("fivenines-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn is_a_part_until_finished() {
        let folder = folder("file");
        let mut file = ResultFile::create(&folder, "a.csv").unwrap();
        file.write_all(b"x").unwrap();
        assert!(!folder.join("a.csv").exists());
        file.finish().unwrap();
        assert_eq!(fs::read(folder.join("a.csv")).unwrap(), b"x");
        assert!(!folder.join("a.csv.part").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
