//! Filters of system calls (seccomp(2)): their statements, and how they are handed to the kernel.

use anyhow::{Context, Result};

/// Where the kernel puts what it knows of a call (struct seccomp_data).
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// A filter, statement by statement. Jumps only go forward, and say how many statements they pass over.
#[derive(Clone, Default)]
pub struct Filter {
    statements: Vec<libc::sock_filter>,
}

impl Filter {
    pub fn load_number(&mut self) {
        self.load(NUMBER);
    }

    pub fn load_architecture(&mut self) {
        self.load(ARCHITECTURE);
    }

    /// The lower half of an argument, where a little-endian machine has it.
    pub fn load_argument(&mut self, index: u32) {
        self.load(ARGUMENTS + 8 * index);
    }

    /// Passes over `equal` statements where what was loaded is this value, else over `other`.
    pub fn jump_equal(&mut self, value: u32, equal: usize, other: usize) {
        self.jump(libc::BPF_JEQ, value, equal, other);
    }

    /// As `jump_equal`, where it is this value or more.
    pub fn jump_from(&mut self, value: u32, from: usize, below: usize) {
        self.jump(libc::BPF_JGE, value, from, below);
    }

    /// As `jump_equal`, where it has any of these bits.
    pub fn jump_any_bit(&mut self, bits: u32, any: usize, none: usize) {
        self.jump(libc::BPF_JSET, bits, any, none);
    }

    /// The end: what the kernel does with the call.
    pub fn answer(&mut self, action: u32) {
        self.push(libc::BPF_RET | libc::BPF_K, action, 0, 0);
    }

    /// The end: the call fails with this error.
    pub fn refuse(&mut self, error: i32) {
        self.answer(libc::SECCOMP_RET_ERRNO | error as u32);
    }

    /// Puts it in force for this process and all that it becomes or starts; what the kernel returns.
    ///
    /// Processes under a filter pay for no defence against speculation that they did without before
    /// (SECCOMP_FILTER_FLAG_SPEC_ALLOW): kernels before 5.16 would slow them down.
    pub fn install(mut self, flags: libc::c_ulong) -> Result<i64> {
        let program = libc::sock_fprog {
            len: u16::try_from(self.statements.len()).context("the filter is too long")?,
            filter: self.statements.as_mut_ptr(),
        };
        // SAFETY: plain numbers
        if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
            return Err(std::io::Error::last_os_error()).context("cannot give up privileges");
        }
        // SAFETY: the program outlives the call, which copies it
        let done = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags | libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                &raw const program,
            )
        };
        if done < 0 {
            return Err(std::io::Error::last_os_error())
                .context("the kernel does not support filters of a program's system calls");
        }
        Ok(done)
    }

    fn load(&mut self, offset: u32) {
        self.push(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0);
    }

    fn jump(&mut self, test: u32, value: u32, yes: usize, no: usize) {
        let code = libc::BPF_JMP | test | libc::BPF_K;
        self.push(code, value, yes, no);
    }

    fn push(&mut self, code: u32, k: u32, yes: usize, no: usize) {
        let short = |jump: usize| u8::try_from(jump).expect("jumps are below 256");
        self.statements.push(libc::sock_filter {
            code: code as u16,
            jt: short(yes),
            jf: short(no),
            k,
        });
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What a filter answers for a call, executed by hand as the kernel would.
    pub fn answer(filter: &Filter, architecture: u32, number: u32, arguments: [u32; 6]) -> u32 {
        let (mut at, mut loaded) = (0, 0);
        loop {
            let one = &filter.statements[at];
            let code = u32::from(one.code);
            let yes = match code & !libc::BPF_K {
                _ if code == libc::BPF_RET | libc::BPF_K => return one.k,
                _ if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS => {
                    loaded = match one.k {
                        NUMBER => number,
                        ARCHITECTURE => architecture,
                        offset => arguments[(offset - ARGUMENTS) as usize / 8],
                    };
                    at += 1;
                    continue;
                }
                jump if jump == libc::BPF_JMP | libc::BPF_JEQ => loaded == one.k,
                jump if jump == libc::BPF_JMP | libc::BPF_JGE => loaded >= one.k,
                jump if jump == libc::BPF_JMP | libc::BPF_JSET => loaded & one.k != 0,
                other => panic!("no statement of ours: {other}"),
            };
            at += 1 + usize::from(if yes { one.jt } else { one.jf });
        }
    }
}
