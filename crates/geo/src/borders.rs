//! Which area a point lies in.
//!
//! The borders of the world's first-order areas are arcs with an area (or the sea) on either side.
//! Each cell of a grid knows the area of one reference point in it and the edges that pass through
//! it. A point lies in the area on its side of the nearest edge that separates it from the
//! reference point; without such an edge, in the reference point's area. So every point has exactly
//! one answer: areas cannot overlap and leave no gaps.

use crate::gazetteer::Gazetteer;
use crate::gazetteer::layout::{self, ARC, COLUMNS, Cell, NONE16, ROWS, Section};

/// A point on the way to being looked up, in degrees.
type Degrees = (f64, f64);

/// Kilometres of a degree of latitude.
pub(crate) const KM_PER_DEGREE: f64 = 111.2;
/// How far around a point the areas are looked for that may have it, in kilometres: borders on the
/// map are seldom so much off.
pub(crate) const SIDES: f64 = 5.0;
/// Bytes of a run of edges: arc, first edge, number of edges.
const RUN: usize = 5;
/// Bytes of a vertex.
const VERTEX: usize = 6;

/// An edge of a border.
struct Edge {
    from: Degrees,
    to: Degrees,
    left: u16,
    right: u16,
}

impl Gazetteer {
    /// The number of the area a point lies in; `None` is the sea.
    #[doc(hidden)]
    pub fn area_at(&self, lat: f64, lon: f64) -> Option<u16> {
        let (row, column) = layout::cell_of(lat, lon);
        let area = match self.cell(row, column) {
            Cell::Whole(area) => area,
            Cell::Borders(at) => {
                let target = layout::reference_of(row, column);
                let mut area = self.section(Section::Cells).u16(at as usize);
                let mut nearest = f64::INFINITY;
                self.edges(at as usize, |edge| {
                    if let Some((way, left)) = crossing((lat, lon), target, &edge)
                        && way < nearest
                    {
                        nearest = way;
                        area = if left { edge.left } else { edge.right };
                    }
                });
                area
            }
        };
        (area != NONE16).then_some(area)
    }

    /// The land nearest to a point at sea, within `reach` kilometres: its area and how far it is.
    pub(crate) fn nearest_area(&self, lat: f64, lon: f64, reach: f64) -> Option<(u16, f64)> {
        let mut best: Option<(u16, f64)> = None;
        self.near_edges(lat, lon, reach, |edge, km| {
            let area = if edge.left == NONE16 { edge.right } else { edge.left };
            if area != NONE16 && best.is_none_or(|(_, nearest)| km < nearest) {
                best = Some((area, km));
            }
        });
        best
    }

    /// Calls `each` for the areas on either side of the borders within `reach` kilometres of a point,
    /// each perhaps more than once, with how far away that border is.
    pub(crate) fn sides(&self, lat: f64, lon: f64, reach: f64, mut each: impl FnMut(u16, f64)) {
        self.near_edges(lat, lon, reach, |edge, km| {
            [edge.left, edge.right].into_iter().filter(|area| *area != NONE16).for_each(|area| each(area, km));
        });
    }

    /// Calls `each` for the edges within `reach` kilometres of a point.
    fn near_edges(&self, lat: f64, lon: f64, reach: f64, mut each: impl FnMut(&Edge, f64)) {
        let step = 1.0 / layout::CELLS_PER_DEGREE as f64;
        let cell_km = KM_PER_DEGREE * step;
        let rows = (reach / cell_km).ceil() as isize;
        let shrink = lat.to_radians().cos().max(0.02);
        let columns = ((reach / (cell_km * shrink)).ceil() as isize).min(COLUMNS as isize / 2);
        let (row, column) = layout::cell_of(lat, lon);
        for r in (row as isize - rows).max(0)..=(row as isize + rows).min(ROWS as isize - 1) {
            for c in column as isize - columns..=column as isize + columns {
                let away = |low: f64, x: f64| (low - x).max(x - low - step).max(0.0);
                let up = away(r as f64 * step - 90.0, lat);
                if up.hypot(away(c as f64 * step - 180.0, lon) * shrink) * KM_PER_DEGREE > reach {
                    continue;
                }
                let c = c.rem_euclid(COLUMNS as isize);
                let Cell::Borders(at) = self.cell(r as usize, c as usize) else { continue };
                self.edges(at as usize, |edge| {
                    let km = distance(lat, lon, shrink, &edge);
                    if km <= reach {
                        each(&edge, km);
                    }
                });
            }
        }
    }

