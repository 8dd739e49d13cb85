//! Figures as pictures: lines or bars in an SVG document.

use std::error::Error;
use std::io;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::Serialize;

/// A picture of some figures.
#[derive(Clone, Debug, Serialize)]
pub struct Plot {
    /// Part of its file's name.
    pub name: &'static str,
    /// One line above it.
    pub title: String,
    /// What the horizontal axis counts.
    pub x: &'static str,
    /// What the vertical axis counts.
    pub y: &'static str,
    /// How the points are drawn.
    pub shape: Shape,
    /// Names of the positions 0, 1, 2 … of the horizontal axis; none where it counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// What is compared.
    pub series: Vec<Series>,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// From one to the next.
    Lines,
    /// As bars from zero, side by side where they share a position, which is a whole number.
    Bars,
}

/// Points that belong together.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Points with a name.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { name: name.into(), points: points.into_iter().collect() }
    }
}

/// Pixels.
const SIZE: (u32, u32) = (960, 540);
const LEGEND: u32 = 200;
/// What the axis across has of the width, and a letter of it.
const ACROSS: usize = 660;
const LETTER: usize = 8;
const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(40, 40, 40);
const FAINT: RGBColor = RGBColor(225, 225, 225);
/// Told apart also by those who see few colours (Okabe and Ito).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
    RGBColor(150, 110, 60),
];
/// Of the room between two positions, what their bars fill.
const FILLED: f64 = 0.8;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

impl Plot {
    /// The SVG document.
    pub fn svg(&self) -> io::Result<String> {
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
            self.draw(&root).and_then(|()| Ok(root.present()?)).map_err(|error| io::Error::other(error.to_string()))?;
        }
        Ok(text)
    }

    fn draw(&self, root: &Area<'_>) -> Result<(), Box<dyn Error>> {
        root.fill(&WHITE)?;
        // Beside the axes, where no line is hidden by it.
        let (left, legend) = root.split_horizontally(SIZE.0 - LEGEND);
        let (across, up) = (self.across(), self.up());
        let mut chart = ChartBuilder::on(&left)
            .caption(&self.title, (FONT, 21).into_font().color(&INK))
            .margin(14)
            .x_label_area_size(46)
            .y_label_area_size(68)
            .build_cartesian_2d(across, up)?;
        let named = |x: &f64| match self.labels.get(x.round().max(0.0) as usize) {
            Some(label) if (x - x.round()).abs() < 1e-6 => cut(label, ACROSS / LETTER / self.labels.len().max(1)),
            _ if self.labels.is_empty() => number(*x),
            _ => String::new(),
        };
        let positions = if self.labels.is_empty() { 10 } else { 2 * self.labels.len() + 1 };
        let mut mesh = chart.configure_mesh();
        if self.shape == Shape::Bars {
            mesh.disable_x_mesh();
        }
        mesh.light_line_style(TRANSPARENT)
            .bold_line_style(FAINT)
            .axis_style(INK)
            .label_style((FONT, 15).into_font().color(&INK))
            .axis_desc_style((FONT, 16).into_font().color(&INK))
            .x_labels(positions)
            .x_label_formatter(&named)
            .y_label_formatter(&|y| number(*y))
            .x_desc(self.x)
            .y_desc(self.y)
            .draw()?;
        match self.shape {
            Shape::Lines => self.lines(&mut chart)?,
            Shape::Bars => self.bars(&mut chart)?,
        }
        self.legend(&legend)
    }

    fn lines(&self, chart: &mut Chart<'_, '_>) -> Result<(), Box<dyn Error>> {
        for (series, colour) in self.series.iter().zip(COLOURS.iter().cycle()) {
            chart.draw_series(LineSeries::new(drawable(series), colour.stroke_width(2)))?;
        }
        Ok(())
    }

    fn bars(&self, chart: &mut Chart<'_, '_>) -> Result<(), Box<dyn Error>> {
        let width = FILLED / self.series.len().max(1) as f64;
        for (place, (series, colour)) in self.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let bar = |(x, y): (f64, f64)| {
                let left = x - FILLED / 2.0 + width * place as f64;
                Rectangle::new([(left, 0.0), (left + width, y)], colour.filled())
            };
            chart.draw_series(drawable(series).map(bar))?;
        }
        Ok(())
    }

    fn legend(&self, area: &Area<'_>) -> Result<(), Box<dyn Error>> {
        let style = (FONT, 16).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        for (place, (series, colour)) in self.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let y = 60 + 24 * place as i32;
            area.draw(&Rectangle::new([(4, y - 5), (20, y + 5)], colour.filled()))?;
            area.draw(&Text::new(cut(&series.name, LEGEND as usize / LETTER - 4), (28, y), style.clone()))?;
        }
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = (f64, f64)> {
        self.series.iter().flat_map(drawable)
    }

    fn across(&self) -> Range<f64> {
        let (least, most) = self.all().fold((f64::MAX, f64::MIN), |(a, b), (x, _)| (a.min(x), b.max(x)));
        match self.shape {
            _ if least > most => 0.0..1.0,
            Shape::Bars => (least - 0.5)..(most + 0.5),
            Shape::Lines if least < most => least..most,
            Shape::Lines => least..(least + 1.0),
        }
    }

    fn up(&self) -> Range<f64> {
        let most = self.all().fold(0.0_f64, |most, (_, y)| most.max(y));
        0.0..if most > 0.0 { most * 1.06 } else { 1.0 }
    }
}

