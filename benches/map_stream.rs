//! Measures mapping from lines of JSON to lines of JSON, on one thread and on all, against reading and writing the same
//! lines without mapping.

#![allow(clippy::expect_used, reason = "a benchmark that cannot start has nothing to report")]

mod support;

use std::sync::Arc;

use tpv_galaxy::job::Job;
use tpv_galaxy::json::{Json, Reader, write_text};
use tpv_galaxy::world::World;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::stream::{self, Work};

struct Map<'a> {
    mapper: Mapper,
    world: &'a Arc<World>,
}

impl Work for Map<'_> {
    type Tally = ();

    fn line(&self, _: usize, line: &[u8], output: &mut String, (): &mut ()) {
        let line = std::str::from_utf8(line).expect("text");
        let job = Job::parse(line).expect("a job");
        self.mapper.map(&job.into(), self.world).write_line(output);
    }
}

fn main() {
    let workload = support::workload();
    let mapper = workload.mapper();
    let expected = workload.answers(&mapper);
    support::check(&expected);
    // Enough lines for every thread to have some batches.
    let copies = (8 << 20) / workload.lines.len().max(1) + 1;
    let (lines, expected) = (workload.lines.repeat(copies), expected.repeat(copies));
    let count = workload.jobs.len() * copies;
    let map = Map { mapper, world: &workload.world };
    let run = |threads: usize| {
        let mut out = Vec::with_capacity(expected.len());
        stream::run(lines.as_bytes(), &mut out, threads, &map, |_| {}).expect("memory takes all");
        out
    };
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut first = None;
    for threads in [1, 2, all].into_iter().take(if all > 2 { 3 } else { 2 }) {
        assert!(run(threads) == expected.as_bytes(), "{threads} threads give the same lines");
        let timing = tpv_bench::time(support::runs(), || run(threads));
        support::row(&format!("map lines, threads: {threads}"), "job", count, &timing);
        let alone = *first.get_or_insert(timing.median.as_secs_f64());
        println!("{:<48} {:>12.2} times one thread", "", alone / timing.median.as_secs_f64());
    }
    let copy = || {
        let mut out = String::with_capacity(lines.len());
        for line in lines.lines() {
            write_text(&mut out, &Json::read(&mut Reader::new(line)).expect("JSON"));
            out.push('\n');
        }
        out
    };
    assert_eq!(copy().lines().count(), count);
    let timing = tpv_bench::time(support::runs(), copy);
    support::row("read and write the lines, mapping nothing", "job", count, &timing);
}
