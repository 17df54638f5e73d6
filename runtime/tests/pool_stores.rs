//! The stores of resource pools: the same calls have the same results in both, and ledgers in Valkey are those of TPV.
//!
//! The tests of Valkey need `redis-server` or `valkey-server` on the path; without one they say so and pass, unless
//! `TPVC_REQUIRE_VALKEY` is set. Each starts a server of its own.

#![cfg(feature = "valkey")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tpv_runtime::pools::configured::{OptionValue, ValkeyOptions};
use tpv_runtime::pools::memory::InMemoryAllocationStore;
use tpv_runtime::pools::valkey::ValkeyAllocationStore;
use tpv_runtime::pools::{Admission, Allocation, AllocationStore, Budget, Kind, Ledger, StoreError, Usage};

/// A server that ends with the test.
struct Server {
    process: Option<Child>,
    folder: std::path::PathBuf,
    port: u16,
}

impl Server {
    fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = std::env::temp_dir().join(format!("tpvc-valkey-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut server = Self { process: None, folder, port };
        server.up().then_some(server)
    }

    /// Starts the process; what it had in memory before is written by [`Server::down`].
    fn up(&mut self) -> bool {
        let start = |program: &str| {
            Command::new(program)
                .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"])
                .args(["--appendfsync", "always", "--dir"])
                .arg(&self.folder)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
        };
        let started = start("valkey-server").or_else(|_| start("redis-server"));
        let Ok(process) = started else {
            assert!(
                std::env::var_os("TPVC_REQUIRE_VALKEY").is_none(),
                "neither valkey-server nor redis-server is there"
            );
            eprintln!("left out: neither valkey-server nor redis-server is on the path");
            return false;
        };
        self.process = Some(process);
        let until = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < until, "the server does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }

    /// Kills the process.
    fn down(&mut self) {
        let mut process = self.process.take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    fn store(&self) -> ValkeyAllocationStore {
        let url = format!("valkey://127.0.0.1:{}/0", self.port);
        let options = [("url", OptionValue::Text(url)), ("socket_timeout", OptionValue::Number(10.0))];
        ValkeyAllocationStore::new(&ValkeyOptions::new(options).unwrap()).unwrap()
    }

    fn connection(&self) -> redis::Connection {
        redis::Client::open(format!("redis://127.0.0.1:{}/0", self.port)).unwrap().get_connection().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.process.is_some() {
            self.down();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn usage(cores: f64, mem: f64, gpus: f64) -> Usage {
    Usage { cores, mem, gpus }
}

fn admission(pool: &str, usage: Usage, kind: Kind, budget: Budget) -> Admission {
    let pool = pool.to_owned();
    Admission { pool, usage, kind, budget, max_oversize: 1, reserve_pool: false, finished: BTreeSet::new() }
}

fn cores(pool: &str, asked: f64, most: f64) -> Admission {
    admission(pool, usage(asked, 0.0, 0.0), Kind::Normal, Budget { cores: Some(most), ..Budget::default() })
}

fn ledger(store: &dyn AllocationStore, pool: &str, user: i64) -> Ledger {
    let mut ledger = store.read(pool, user).unwrap();
    ledger.sort_by_key(|(id, _)| *id);
    ledger
}

/// The numbers of CPython's or anybody's `random`: only that they differ counts.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % end
    }

    fn amount(&mut self) -> f64 {
        [0.0, 0.1, 0.25, 1.0, 2.0, 3.0, 4.0, 7.6, 15.2, 1e-3, 123_456.789, 1e15][self.below(12) as usize]
    }

    fn bound(&mut self) -> Option<f64> {
        [None, Some(0.0), Some(0.3), Some(4.0), Some(8.5), Some(1e6), Some(f64::INFINITY)][self.below(7) as usize]
    }
}

#[test]
fn both_stores_decide_alike() {
    let Some(server) = Server::start() else { return };
    let (memory, valkey) = (InMemoryAllocationStore::default(), server.store());
    let seed = std::env::var("TPVC_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_122);
    println!("TPVC_SEED={seed}");
    let mut random = Random(seed);
    let (mut granted, mut refused) = (0, 0);
    for _ in 0..4000 {
        let (user, job) = (random.below(3) as i64, (1 << 53) + random.below(12) as i64);
        let mut pools = vec!["a", "b", "über", "a b:c"];
        pools.retain(|_| random.below(2) == 0);
        let admissions: Vec<Admission> = pools
            .into_iter()
            .map(|pool| Admission {
                pool: pool.to_owned(),
                usage: usage(random.amount(), random.amount(), random.amount()),
                kind: if random.below(4) == 0 { Kind::Oversize } else { Kind::Normal },
                budget: Budget { cores: random.bound(), mem: random.bound(), gpus: random.bound() },
                max_oversize: random.below(4) as i64 - 1,
                reserve_pool: random.below(4) == 0,
                finished: (0..random.below(3)).map(|_| (1 << 53) + random.below(12) as i64).collect(),
            })
            .collect();
        let answer = valkey.admit_many(user, job, &admissions).unwrap();
        assert_eq!(memory.admit_many(user, job, &admissions).unwrap(), answer, "{admissions:?}");
        *(if answer { &mut granted } else { &mut refused }) += 1;
        for pool in ["a", "b", "über", "a b:c"] {
            assert_eq!(ledger(&memory, pool, user), ledger(&valkey, pool, user), "{pool} {user} after {admissions:?}");
        }
    }
    assert!(granted > 500 && refused > 500, "{granted} {refused}");
}

#[test]
fn ledgers_are_those_of_tpv() {
    let Some(server) = Server::start() else { return };
    let store = server.store();
    let mut connection = server.connection();
    let key = "tpv:pool:default:user:{7}";
    let unlimited = Budget::default();
    for (job, kind, asked) in [
        (1, Kind::Normal, usage(4.0, 15.2, 0.0)),
        (2, Kind::Oversize, usage(0.1, 1e15, 1.0 / 3.0)),
        (3, Kind::Normal, usage(1e100, f64::INFINITY, -0.0)),
    ] {
        assert!(store.admit_many(7, job, &[admission("default", asked, kind, unlimited)]).unwrap());
    }
    let mut entries: Vec<(String, String)> = redis::cmd("HGETALL").arg(key).query(&mut connection).unwrap();
    entries.sort();
    let expected =
        [("1", "4|15.2|0|normal"), ("2", "0.1|1e+15|0.33333333333333|oversize"), ("3", "1e+100|inf|-0|normal")];
    let expected: Vec<(String, String)> = expected.map(|(id, text)| (id.to_owned(), text.to_owned())).into();
    assert_eq!(entries, expected);
    // What TPV, or an older version of it, wrote is read, and never expires.
    let _: () = redis::cmd("HSET").arg(key).arg(4).arg("2.5|3|1|normal").query(&mut connection).unwrap();
    let _: () = redis::cmd("EXPIRE").arg(key).arg(3600).query(&mut connection).unwrap();
    let four = store.read("default", 7).unwrap().into_iter().find(|(id, _)| *id == 4).unwrap().1;
    assert_eq!(four, Allocation { usage: usage(2.5, 3.0, 1.0), kind: Kind::Normal });
    assert!(!store.admit_many(7, 5, &[cores("default", 1.0, 3.0)]).unwrap());
    let ttl: i64 = redis::cmd("TTL").arg(key).query(&mut connection).unwrap();
    assert_eq!(ttl, -1);
}

#[test]
fn what_is_no_allocation_is_an_error() {
    let Some(server) = Server::start() else { return };
    let store = server.store();
    let mut connection = server.connection();
    for (text, message) in [
        ("1|2|3", "not enough values to unpack (expected 4, got 3)"),
        ("1|2|3|normal|", "too many values to unpack (expected 4)"),
        ("1|x|3|normal", "could not convert string to float: 'x'"),
    ] {
        let _: () = redis::cmd("HSET").arg("tpv:pool:p:user:{1}").arg(1).arg(text).query(&mut connection).unwrap();
        let Err(StoreError::Malformed(what)) = store.read("p", 1) else { panic!("{text}") };
        assert_eq!(what, message);
    }
    let _: () = redis::cmd("SET").arg("tpv:pool:q:user:{1}").arg(1).query(&mut connection).unwrap();
    assert!(matches!(store.read("q", 1), Err(StoreError::Unavailable(_))));
    assert!(matches!(store.admit_many(1, 1, &[cores("q", 1.0, 2.0)]), Err(StoreError::Unavailable(_))));
}

#[test]
fn threads_never_pass_a_budget() {
    let Some(server) = Server::start() else { return };
    let stores: [Arc<dyn AllocationStore>; 2] =
        [Arc::new(InMemoryAllocationStore::default()), Arc::new(server.store())];
    for store in stores {
        let granted = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (store, granted) = (&store, &granted);
                scope.spawn(move || {
                    for job in 0..50 {
                        let both = [cores("a", 1.0, 32.0), cores("b", 1.0, 1000.0)];
                        if store.admit_many(1, 1 + thread * 50 + job, &both).unwrap() {
                            granted.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(granted.into_inner(), 32);
        let ids = |pool| ledger(&*store, pool, 1).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!(ids("a").len(), 32);
        assert_eq!(ids("a"), ids("b"));
    }
}

#[test]
fn nothing_is_admitted_without_the_server() {
    let Some(mut server) = Server::start() else { return };
    let store = server.store();
    assert!(store.admit_many(1, 1, &[cores("p", 2.0, 4.0)]).unwrap());
    server.down();
    let asked = Instant::now();
    assert!(matches!(store.read("p", 1), Err(StoreError::Unavailable(_))));
    assert!(matches!(store.admit_many(1, 2, &[cores("p", 1.0, 4.0)]), Err(StoreError::Unavailable(_))));
    assert!(asked.elapsed() < Duration::from_secs(5));
    assert!(server.up());
    // The script is gone with the process, the ledger is not.
    assert!(store.admit_many(1, 3, &[cores("p", 2.0, 4.0)]).unwrap());
    assert!(!store.admit_many(1, 4, &[cores("p", 1.0, 4.0)]).unwrap());
    let ids: Vec<i64> = ledger(&store, "p", 1).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [1, 3]);
}

#[test]
fn a_server_that_says_nothing_is_away() {
    // It takes connections, and nobody answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "redis://127.0.0.1:{}?socket_timeout=0.2&socket_connect_timeout=0.2",
        listener.local_addr().unwrap().port()
    );
    let store = ValkeyAllocationStore::new(&ValkeyOptions::new([("url", OptionValue::Text(url))]).unwrap()).unwrap();
    let asked = Instant::now();
    assert!(matches!(store.read("p", 1), Err(StoreError::Unavailable(_))));
    assert!(asked.elapsed() < Duration::from_secs(3));
}