    /// The areas that points of a cell may lie in, each perhaps more than once.
    pub(crate) fn areas_in(&self, row: usize, column: usize, mut each: impl FnMut(u16)) {
        match self.cell(row, column) {
            Cell::Whole(area) => each(area),
            Cell::Borders(at) => {
                each(self.section(Section::Cells).u16(at as usize));
                self.edges(at as usize, |edge| {
                    each(edge.left);
                    each(edge.right);
                });
            }
        }
    }

    fn cell(&self, row: usize, column: usize) -> Cell {
        Cell::unpack(self.section(Section::AreaGrid).u24((row * COLUMNS + column) * 3))
    }

    /// Calls `each` for every border: the areas on its sides, and its corners.
    pub(crate) fn arcs(&self, mut each: impl FnMut([u16; 2], &mut dyn ExactSizeIterator<Item = Degrees>)) {
        let arcs = self.section(Section::Arcs);
        let all = self.section(Section::Vertices).records(VERTEX);
        let count = arcs.records(ARC);
        for arc in 0..count {
            let first = (arcs.u24(arc * ARC) as usize).min(all);
            // The corners of an arc end where those of the next begin.
            let end = if arc + 1 < count { arcs.u24((arc + 1) * ARC) as usize } else { all };
            let corners = first..end.clamp(first, all.max(first));
            each([arcs.u16(arc * ARC + 3), arcs.u16(arc * ARC + 5)], &mut corners.map(|index| self.vertex(index)));
        }
    }

    fn vertex(&self, index: usize) -> Degrees {
        let vertices = self.section(Section::Vertices);
        (layout::unpack_lat(vertices.i24(index * VERTEX)), layout::unpack_lon(vertices.i24(index * VERTEX + 3)))
    }

    fn edges(&self, at: usize, mut each: impl FnMut(Edge)) {
        let (cells, arcs) = (self.section(Section::Cells), self.section(Section::Arcs));
        let count = usize::from(cells.u16(at + 2));
        // A damaged count must not send us through the whole file again and again.
        for run in 0..count.min((cells.0.len().saturating_sub(at)) / RUN) {
            let run = at + 4 + run * RUN;
            let arc = usize::from(cells.u16(run)) * ARC;
            let first = arcs.u24(arc) as usize + usize::from(cells.u16(run + 2));
            let (left, right) = (arcs.u16(arc + 3), arcs.u16(arc + 5));
            let mut from = self.vertex(first);
            for index in 1..=usize::from(cells.u8(run + 4)) {
                let to = self.vertex(first + index);
                each(Edge { from, to, left, right });
                from = to;
            }
        }
    }
}

fn cross(a: Degrees, b: Degrees, p: Degrees) -> f64 {
    (b.1 - a.1) * (p.0 - a.0) - (b.0 - a.0) * (p.1 - a.1)
}

/// Where on the way from a point to a target an edge is crossed (0 to 1), and whether the point is
/// to the left of the edge.
fn crossing(point: Degrees, target: Degrees, edge: &Edge) -> Option<(f64, bool)> {
    let (here, there) = (cross(edge.from, edge.to, point), cross(edge.from, edge.to, target));
    if (here > 0.0) == (there > 0.0) {
        return None;
    }
    let (a, b) = (cross(point, target, edge.from), cross(point, target, edge.to));
    if (a > 0.0) == (b > 0.0) {
        return None;
    }
    Some((here / (here - there), here > 0.0))
}

/// Kilometres from a point to an edge, on a plane that is stretched right around the point.
fn distance(lat: f64, lon: f64, shrink: f64, edge: &Edge) -> f64 {
    let plane = |p: Degrees| {
        let mut dlon = p.1 - lon;
        if dlon > 180.0 {
            dlon -= 360.0;
        } else if dlon < -180.0 {
            dlon += 360.0;
        }
        (dlon * shrink, p.0 - lat)
    };
    let (a, b) = (plane(edge.from), plane(edge.to));
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx * dx + dy * dy;
    let part = if length > 0.0 { (-(a.0 * dx + a.1 * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (a.0 + part * dx).hypot(a.1 + part * dy) * 111.2
}
