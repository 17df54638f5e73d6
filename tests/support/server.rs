//! A web server on loopback whose answers a test changes as it goes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The answer to each request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A status, such as `200 OK`, and a body.
    Body(&'static str, String),
    /// A body that ends before the length that its head promises.
    CutOff(String),
    /// A redirect.
    To(String),
    /// None, for this time.
    Hang(Duration),
    /// None: the connection ends.
    Close,
}

/// The server, which lives as long as the test program.
pub struct Server {
    address: SocketAddr,
    answer: Arc<Mutex<Answer>>,
    asked: Arc<AtomicUsize>,
}

impl Server {
    /// A server that gives a text.
    pub fn of(text: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answer = Arc::new(Mutex::new(Answer::Body("200 OK", text.to_owned())));
        let asked = Arc::new(AtomicUsize::new(0));
        let (shared, count) = (answer.clone(), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let answer = shared.lock().unwrap().clone();
                std::thread::spawn(move || respond(stream, &answer));
            }
        });
        Self { address, answer, asked }
    }

    /// The URL of a name.
    pub fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    /// Changes the answers.
    pub fn gives(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    /// The number of requests so far.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn respond(mut stream: TcpStream, answer: &Answer) {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request);
    let head = |status: &str, length: usize, more: &str| {
        format!("HTTP/1.1 {status}\r\n{more}Content-Length: {length}\r\nConnection: close\r\n\r\n")
    };
    let text = match answer {
        Answer::Body(status, body) => head(status, body.len(), "") + body,
        Answer::CutOff(body) => head("200 OK", body.len() + 100, "") + body,
        Answer::To(location) => head("302 Found", 0, &format!("Location: {location}\r\n")),
        Answer::Hang(time) => return std::thread::sleep(*time),
        Answer::Close => return,
    };
    let _ = stream.write_all(text.as_bytes());
}
