//! Numbers as people read them.

/// Whole numbers with a comma between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How many times as large `much` is as `little`.
pub(crate) fn times(much: u64, little: u64) -> String {
    format!("{:.1}", much as f64 / little as f64)
}
