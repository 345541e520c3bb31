//! Result files that are either complete under their own name or recognisable as parts.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Written as `NAME.part` and renamed when complete.
pub struct ResultFile {
    out: BufWriter<Box<dyn Write>>,
    /// Its name until it is complete, and then; None: it is thrown away.
    names: Option<(PathBuf, PathBuf)>,
}

impl ResultFile {
    /// Without a folder, what is written is thrown away.
    pub fn create(folder: Option<&Path>, name: &str) -> io::Result<ResultFile> {
        let names = folder.map(|folder| (folder.join(format!("{name}.part")), folder.join(name)));
        let out: Box<dyn Write> = match &names {
            Some((part, _)) => Box::new(File::create(part)?),
            None => Box::new(io::sink()),
        };
        Ok(ResultFile {
            out: BufWriter::with_capacity(64 * 1024, out),
            names,
        })
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.out.flush()?;
        match &self.names {
            Some((part, complete)) => fs::rename(part, complete),
            None => Ok(()),
        }
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

/// A CSV file that is there once there is a row, as most runs have none.
pub struct RareFile {
    folder: Option<PathBuf>,
    name: &'static str,
    header: &'static str,
    file: Option<ResultFile>,
}

impl RareFile {
    /// Without a folder, what is written is thrown away.
    pub fn new(folder: Option<&Path>, name: &'static str, header: &'static str) -> RareFile {
        RareFile {
            folder: folder.map(Path::to_path_buf),
            name,
            header,
            file: None,
        }
    }

    /// Whether the file will never be read.
    pub fn is_thrown_away(&self) -> bool {
        self.folder.is_none()
    }

    /// To write rows to.
    pub fn rows(&mut self) -> io::Result<&mut ResultFile> {
        match &mut self.file {
            Some(file) => Ok(file),
            none => {
                let mut file = ResultFile::create(self.folder.as_deref(), self.name)?;
                writeln!(file, "{}", self.header)?;
                Ok(none.insert(file))
            }
        }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| file.flush())
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), ResultFile::finish)
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
        let mut file = ResultFile::create(Some(&folder), "a.csv").unwrap();
        file.write_all(b"x").unwrap();
        assert!(!folder.join("a.csv").exists());
        file.finish().unwrap();
        assert_eq!(fs::read(folder.join("a.csv")).unwrap(), b"x");
        assert!(!folder.join("a.csv.part").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
