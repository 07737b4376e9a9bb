//! What passes between JavaScript and WebAssembly beside the numbers of a call: lists and text in areas of memory, and a record.
//!
//! JavaScript writes where it was given room; the call that it then makes takes what is there, and leaves nothing behind. What a
//! call gives stays until the next one gives something of the same kind.

use std::cell::Cell;
use std::thread::LocalKey;

use crate::error::{Error, Value, filled};

/// Numbers in the record.
pub(crate) const RECORD: usize = 13;

/// A list on its way.
pub(crate) type Area<T> = LocalKey<Cell<Vec<T>>>;

thread_local! {
    static WRITTEN: Cell<[f64; RECORD]> = const { Cell::new([0.0; RECORD]) };
    pub(crate) static NUMBERS: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
    pub(crate) static FLOATS: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
    /// Text on its way in, UTF-16.
    pub(crate) static UNITS: Cell<Vec<u16>> = const { Cell::new(Vec::new()) };
    /// Text on its way out, UTF-8.
    pub(crate) static TEXT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Where the record is; it never moves.
pub(crate) fn record() -> *mut f64 {
    WRITTEN.with(Cell::as_ptr).cast()
}

/// Writes into the record, from a place on.
pub(crate) fn write(place: usize, numbers: &[f64]) {
    let mut record = WRITTEN.get();
    record[place..][..numbers.len()].copy_from_slice(numbers);
    WRITTEN.set(record);
}

/// Puts a list into its area, and where it begins and how long it is into the record.
pub(crate) fn leave<T>(area: &'static Area<T>, mut list: Vec<T>) -> *mut T {
    let begin = list.as_mut_ptr();
    write(0, &[begin as usize as f64, list.len() as f64]);
    area.set(list);
    begin
}

/// Room in an area for a list of so many: where it begins.
pub(crate) fn room<T: Clone + Default>(area: &'static Area<T>, length: usize) -> u32 {
    let bytes = length as u64 * size_of::<T>() as u64;
    // Taken and given back, for where it cannot be had `vec!` would trap; to fill it in place would be half a kilobyte.
    let had = Vec::<T>::new().try_reserve_exact(length).map_err(|_| Error::OutOfMemory { bytes });
    outcome(had.map(|()| leave(area, vec![T::default(); length]) as usize as u32))
}

/// What a function gives that can fail: 0 for an error, which is in the text area then.
pub(crate) fn outcome(result: Result<u32, Error>) -> u32 {
    result.unwrap_or_else(|error| {
        let number = Cell::new(None);
        // The number is JavaScript's to write; a message has one at the most.
        let message = error.message(&|value| {
            number.set(Some(value));
            "\0".into()
        });
        leave(&TEXT, filled("% %", &[Value::Text(error.code()), Value::Text(&message)]).into());
        write(2, &number.get().map_or([0.0, 0.0], |number| [1.0, number]));
        0
    })
}

/// The same where there is nothing to give.
pub(crate) fn done(result: Result<(), Error>) -> u32 {
    outcome(result.map(|()| 1))
}

/// `value` as a whole number that fits this machine, if it is one.
pub(crate) fn whole(value: f64) -> Option<usize> {
    let in_range = (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0;
    in_range.then(|| strict(value) as usize)
}

/// A whole number that is known to be one.
pub(crate) fn strict(value: f64) -> u64 {
    #[expect(clippy::cast_sign_loss, reason = "checked to be at least 0, here or in settings.js")]
    let whole = value as u64;
    whole
}

/// A text in UTF-16; half a surrogate pair, which has no place in a text, becomes U+FFFD.
#[inline(never)]
pub(crate) fn text_of(units: &[u16]) -> String {
    let mut text = String::new();
    for c in char::decode_utf16(units.iter().copied()) {
        text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    text
}
