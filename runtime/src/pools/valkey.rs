//! Ledgers in Valkey or Redis, where all handlers of a server see them: TPV's `ValkeyAllocationStore`, with its keys and values, so
//! that both can be used at the same time.
//!
//! A ledger is a hash: the id of a job, and `cores|mem|gpus|kind`. A Lua script admits (`admit.lua`).

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use redis::{
    Client, ClientTlsConfig, Connection, ConnectionLike, IntoConnectionInfo, RedisError, Script, TlsCertificates,
};

use super::configured::ValkeyOptions;
use super::{Admission, Allocation, AllocationStore, Kind, Ledger, StoreError, Usage, ledger_key};
use tpv_literal::parse;

/// The script that admits on the server: its first lines describe keys and arguments.
pub const SCRIPT: &str = include_str!("admit.lua");

/// The store.
pub struct ValkeyAllocationStore {
    client: Client,
    key_prefix: String,
    script: Script,
    answer_timeout: Duration,
    connect_timeout: Duration,
    /// Connections that nobody uses. There are never more than threads that asked at once.
    idle: Mutex<Idle>,
}

/// Connections, of the process that made them: a process that was forked must not speak on those of its parent.
#[derive(Default)]
struct Idle {
    process: u32,
    connections: Vec<Connection>,
}

impl ValkeyAllocationStore {
    /// A store; the server is first reached when it is first asked.
    ///
    /// # Errors
    /// An URL that is not understood, or a certificate that cannot be read.
    pub fn new(options: &ValkeyOptions) -> Result<Self, RedisError> {
        let is_tls = options.url.starts_with("rediss://") || options.url.starts_with("valkeys://");
        let insecure = if is_tls && options.ssl_insecure { "#insecure" } else { "" };
        let mut info = format!("{}{insecure}", options.url).into_connection_info()?;
        let mut login = info.redis_settings().clone();
        // What the URL says wins.
        if let (None, Some(username)) = (login.username(), &options.username) {
            login = login.set_username(username);
        }
        if let (None, Some(password)) = (login.password(), &options.password) {
            login = login.set_password(password);
        }
        if let (0, Some(db)) = (login.db(), options.db) {
            login = login.set_db(db);
        }
        info = info.set_redis_settings(login);
        let read = |path: &Option<String>| path.as_ref().map(std::fs::read).transpose().map_err(RedisError::from);
        let root_cert = read(&options.ssl_ca_certs)?;
        let client_tls = match (read(&options.ssl_certfile)?, read(&options.ssl_keyfile)?) {
            (Some(client_cert), Some(client_key)) => Some(ClientTlsConfig { client_cert, client_key }),
            _ => None,
        };
        let client = if is_tls && (root_cert.is_some() || client_tls.is_some()) {
            Client::build_with_tls(info, TlsCertificates { client_tls, root_cert })?
        } else {
            Client::open(info)?
        };
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds.max(0.001)).unwrap_or(Duration::MAX);
        Ok(Self {
            client,
            key_prefix: options.key_prefix.clone(),
            script: Script::new(SCRIPT),
            answer_timeout: seconds(options.socket_timeout),
            connect_timeout: seconds(options.socket_connect_timeout),
            idle: Mutex::default(),
        })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Idle> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        if idle.process != process {
            *idle = Idle { process, connections: Vec::new() };
        }
        idle
    }

    fn connect(&self) -> Result<Connection, RedisError> {
        let connection = self.client.get_connection_with_timeout(self.connect_timeout)?;
        connection.set_read_timeout(Some(self.answer_timeout))?;
        connection.set_write_timeout(Some(self.answer_timeout))?;
        Ok(connection)
    }

    /// Asks over a connection that is there, or a new one. A server that was started again has closed the old ones: then a new one
    /// is tried. What is asked may so be done twice, which changes nothing.
    fn ask<T>(&self, ask: impl Fn(&mut Connection) -> Result<T, RedisError>) -> Result<T, StoreError> {
        let unavailable = |error: RedisError| StoreError::Unavailable(error.to_string());
        let kept = self.idle().connections.pop();
        if let Some(connection) = kept {
            match self.ask_over(connection, &ask) {
                // The other connections are as old.
                Err(error) if error.is_io_error() && !error.is_timeout() => self.idle().connections.clear(),
                answer => return answer.map_err(unavailable),
            }
        }
        let connection = self.connect().map_err(unavailable)?;
        self.ask_over(connection, &ask).map_err(unavailable)
    }

    /// Asks over a connection, and keeps it where it still works: after a timeout an answer may come that belongs to no question.
    fn ask_over<T>(
        &self,
        mut connection: Connection,
        ask: impl Fn(&mut Connection) -> Result<T, RedisError>,
    ) -> Result<T, RedisError> {
        let answer = ask(&mut connection);
        if !answer.as_ref().is_err_and(RedisError::is_io_error) && connection.is_open() {
            self.idle().connections.push(connection);
        }
        answer
    }
}

impl AllocationStore for ValkeyAllocationStore {
    fn read(&self, pool: &str, user: i64) -> Result<Ledger, StoreError> {
        let key = ledger_key(&self.key_prefix, pool, user);
        let entries: Vec<(String, String)> =
            self.ask(|connection| redis::cmd("HGETALL").arg(&key).query(connection))?;
        let entry = |(id, text): (String, String)| Ok((job_id(&id)?, allocation(&text)?));
        entries.into_iter().map(entry).collect::<Result<_, String>>().map_err(StoreError::Malformed)
    }

    fn admit_many(&self, user: i64, job: i64, admissions: &[Admission]) -> Result<bool, StoreError> {
        if admissions.is_empty() {
            return Ok(true);
        }
        let mut call = self.script.prepare_invoke();
        call.arg(job);
        for admission in admissions {
            let Admission { pool, usage, kind, budget, max_oversize, reserve_pool, finished } = admission;
            call.key(ledger_key(&self.key_prefix, pool, user)).arg(kind.name());
            for asked in [usage.cores, usage.mem, usage.gpus] {
                call.arg(number(asked));
            }
            for most in [budget.cores, budget.mem, budget.gpus] {
                call.arg(number(most.unwrap_or(-1.0)));
            }
            call.arg(*max_oversize).arg(i32::from(*reserve_pool)).arg(finished.len());
            finished.iter().for_each(|id| {
                call.arg(*id);
            });
        }
        self.ask(|connection| call.invoke(connection))
    }
}

/// A number that Lua reads as the same number.
fn number(value: f64) -> String {
    format!("{value:?}")
}

fn job_id(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("invalid literal for int() with base 10: '{text}'"))
}

/// The allocation of an entry `cores|mem|gpus|kind`. Others are errors in TPV's words.
fn allocation(text: &str) -> Result<Allocation, String> {
    let fields: Vec<&str> = text.split('|').collect();
    let [cores, mem, gpus, kind] = fields[..] else {
        return Err(match fields.len() {
            5.. => "too many values to unpack (expected 4)".to_owned(),
            found => format!("not enough values to unpack (expected 4, got {found})"),
        });
    };
    let number = |text: &str| parse::float(text).ok_or_else(|| format!("could not convert string to float: '{text}'"));
    let usage = Usage { cores: number(cores)?, mem: number(mem)?, gpus: number(gpus)? };
    Ok(Allocation { usage, kind: Kind::from_name(kind) })
}
