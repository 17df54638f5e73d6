//! From a list of instructions with labels to a code's instructions: dead code removed, jumps resolved, the stack's
//! greatest height computed.

use tpv_bytecode::Instr;
use tpv_bytecode::instruction::StackEffect;

/// A place to jump to; in instructions under construction jump targets are labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(u32);

impl Label {
    /// The label as a jump target of an instruction under construction.
    pub fn target(self) -> u32 {
        self.0
    }
}

/// Instructions under construction.
#[derive(Default)]
pub struct Assembler {
    instrs: Vec<Instr>,
    /// Line and column of each instruction.
    places: Vec<(u32, u32)>,
    /// The instruction that each label stands before.
    labels: Vec<usize>,
}

/// The result of [`Assembler::finish`].
pub struct Assembled {
    /// The instructions with resolved jumps.
    pub instrs: Vec<Instr>,
    /// First instruction, line and column of each stretch.
    pub places: Vec<(u32, u32, u32)>,
    /// The greatest height of the stack.
    pub max_stack: u32,
}

impl Assembler {
    /// Adds an instruction that comes from this line and column.
    pub fn emit(&mut self, instr: Instr, place: (u32, u32)) {
        self.instrs.push(instr);
        self.places.push(place);
    }

    /// The number of instructions so far.
    pub fn len(&self) -> usize {
        self.instrs.len()
    }

    /// Returns `true` if there are no instructions yet.
    pub fn is_empty(&self) -> bool {
        self.instrs.is_empty()
    }

    /// A new label, to be placed later.
    pub fn label(&mut self) -> Label {
        self.labels.push(usize::MAX);
        Label(u32::try_from(self.labels.len() - 1).unwrap_or(u32::MAX))
    }

    /// Places the label before the next instruction.
    pub fn place(&mut self, label: Label) {
        let here = self.instrs.len();
        if let Some(entry) = self.labels.get_mut(label.0 as usize) {
            *entry = here;
        }
    }

    /// The instruction that a label leads to, through any chain of jumps.
    fn resolve(&self, label: u32) -> usize {
        let mut at = self.labels.get(label as usize).copied().unwrap_or(usize::MAX);
        // A chain longer than this is a loop of jumps: any of its members will do.
        for _ in 0..16 {
            match self.instrs.get(at) {
                Some(Instr::Jump { target }) => {
                    at = self.labels.get(*target as usize).copied().unwrap_or(usize::MAX);
                }
                _ => break,
            }
        }
        at
    }

    /// The finished instructions.
    pub fn finish(mut self) -> Assembled {
        // All of them first: following a chain takes the targets on its way for labels.
        let resolved: Vec<Option<usize>> =
            self.instrs.iter().map(|instr| instr.target().map(|target| self.resolve(target))).collect();
        for (instr, target) in self.instrs.iter_mut().zip(resolved) {
            if let Some(target) = target {
                *instr = with_target(*instr, u32::try_from(target).unwrap_or(u32::MAX));
            }
        }
        let heights = heights(&self.instrs);
        let max_stack = self
            .instrs
            .iter()
            .zip(&heights)
            .filter_map(|(instr, height)| height.map(|height| height + peak(instr)))
            .max()
            .unwrap_or(0);
        let keep: Vec<bool> = (0..self.instrs.len())
            .map(|index| {
                let reached = heights.get(index).copied().flatten().is_some();
                // A jump to the next instruction does nothing.
                let empty_jump = matches!(self.instrs.get(index), Some(Instr::Jump { target }) if
                    *target as usize > index && (index + 1..*target as usize)
                        .all(|between| heights.get(between).copied().flatten().is_none()));
                reached && !empty_jump
            })
            .collect();
        let mut moved = Vec::with_capacity(keep.len() + 1);
        let mut next = 0u32;
        for kept in &keep {
            moved.push(next);
            next += u32::from(*kept);
        }
        let mut instrs = Vec::with_capacity(next as usize);
        let mut places: Vec<(u32, u32, u32)> = Vec::new();
        for ((instr, place), kept) in self.instrs.iter().zip(&self.places).zip(&keep) {
            if !kept {
                continue;
            }
            if places.last().is_none_or(|last| (last.1, last.2) != *place) {
                places.push((u32::try_from(instrs.len()).unwrap_or(u32::MAX), place.0, place.1));
            }
            let target = instr.target().and_then(|target| moved.get(target as usize));
            instrs.push(target.map_or(*instr, |target| with_target(*instr, *target)));
        }
        Assembled { instrs, places, max_stack: u32::try_from(max_stack).unwrap_or(u32::MAX) }
    }
}

/// The same instruction with this target, where it has one.
fn with_target(mut instr: Instr, target: u32) -> Instr {
    if let Some(old) = instr.target_mut() {
        *old = target;
    }
    instr
}

/// The height of the stack before each instruction; `None` where it is never reached.
fn heights(instrs: &[Instr]) -> Vec<Option<i64>> {
    let mut heights: Vec<Option<i64>> = vec![None; instrs.len()];
    let mut work = vec![(0usize, 0i64)];
    while let Some((mut at, mut height)) = work.pop() {
        while let (Some(entry), Some(instr)) = (heights.get_mut(at), instrs.get(at)) {
            if entry.is_some() {
                break;
            }
            *entry = Some(height);
            let flow = instr.flow();
            if let Some((target, effect)) = flow.jump {
                work.push((target as usize, height + change(effect)));
            }
            if !flow.falls_through {
                break;
            }
            height += change(flow.effect);
            at += 1;
        }
    }
    heights
}

/// The height of the stack above its start once the instruction has run.
fn peak(instr: &Instr) -> i64 {
    let flow = instr.flow();
    let jumped = flow.jump.map_or(0, |(_, effect)| change(effect));
    change(flow.effect).max(jumped).max(0)
}

/// The change of the stack's height. Counts are 32-bit numbers, so that it fits.
fn change(effect: StackEffect) -> i64 {
    effect.leaves.cast_signed() - effect.takes.cast_signed()
}
