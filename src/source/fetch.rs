//! Config texts over http and https.

use std::time::Duration;

use super::{SourceError, read_limited};

/// What reading one source may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The size of one text, in bytes.
    pub bytes: u64,
    /// The time one transfer may take, from the name lookup to the last byte.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 64 << 20, time: Duration::from_secs(30) }
    }
}

/// The body behind an http or https URL. Redirects are followed, as the `requests` library does for TPV.
///
/// # Errors
/// A connection that fails, a status other than success, and a body that is too big or comes too slowly.
///
/// DIFFERENCE: TPV reads the body whatever the status is, so that an error page becomes the config, and waits without
/// limit. Both end in an error here.
pub fn fetch(url: &str, limits: &Limits) -> Result<Vec<u8>, SourceError> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(limits.time))
        .user_agent(concat!("tpvc/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let mut response = agent.get(url).call().map_err(|error| explain(error, limits))?;
    let body = read_limited(response.body_mut().as_reader(), limits.bytes);
    body.map_err(|error| explain(error.into(), limits))?.ok_or(SourceError::TooBig(limits.bytes))
}

fn explain(error: ureq::Error, limits: &Limits) -> SourceError {
    use std::io::ErrorKind;
    match error {
        ureq::Error::StatusCode(status) => SourceError::Status(status),
        ureq::Error::Timeout(_) => SourceError::Timeout(limits.time.as_secs()),
        ureq::Error::HostNotFound => SourceError::UnknownHost,
        ureq::Error::Io(error) => match error.kind() {
            ErrorKind::ConnectionRefused => SourceError::Refused,
            ErrorKind::TimedOut => SourceError::Timeout(limits.time.as_secs()),
            _ => SourceError::Transfer(error.to_string()),
        },
        other => SourceError::Transfer(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::source::SourceMap;

    /// A server on loopback that answers one request with `answer`; gives its URL.
    fn serve(answer: impl FnOnce(&mut TcpStream) + Send + 'static) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/tpv.yml", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            answer(&mut stream);
        });
        url
    }

    fn respond(status: &'static str, body: Vec<u8>) -> String {
        serve(move |stream| {
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&body);
        })
    }

    fn load(url: &str, limits: &Limits) -> Result<String, String> {
        let mut sources = SourceMap::new();
        let id = sources.load(url, limits).map_err(|error| error.to_string())?;
        Ok(sources.get(id).unwrap().text.to_string())
    }

    #[test]
    fn a_config_comes_over_http() {
        let url = respond("200 OK", b"tools: {}\n".to_vec());
        assert_eq!(load(&url, &Limits::default()).unwrap(), "tools: {}\n");
    }

    #[test]
    fn failures_say_what_happened() {
        let limits = Limits { bytes: 1 << 20, time: Duration::from_secs(1) };
        let url = respond("404 Not Found", Vec::new());
        assert_eq!(load(&url, &limits).unwrap_err(), "the server answered with status 404");
        let url = respond("200 OK", vec![b'#'; (1 << 20) + 1]);
        assert_eq!(load(&url, &limits).unwrap_err(), "is larger than 1 MiB");
        let url = respond("200 OK", b"a: \xff".to_vec());
        assert_eq!(
            load(&url, &limits).unwrap_err(),
            "is not UTF-8 text: the byte 0xFF in line 1 is part of no character"
        );
        let url = serve(|_| std::thread::sleep(Duration::from_secs(3)));
        assert_eq!(load(&url, &limits).unwrap_err(), "no complete answer within 1 s");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        drop(listener);
        assert_eq!(load(&url, &limits).unwrap_err(), "the server refused the connection");
    }
}
