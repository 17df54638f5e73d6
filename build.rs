//! Linker options of the program.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // A program at a fixed address needs no relocations when it starts, which is a tenth of the time to load rules and map
    // one job. The compiler driver takes the last of `-pie` and `-no-pie`.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
