//! Dropping values that are nested deeply, without recursion as deep.
//!
//! A list in a list in a list ... a million times is a few steps of Python code; dropping it value by value would need a
//! million nested calls, and the thread's stack ends before. CPython's way (its "trashcan") is taken: past some depth, what
//! a container held is put aside and dropped when the outermost drop is done.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

/// The nesting of drops beyond which the rest is put aside.
const MAX_DEPTH: usize = 64;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Never dropped itself, so that it is still there for the values that a thread has kept when it ends.
    static ASIDE: ManuallyDrop<RefCell<Vec<Box<dyn Any>>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// Drops what a container held.
pub fn release(contents: impl Any) {
    let depth = DEPTH.try_with(Cell::get).unwrap_or(0);
    if depth >= MAX_DEPTH {
        let boxed: Box<dyn Any> = Box::new(contents);
        let _ = ASIDE.try_with(|aside| {
            if let Ok(mut aside) = aside.try_borrow_mut() {
                aside.push(boxed);
            }
        });
        return;
    }
    set_depth(depth + 1);
    drop(contents);
    if depth == 0 {
        while let Some(next) = take_one() {
            drop(next);
        }
    }
    set_depth(depth);
}

fn set_depth(depth: usize) {
    let _ = DEPTH.try_with(|current| current.set(depth));
}

/// One that was put aside. The borrow ends before it is dropped: its drop may put others aside.
fn take_one() -> Option<Box<dyn Any>> {
    let take = |aside: &RefCell<Vec<Box<dyn Any>>>| {
        let mut aside = aside.try_borrow_mut().ok()?;
        let next = aside.pop();
        if next.is_none() {
            aside.shrink_to_fit();
        }
        next
    };
    ASIDE.try_with(|aside| take(aside)).ok().flatten()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

    use std::cell::RefCell;
    use std::rc::Rc;

    use crate::dict::Dict;
    use crate::exception::{EXCEPTION, ExceptionObject};
    use crate::object::Object;
    use crate::string::Str;
    use crate::types::{BuiltinType, OBJECT};
    use crate::value::{BoundMethod, MethodTarget, Slice, Value};

    /// An object that holds a value, as the host's do.
    struct Holder(#[expect(dead_code, reason = "it is only dropped")] Value);

    impl Object for Holder {
        fn class(&self) -> &'static BuiltinType {
            &OBJECT
        }
    }

    /// Nests a value two hundred thousand times, drops it, and sees that the innermost is dropped.
    fn nest(wrap: impl Fn(Value) -> Value) {
        let innermost = Rc::new(vec![1]);
        let mut value = Value::Bytes(innermost.clone());
        for _ in 0..200_000 {
            value = wrap(value);
        }
        drop(value);
        assert_eq!(Rc::strong_count(&innermost), 1);
    }

    #[test]
    fn what_a_thread_keeps_is_dropped_at_its_end() {
        thread_local! {
            static KEPT: RefCell<Value> = const { RefCell::new(Value::None) };
        }
        let keep = || {
            KEPT.with_borrow_mut(|_| {});
            let mut value = Value::None;
            for _ in 0..200_000 {
                value = Value::tuple(vec![value]);
            }
            KEPT.set(value);
        };
        std::thread::spawn(keep).join().unwrap();
    }

    #[test]
    fn deep_nesting_is_dropped_without_recursion() {
        nest(|value| Value::list(vec![value]));
        nest(|value| Value::tuple(vec![value, Value::None]));
        nest(|value| Value::dict(Dict::from_strs([("key", value)])));
        nest(|value| {
            let receiver = value;
            Value::BoundMethod(Rc::new(BoundMethod { receiver, target: MethodTarget::Host(Str::from("copy")) }))
        });
        nest(|value| Value::Slice(Rc::new(Slice { start: Value::None, stop: value, step: Value::None })));
        nest(|value| Value::object(Holder(value)));
        nest(|value| {
            let exception = ExceptionObject::new(&EXCEPTION, Vec::new());
            exception.cause.replace(Some(value));
            Value::Exception(exception)
        });
    }
}
