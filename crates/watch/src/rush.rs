//! When the server has better things to do than to have its links read.

use std::time::Duration;

/// When reading and ranking pause. Changes are noticed all the time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rush {
    /// Hours of the day, local time: from the first up to the second, which may be the next day.
    pub hours: Option<(u8, u8)>,
    /// A load average (over one minute) above which to pause.
    pub load: Option<f64>,
}

impl Rush {
    /// Reads hours such as `8-18` or `22-6`.
    pub fn parse_hours(text: &str) -> Result<(u8, u8), String> {
        let wrong = || format!("'{text}' are not hours: write them like 8-18 or 22-6");
        let (from, to) = text.split_once('-').ok_or_else(wrong)?;
        let hour = |text: &str, most: u8| text.trim().parse::<u8>().ok().filter(|hour| *hour <= most);
        match (hour(from, 23), hour(to, 24)) {
            (Some(from), Some(to)) if from != to => Ok((from, to)),
            _ => Err(wrong()),
        }
    }

    /// Whether it is one of the hours.
    fn at(&self, hour: u8) -> bool {
        self.hours.is_some_and(|(from, to)| match from < to {
            true => (from..to).contains(&hour),
            false => hour >= from || hour < to,
        })
    }

    /// Whether to pause now.
    pub(crate) fn now(&self) -> bool {
        let busy = self.load.is_some_and(|most| load().is_some_and(|load| load > most));
        busy || self.hours.is_some() && self.at(u8::try_from(jiff::Zoned::now().hour()).unwrap_or(0))
    }

    /// How long to wait before asking again.
    pub(crate) const PAUSE: Duration = Duration::from_secs(5);
}

/// The load average over one minute, where the system tells it.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_may_go_over_midnight() {
        let rush = |text| Rush { hours: Some(Rush::parse_hours(text).unwrap()), load: None };
        let hours = |text| (0..24).filter(|hour| rush(text).at(*hour)).count();
        assert_eq!((hours("8-18"), hours("22-6"), hours("0-24")), (10, 8, 24));
        assert!(rush("22-6").at(23) && rush("22-6").at(5) && !rush("22-6").at(6));
        assert!(!Rush::default().at(12) && !Rush::default().now());
        for wrong in ["", "8", "8-8", "24-3", "8-25", "a-b", "-1-3"] {
            assert!(Rush::parse_hours(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn load_is_a_reason_to_pause() {
        assert!(Rush { hours: None, load: Some(-1.0) }.now());
        assert!(!Rush { hours: None, load: Some(1e9) }.now());
    }
}