/// Points that have a place on paper.
fn drawable(series: &Series) -> impl Iterator<Item = (f64, f64)> {
    series.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite())
}

/// As few digits as say it.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// What fits.
fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(shape: Shape, series: Vec<Series>) -> Plot {
        let labels = Vec::new();
        Plot { name: "test", title: "A & B < C".into(), x: "pages", y: "share", shape, labels, series }
    }

    #[test]
    fn a_plot_is_a_document_with_its_words_and_one_shape_for_each_series() {
        let series = |name: &str| Series::new(name, [(0.0, 0.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0)]);
        let svg = plot(Shape::Lines, vec![series("bfs"), series("geo")]).svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        for word in ["A &amp; B &lt; C", "pages", "share", "bfs", "geo"] {
            assert!(svg.contains(word), "{word} is missing in {svg}");
        }
        for colour in ["#0072B2", "#D55E00"] {
            assert_eq!(svg.matches(&format!("stroke=\"{colour}\"")).count(), 1, "one line of {colour}");
        }
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn bars_have_names_under_them() {
        let labels = vec!["town".to_owned(), "shop".into()];
        let bars = Plot { labels, ..plot(Shape::Bars, vec![Series::new("kept", [(0.0, 3.0), (1.0, 4.0)])]) };
        let svg = bars.svg().unwrap();
        assert!(svg.contains("town") && svg.contains("shop"));
        assert_eq!(svg.matches("fill=\"#0072B2\"").count(), 3, "two bars and the legend");
    }

    #[test]
    fn what_is_empty_or_equal_can_be_drawn() {
        for shape in [Shape::Lines, Shape::Bars] {
            for points in [vec![], vec![(5.0, 0.0)], vec![(f64::INFINITY, 1.0)]] {
                assert!(plot(shape, vec![Series::new("x", points)]).svg().is_ok());
            }
            assert!(plot(shape, Vec::new()).svg().is_ok());
        }
    }

    #[test]
    fn names_are_cut_to_the_room_there_is() {
        assert_eq!((cut("Käsi", 4), cut("Käsityö", 4), cut("x", 0)), ("Käsi".into(), "Käs…".into(), "…".into()));
    }

    #[test]
    fn numbers_are_written_shortly() {
        for (value, text) in [(0.0, "0"), (0.12, "0.12"), (1500.0, "1500"), (-0.0001, "0"), (2.5, "2.5")] {
            assert_eq!(number(value), text);
        }
    }
}
