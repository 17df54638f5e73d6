//! Text that may be compressed: a reader of plain text, gzip or zstd, told apart by the first bytes and not by a file's name.

use std::fmt;
use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

/// The first bytes of gzip data.
const GZIP: &[u8] = b"\x1f\x8b";
/// The first bytes of zstd data.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// The first bytes of zstd data that start with a frame without text, after a byte from `0x50` to `0x5f`.
const SKIPPABLE: &[u8] = b"\x2a\x4d\x18";
/// The buffer for compressed bytes, in bytes.
const BUFFER: usize = 128 << 10;

/// Reads the text of what another reader gives, as it is or decompressed. Members of gzip data and frames of zstd data that follow one
/// another are one text.
///
/// Reading begins with the first [`Read::read`], and takes no more from a pipe than is there. A fault of compressed
/// data is an error with a [`Damage`] in it, at each further call, too.
pub struct Text<R: Read> {
    state: State<R>,
}

enum State<R: Read> {
    /// The state before the first read.
    New(R),
    Plain(Source<R>),
    Gzip(MultiGzDecoder<BufReader<Source<R>>>),
    Zstd(zstd::stream::read::Decoder<'static, BufReader<Source<R>>>),
    /// After an error of the data.
    Damaged(Damage),
    /// While the state changes.
    Moved,
}

impl<R: Read> Text<R> {
    /// The text of what `reader` gives.
    pub fn new(reader: R) -> Self {
        Self { state: State::New(reader) }
    }

    /// Returns `true` if it is compressed. This reads the first bytes.
    ///
    /// # Errors
    /// Errors of the reader.
    pub fn is_compressed(&mut self) -> io::Result<bool> {
        self.begin()?;
        Ok(!matches!(self.state, State::Plain(_)))
    }

    /// The number of bytes taken from the reader for the text so far.
    pub fn taken(&self) -> u64 {
        match &self.state {
            State::Plain(source) => source.count,
            State::Gzip(decoder) => taken(decoder.get_ref()),
            State::Zstd(decoder) => taken(decoder.get_ref()),
            State::New(_) | State::Damaged(_) | State::Moved => 0,
        }
    }

    /// Reads the first bytes, as many as it takes to tell what they begin.
    fn begin(&mut self) -> io::Result<()> {
        let State::New(reader) = &mut self.state else { return Ok(()) };
        let (mut head, mut length) = ([0; 4], 0);
        while may_be_compressed(head.get(..length).unwrap_or_default()) {
            match reader.read(head.get_mut(length..).unwrap_or_default()) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let State::New(reader) = std::mem::replace(&mut self.state, State::Moved) else { return Ok(()) };
        let source = Source { head, length, given: 0, reader, count: 0, has_failed: false };
        let head = source.head();
        self.state = if head.starts_with(GZIP) {
            State::Gzip(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, source)))
        } else if head.len() == 4 && may_be_zstd(head) {
            State::Zstd(zstd::stream::read::Decoder::with_buffer(BufReader::with_capacity(BUFFER, source))?)
        } else {
            State::Plain(source)
        };
        Ok(())
    }
}

fn may_be_compressed(head: &[u8]) -> bool {
    (head.len() < GZIP.len() && GZIP.starts_with(head)) || may_be_zstd(head)
}

fn may_be_zstd(head: &[u8]) -> bool {
    let skippable = match head {
        [] => true,
        [first, rest @ ..] => first & 0xf0 == 0x50 && SKIPPABLE.starts_with(rest),
    };
    skippable || ZSTD.starts_with(head)
}

impl<R: Read> Read for Text<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.begin()?;
        let (format, read, input) = match &mut self.state {
            State::Plain(source) => return source.read(buffer),
            State::Gzip(decoder) => ("gzip", decoder.read(buffer), decoder.get_ref()),
            State::Zstd(decoder) => ("zstd", decoder.read(buffer), decoder.get_ref()),
            State::Damaged(damage) => return Err(damage.to_error()),
            State::New(_) | State::Moved => return Err(io::Error::other("the reader could not be made")),
        };
        let Err(error) = read else { return read };
        // What the reader itself says, such as a disk's fault, is no fault of the data.
        if input.get_ref().has_failed {
            return Err(error);
        }
        let at = taken(input);
        let is_cut_off = error.kind() == io::ErrorKind::UnexpectedEof;
        let damage = Damage { format, at, reason: (!is_cut_off).then(|| error.to_string().to_lowercase()) };
        let error = damage.to_error();
        self.state = State::Damaged(damage);
        Err(error)
    }
}

fn taken<R>(input: &BufReader<Source<R>>) -> u64 {
    input.get_ref().count - input.buffer().len() as u64
}

/// A reader whose first bytes were read already.
struct Source<R> {
    head: [u8; 4],
    length: usize,
    /// The number of first bytes that were passed on.
    given: usize,
    reader: R,
    /// The number of bytes passed on in all.
    count: u64,
    /// `true` if the reader's last call failed.
    has_failed: bool,
}

