//! Config texts over http and https.

use std::time::{Duration, Instant};

use super::redirect::redirected;
use super::url::redacted;
use super::{Limits, SourceError, read_limited};

/// The number of redirects followed, as by the `requests` library.
const MOST_REDIRECTS: usize = 30;

/// The body behind an http or https URL. Redirects are followed, as the `requests` library does for TPV, but for those that
/// leave http and https or go from https to http.
///
/// # Errors
/// A connection that fails, a status other than `200`, and a body that is too big or comes too slowly.
///
/// DIFFERENCE: TPV reads the body whatever the status is, so that an error page becomes the config, and waits without
/// limit. Both end in an error here.
pub fn fetch(url: &str, limits: &Limits) -> Result<Vec<u8>, SourceError> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .max_redirects(0)
        .user_agent(concat!("tpvc/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let started = Instant::now();
    let mut url = url.to_owned();
    for _ in 0..=MOST_REDIRECTS {
        let left = limits.time.saturating_sub(started.elapsed()).max(Duration::from_millis(1));
        let request = agent.get(&url).config().timeout_global(Some(left)).build();
        let mut response = request.call().map_err(|error| explain(error, &url, limits))?;
        let status = response.status();
        // Of the successes, only these two have the whole text: `206` is a part of it.
        if matches!(status.as_u16(), 200 | 203) {
            let body = read_limited(response.body_mut().as_reader(), limits.bytes);
            let body = body.map_err(|error| explain(error.into(), &url, limits))?;
            return body.ok_or(SourceError::TooBig(limits.bytes));
        }
        let location = response.headers().get("location").and_then(|location| location.to_str().ok());
        let Some(location) = location.filter(|_| matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)) else {
            return Err(SourceError::Status(status.as_u16()));
        };
        url = redirected(&url, location).map_err(SourceError::Redirect)?;
    }
    Err(SourceError::Redirect(format!("the server redirects more than {MOST_REDIRECTS} times")))
}

fn explain(error: ureq::Error, url: &str, limits: &Limits) -> SourceError {
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
        other => SourceError::Transfer(other.to_string().replace(url, &redacted(url))),
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

    fn redirect(location: &str) -> String {
        let head =
            format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        serve(move |stream| {
            let _ = stream.write_all(head.as_bytes());
        })
    }

    #[test]
    fn redirects_are_followed_over_http_alone() {
        let target = respond("200 OK", b"tools: {}\n".to_vec());
        assert_eq!(load(&redirect(&target), &Limits::default()).unwrap(), "tools: {}\n");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret.yml");
        std::fs::write(&path, "tools: {}\n").unwrap();
        let file = format!("file://{}", path.display());
        let expected = format!("the server redirects to `{file}`, which isn't an http or https address");
        assert_eq!(load(&redirect(&file), &Limits::default()).unwrap_err(), expected);
    }

    #[test]
    fn no_name_of_a_text_holds_a_password() {
        let url = respond("200 OK", b"tools: {}\n".to_vec()).replace("http://", "http://user:secret@");
        let mut sources = SourceMap::new();
        let id = sources.load(&url, &Limits::default()).unwrap();
        assert_eq!(*sources.get(id).unwrap().name, *url.replace("user:secret@", "***@"));
    }

    #[test]
    fn only_a_whole_text_is_a_config() {
        let limits = Limits { time: Duration::from_secs(2), ..Limits::default() };
        let refused = |status: &'static str| load(&respond(status, b"tools: {}\n".to_vec()), &limits).unwrap_err();
        assert_eq!(refused("206 Partial Content"), "the server answered with status 206, a part of the text");
        for status in
            ["201 Created", "202 Accepted", "226 IM Used", "300 Multiple Choices", "304 Not Modified", "500 No"]
        {
            assert_eq!(refused(status), format!("the server answered with status {}", &status[..3]));
        }
        // A body that ends before its length, and one that never ends.
        let cut = serve(|stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\ntools: {}\n");
        });
        assert!(load(&cut, &limits).is_err());
        let slow = serve(|stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
            while stream.write_all(b"#").is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        assert_eq!(load(&slow, &limits).unwrap_err(), "no complete answer within 2 s");
    }

    /// Each server answers once all have been asked.
    #[test]
    fn texts_are_fetched_side_by_side_and_stay_in_order() {
        use std::sync::{Arc, Barrier};
        let asked = Arc::new(Barrier::new(3));
        let urls = [0, 1, 2].map(|number| {
            let asked = asked.clone();
            serve(move |stream| {
                asked.wait();
                let (status, body) = if number == 1 { ("404 Not Found", "") } else { ("200 OK", "tools: {}\n") };
                let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            })
        });
        let mut sources = SourceMap::new();
        let names = [&*urls[0], "no/such/file.yml", &*urls[1], &*urls[2]];
        let loaded = sources.load_all(&names, &Limits { time: Duration::from_secs(10), ..Limits::default() });
        let said = loaded.into_iter().map(|loaded| match loaded {
            Ok(id) => sources.get(id).unwrap().name.to_string(),
            Err(error) => error.to_string(),
        });
        let expected = [&*urls[0], "no such file", "the server answered with status 404", &*urls[2]];
        assert_eq!(said.collect::<Vec<_>>(), expected);
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
            "is not UTF-8 text: the byte 0xFF in line 1 isn't part of a character"
        );
        let url = serve(|_| std::thread::sleep(Duration::from_secs(3)));
        assert_eq!(load(&url, &limits).unwrap_err(), "no complete answer within 1 s");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        drop(listener);
        assert_eq!(load(&url, &limits).unwrap_err(), "the server refused the connection");
    }
}
