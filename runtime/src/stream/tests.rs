#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;

/// Writes each line in capitals, after its number.
struct Upper;

impl Work for Upper {
    type Tally = usize;

    fn line(&self, number: usize, line: &[u8], output: &mut String, tally: &mut usize) {
        let line = str::from_utf8(line).unwrap().to_ascii_uppercase();
        output.push_str(&format!("{number}:{line}\n"));
        *tally += 1;
    }
}

fn upper(input: &[u8], threads: usize) -> (String, usize) {
    let (mut output, mut bytes) = (Vec::new(), 0);
    let tallies = run(input, &mut output, threads, &Upper, |amount| bytes += amount.bytes).unwrap();
    assert_eq!(bytes, input.len());
    (String::from_utf8(output).unwrap(), tallies.into_iter().sum())
}

#[test]
fn order_is_kept_and_blank_lines_are_counted_but_not_worked_on() {
    for threads in [1, 2, 5] {
        assert_eq!(upper(b"a\n\nb\r\nc", threads), ("1:A\n3:B\n4:C\n".to_owned(), 3));
        assert_eq!(upper(b"", threads), (String::new(), 0));
        assert_eq!(upper(b"\n \r\n", threads), (String::new(), 0));
    }
    let many: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
    let alone = upper(many.as_bytes(), 1);
    assert_eq!(alone.1, 200_000);
    assert!(upper(many.as_bytes(), 2) == alone && upper(many.as_bytes(), 5) == alone);
}

#[test]
fn each_line_is_worked_on_by_one_thread() {
    let many = "the same\n".repeat(500_000);
    let mut output = Vec::new();
    let tallies = run(many.as_bytes(), &mut output, 4, &Upper, |_| {}).unwrap();
    assert_eq!(tallies.iter().sum::<usize>(), 500_000);
    assert!(output.starts_with(b"1:THE SAME\n2:THE SAME\n") && output.ends_with(b"\n500000:THE SAME\n"));
}

#[test]
fn a_line_is_answered_before_the_next_is_there() {
    struct Asking(std::sync::mpsc::Receiver<()>, usize);
    impl Read for Asking {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.1 > 0 {
                self.0.recv_timeout(std::time::Duration::from_secs(60)).expect("an answer to the line before");
            }
            self.1 += 1;
            if self.1 == 50 { Ok(0) } else { (&b"line\n"[..]).read(buffer) }
        }
    }
    struct Answering(std::sync::mpsc::Sender<()>);
    impl Write for Answering {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0.send(()).map_err(io::Error::other)?;
            Ok(text.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for threads in [1, 2, 5] {
        let (answering, asking) = std::sync::mpsc::channel();
        let tallies = run(Asking(asking, 0), Answering(answering), threads, &Upper, |_| {}).unwrap();
        assert_eq!(tallies.into_iter().sum::<usize>(), 49);
    }
}

#[test]
fn what_was_read_before_a_failure_is_answered() {
    struct Failing(usize);
    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 | 3 => Err(io::Error::from(io::ErrorKind::Interrupted)),
                2 => (&b"first\nsec"[..]).read(buffer),
                4 => (&b"ond\nthird"[..]).read(buffer),
                _ => Err(io::Error::from(io::ErrorKind::TimedOut)),
            }
        }
    }
    for threads in [1, 2] {
        let mut output = Vec::new();
        let result = run(Failing(0), &mut output, threads, &Upper, |_| {});
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(output, b"1:FIRST\n2:SECOND\n");
    }
}

#[test]
fn a_line_may_be_longer_than_a_batch() {
    let long = "x".repeat(3 * BATCH);
    for threads in [1, 2] {
        let (output, lines) = upper(format!("a\n{long}\nb\n{long}").as_bytes(), threads);
        assert_eq!(lines, 4);
        let long = long.to_uppercase();
        assert!(output == format!("1:A\n2:{long}\n3:B\n4:{long}\n"));
    }
}

#[test]
fn a_failing_writer_ends_everything() {
    /// Has room again after the first failure, which must not be used: what comes after it would stand in its place.
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            if self.0 == 2 { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(text.len()) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let many = "x\ny\n".repeat(1_000_000);
    for threads in [1, 2, 3] {
        let mut full = Full(0);
        let result = run(many.as_bytes(), &mut full, threads, &Upper, |_| {});
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(full.0, 2);
    }
}

#[test]
fn a_thread_that_panics_ends_everything() {
    struct Failing;
    impl Work for Failing {
        type Tally = ();
        fn line(&self, number: usize, _: &[u8], _: &mut String, (): &mut ()) {
            assert!(number < 300_000, "a fault");
        }
    }
    let many = "x\ny\n".repeat(1_000_000);
    let run = || run(many.as_bytes(), Vec::new(), 3, &Failing, |_| {});
    assert!(std::panic::catch_unwind(run).is_err());
}