impl<R> Source<R> {
    fn head(&self) -> &[u8] {
        self.head.get(self.given..self.length).unwrap_or_default()
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.head() {
            [] => self.reader.read(buffer),
            mut head => {
                let read = head.read(buffer);
                self.given += read.as_ref().unwrap_or(&0);
                read
            }
        };
        self.has_failed = read.is_err();
        self.count += *read.as_ref().unwrap_or(&0) as u64;
        read
    }
}

/// A fault of compressed data.
#[derive(Clone, Debug)]
pub struct Damage {
    /// `gzip` or `zstd`.
    format: &'static str,
    /// The byte of the compressed data that could not be used, or that is not there, from 0.
    at: u64,
    /// The reason that the data cannot be used. `None` if they end too early.
    reason: Option<String>,
}

impl Damage {
    /// The remedy.
    pub fn help(&self) -> String {
        format!("copy or create the file again; `{} -t FILE` checks that it is complete", self.format)
    }

    fn to_error(&self) -> io::Error {
        let kind = if self.reason.is_some() { io::ErrorKind::InvalidData } else { io::ErrorKind::UnexpectedEof };
        io::Error::new(kind, self.clone())
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, at, reason } = self;
        match reason {
            Some(reason) => write!(formatter, "its {format} data are damaged near byte {at}: {reason}"),
            None => write!(formatter, "its {format} data are cut off at byte {at}"),
        }
    }
}

impl std::error::Error for Damage {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use std::io::Write;

    use super::*;

    /// Gives at most `most` bytes a call, and now and then a call that is interrupted.
    struct Slow<'a>(&'a [u8], usize, bool);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.2 = !self.2;
            if self.2 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
        let mut text = Vec::new();
        Text::new(Slow(bytes, most, false)).read_to_end(&mut text).map_err(|error| error.to_string())?;
        Ok(text)
    }

    fn lines() -> Vec<u8> {
        (0..500).flat_map(|number| format!("{{\"id\": {number}}}\n").into_bytes()).collect()
    }

    #[test]
    fn the_first_bytes_tell_what_a_text_is() {
        let text = lines();
        let skippable = b"\x51\x2a\x4d\x18\x02\0\0\0ab";
        for most in [1, 3, 4096] {
            for plain in [&b""[..], b"\n", b"{", b"\x1f", b"\x1f\x1f{}", b"\x28\xb5\x2f", b"P*M", b"P*M{", &text] {
                assert_eq!(read(plain, most).unwrap(), plain);
            }
            for compress in [gzip, zstd] {
                assert_eq!(read(&compress(&text), most).unwrap(), text);
                assert_eq!(
                    read(&[compress(&text), compress(b""), compress(b"{}")].concat(), most).unwrap(),
                    [&text[..], b"{}"].concat()
                );
            }
            assert_eq!(read(&[&skippable[..], &zstd(&text)].concat(), most).unwrap(), text);
        }
        assert!(
            Text::new(&gzip(b"{}")[..]).is_compressed().unwrap() && !Text::new(&b"{}"[..]).is_compressed().unwrap()
        );
    }

    #[test]
    fn a_text_that_is_cut_off_is_an_error_wherever_it_ends() {
        let text = lines();
        for (format, bytes) in [("gzip", gzip(&text)), ("zstd", zstd(&text))] {
            for end in 4..bytes.len() {
                assert_eq!(
                    read(&bytes[..end], 4096).unwrap_err(),
                    format!("its {format} data are cut off at byte {end}")
                );
            }
        }
    }

    #[test]
    fn a_text_that_is_damaged_is_an_error_at_each_call() {
        for (compress, expected) in [
            (gzip as fn(&[u8]) -> Vec<u8>, "its gzip data are damaged near byte "),
            (zstd, "its zstd data are damaged near byte "),
        ] {
            let mut bytes = compress(&lines());
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x55;
            bytes[middle + 1] ^= 0x55;
            let mut reader = Text::new(&bytes[..]);
            let error = io::copy(&mut reader, &mut io::sink()).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{error}");
            assert_eq!(reader.read(&mut [0; 10]).unwrap_err().to_string(), error.to_string());
            let followed = [compress(b"{}\n"), b"this is no header".to_vec()].concat();
            assert!(read(&followed, 4096).unwrap_err().starts_with(expected), "{:?}", read(&followed, 4096));
        }
    }

    #[test]
    fn faults_of_the_reader_stay_what_they_are() {
        struct Failing<'a>(&'a [u8]);
        impl Read for Failing<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                match self.0.read(buffer)? {
                    0 => Err(io::Error::from(io::ErrorKind::StaleNetworkFileHandle)),
                    count => Ok(count),
                }
            }
        }
        for bytes in [gzip(&lines()), zstd(&lines()), lines()] {
            let error = io::copy(&mut Text::new(Failing(&bytes[..bytes.len() / 2])), &mut io::sink()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle);
        }
    }
}
