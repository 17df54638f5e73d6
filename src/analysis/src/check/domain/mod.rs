//! The possible results of code, without running it: sets of values, and Python's arithmetic on them.
//!
//! A [`Value`] stands for many values: the kinds that they may be of, and for numbers the bounds that they lie between. [`evaluate`]
//! computes with them over the trees that the kernels of machine code are made of, so that whatever the block gives for any job lies in
//! the result. What it does not follow is [`Value::any`].

mod arithmetic;
mod compare;
mod evaluate;
mod value;

pub use evaluate::{Block, Names, Outcome, assume, borders, evaluate};
pub use value::{Kinds, Truth, Value};
