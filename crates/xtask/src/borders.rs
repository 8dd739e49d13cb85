//! Borders as arcs between two areas, simplified once for both, so that neighbours neither overlap
//! nor leave gaps; and the grid that finds the area of a point.

use std::collections::HashMap;

use geo::layout::{COLUMNS, Cell, NONE16, ROWS, cell_of, pack_lat, pack_lon, reference_of, unpack_lat, unpack_lon};

use crate::natural_earth::Polygons;

/// How far a simplified border may be from the given one, in metres.
const TOLERANCE: f64 = 500.0;
/// A small island keeps its shape: it is simplified by at most this part of its extent.
const PART_OF_EXTENT: f64 = 1.0 / 16.0;

/// A point of the file's lattice: latitude, longitude.
type Vertex = (i32, i32);

/// A border between two areas; [`NONE16`] is the sea.
pub struct Arc {
    /// Its points.
    pub vertices: Vec<Vertex>,
    /// The area to the left of it.
    pub left: u16,
    /// The area to the right of it.
    pub right: u16,
}

/// Edge from the smaller to the larger vertex, with the areas on both sides.
#[derive(Clone, Copy)]
struct Edge {
    from: Vertex,
    to: Vertex,
    left: u16,
    right: u16,
}

/// Cuts the borders of all areas into arcs and simplifies them.
pub fn arcs(areas: &[Polygons]) -> Vec<Arc> {
    let edges = edges(areas);
    let shared = edges.iter().filter(|edge| edge.left != NONE16 && edge.right != NONE16).count();
    eprintln!("borders: {} edges, {shared} between two areas", edges.len());
    let mut arcs = chains(&edges);
    fill_open_sides(&mut arcs, areas);
    for arc in &mut arcs {
        arc.vertices = simplify(&arc.vertices);
    }
    arcs.retain(|arc| arc.vertices.len() >= 2);
    eprintln!("borders: {} arcs, {} vertices", arcs.len(), arcs.iter().map(|arc| arc.vertices.len()).sum::<usize>());
    arcs
}

fn edges(areas: &[Polygons]) -> Vec<Edge> {
    let mut known: HashMap<(Vertex, Vertex), usize> = HashMap::new();
    let mut edges: Vec<Edge> = Vec::new();
    for (area, polygons) in areas.iter().enumerate() {
        for (index, ring) in polygons.polygons.iter().flat_map(|rings| rings.iter().enumerate()) {
            let mut points: Vec<Vertex> = ring.iter().map(|[lon, lat]| (pack_lat(*lat), pack_lon(*lon))).collect();
            points.dedup();
            if points.len() > 1 && points.first() == points.last() {
                points.pop();
            }
            if points.len() < 3 {
                continue;
            }
            let doubled: i64 = (0..points.len())
                .map(|i| (points[i], points[(i + 1) % points.len()]))
                .map(|(a, b)| i64::from(a.1) * i64::from(b.0) - i64::from(b.1) * i64::from(a.0))
                .sum();
            // The area lies to the left of an outer ring that runs against the clock, and of a hole
            // that runs with it.
            let area_is_left = (doubled > 0) == (index == 0);
            for i in 0..points.len() {
                let (a, b) = (points[i], points[(i + 1) % points.len()]);
                let (from, to, forward) = if a < b { (a, b, true) } else { (b, a, false) };
                let edge = *known.entry((from, to)).or_insert_with(|| {
                    edges.push(Edge { from, to, left: NONE16, right: NONE16 });
                    edges.len() - 1
                });
                let edge = &mut edges[edge];
                let side = if area_is_left == forward { &mut edge.left } else { &mut edge.right };
                if *side == NONE16 {
                    *side = area as u16;
                }
            }
        }
    }
    edges.retain(|edge| edge.left != edge.right);
    edges
}

/// Joins edges into arcs that end where three borders meet or the areas change.
fn chains(edges: &[Edge]) -> Vec<Arc> {
    let mut around: HashMap<Vertex, Vec<usize>> = HashMap::new();
    for (index, edge) in edges.iter().enumerate() {
        around.entry(edge.from).or_default().push(index);
        around.entry(edge.to).or_default().push(index);
    }
    // The areas left and right of an edge when it is walked from a vertex.
    let sides = |index: usize, from: Vertex| {
        let edge = edges[index];
        if edge.from == from { (edge.left, edge.right) } else { (edge.right, edge.left) }
    };
    let passes = |vertex: Vertex| match around[&vertex].as_slice() {
        [one, two] => {
            let (left, right) = sides(*one, vertex);
            sides(*two, vertex) == (right, left)
        }
        _ => false,
    };
    let mut used = vec![false; edges.len()];
    let mut arcs = Vec::new();
    let mut walk = |start: usize, from: Vertex, used: &mut Vec<bool>| {
        let (left, right) = sides(start, from);
        let mut vertices = vec![from];
        let (mut at, mut edge) = (from, start);
        loop {
            used[edge] = true;
            at = if edges[edge].from == at { edges[edge].to } else { edges[edge].from };
            vertices.push(at);
            if at == from || !passes(at) {
                break;
            }
            match around[&at].iter().find(|next| !used[**next]) {
                Some(next) => edge = *next,
                None => break,
            }
        }
        arcs.push(Arc { vertices, left, right });
    };
    let mut starts: Vec<(Vertex, usize)> = (0..edges.len())
        .flat_map(|index| [(edges[index].from, index), (edges[index].to, index)])
        .filter(|(vertex, _)| !passes(*vertex))
        .collect();
    starts.sort();
    for (vertex, index) in starts {
        if !used[index] {
            walk(index, vertex, &mut used);
        }
    }
    for index in 0..edges.len() {
        if !used[index] {
            walk(index, edges[index].from, &mut used);
        }
    }
    arcs
}

/// Finds the areas that have no hole where another lies in them: there the other's border has no
/// second side, and the land around it would be sea.
fn fill_open_sides(arcs: &mut [Arc], areas: &[Polygons]) {
    let boxes: Vec<[f64; 4]> = areas.iter().map(bounds).collect();
    for arc in arcs.iter_mut().filter(|arc| (arc.left == NONE16) != (arc.right == NONE16)) {
        let middle = arc.vertices.len() / 2;
        let (a, b) = (arc.vertices[middle - 1], arc.vertices[middle]);
        let (a, b) = ((unpack_lat(a.0), unpack_lon(a.1)), (unpack_lat(b.0), unpack_lon(b.1)));
        let (dy, dx) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy).max(1e-9);
        // Some twenty metres to the open side.
        let side = if arc.left == NONE16 { 2e-4 } else { -2e-4 } / length;
        let point = ((a.0 + b.0) / 2.0 + dx * side, (a.1 + b.1) / 2.0 - dy * side);
        let own = if arc.left == NONE16 { arc.right } else { arc.left };
        let around = (0..areas.len()).find(|area| {
            *area != usize::from(own)
                && boxes[*area][0] <= point.0
                && point.0 <= boxes[*area][1]
                && boxes[*area][2] <= point.1
                && point.1 <= boxes[*area][3]
                && contains(&areas[*area], point)
        });
        if let Some(around) = around {
            *(if arc.left == NONE16 { &mut arc.left } else { &mut arc.right }) = around as u16;
        }
    }
}

/// South, north, west, east.
fn bounds(area: &Polygons) -> [f64; 4] {
    let start = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    area.polygons
        .iter()
        .flatten()
        .flatten()
        .fold(start, |b, [lon, lat]| [b[0].min(*lat), b[1].max(*lat), b[2].min(*lon), b[3].max(*lon)])
}

/// Whether a point is inside, by counting the edges south of it.
fn contains(area: &Polygons, point: (f64, f64)) -> bool {
    let mut inside = false;
    for ring in area.polygons.iter().flatten() {
        for pair in ring.windows(2) {
            let ([alon, alat], [blon, blat]) = (pair[0], pair[1]);
            if (alon > point.1) != (blon > point.1) && point.0 > alat + (point.1 - alon) / (blon - alon) * (blat - alat)
            {
                inside = !inside;
            }
        }
    }
    inside
}

/// Metres, on a plane around the first point: good enough for distances of a few hundred metres.
fn metres(vertex: Vertex, origin: Vertex) -> (f64, f64) {
    let lat = unpack_lat(vertex.0);
    let x = (unpack_lon(vertex.1) - unpack_lon(origin.1)) * 111_320.0 * lat.to_radians().cos();
    (x, (lat - unpack_lat(origin.0)) * 110_574.0)
}

/// Douglas and Peucker; a closed line is cut at the point farthest from its start first.
fn simplify(line: &[Vertex]) -> Vec<Vertex> {
    let points: Vec<(f64, f64)> = line.iter().map(|vertex| metres(*vertex, line[0])).collect();
    let extent = points.iter().map(|(x, y)| x.abs().max(y.abs())).fold(0.0, f64::max);
    let last = line.len() - 1;
    let closed = line[0] == line[last];
    let tolerance = if closed { TOLERANCE.min(extent * PART_OF_EXTENT) } else { TOLERANCE };
    let mut keep = vec![false; line.len()];
    (keep[0], keep[last]) = (true, true);
    // At the pole all longitudes are one point on the plane, but not in the grid.
    line.iter()
        .zip(&mut keep)
        .filter(|(vertex, _)| unpack_lat(vertex.0).abs() > 89.0)
        .for_each(|(_, keep)| *keep = true);
    if closed {
        let far = |i: &usize, j: &usize| points[*i].0.hypot(points[*i].1).total_cmp(&points[*j].0.hypot(points[*j].1));
        keep[(0..=last).max_by(far).unwrap_or(last / 2)] = true;
    }
    let fixed: Vec<usize> = (0..=last).filter(|index| keep[*index]).collect();
    for pair in fixed.windows(2) {
        reduce(&points, pair[0], pair[1], tolerance, &mut keep);
    }
    // Never less than a triangle.
    if closed && last >= 3 && keep.iter().filter(|kept| **kept).count() < 4 {
        let longest =
            fixed.windows(2).max_by_key(|pair| pair[1] - pair[0]).map_or(last / 2, |pair| (pair[0] + pair[1]) / 2);
        keep[longest] = true;
    }
    line.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(vertex, _)| *vertex).collect()
}

fn reduce(points: &[(f64, f64)], first: usize, last: usize, tolerance: f64, keep: &mut [bool]) {
    let mut work = vec![(first, last)];
    while let Some((first, last)) = work.pop() {
        let (a, b) = (points[first], points[last]);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy);
        let distance = |p: (f64, f64)| {
            if length < 1e-9 {
                return (p.0 - a.0).hypot(p.1 - a.1);
            }
            ((p.0 - a.0) * dy - (p.1 - a.1) * dx).abs() / length
        };
        let farthest = (first + 1..last).max_by(|i, j| distance(points[*i]).total_cmp(&distance(points[*j])));
        if let Some(index) = farthest
            && distance(points[index]) > tolerance
        {
            keep[index] = true;
            work.extend([(first, index), (index, last)]);
        }
    }
}

/// Edges of an arc that pass a cell: the arc, the first edge, how many.
type Run = (u16, u16, u8);

/// The grid: for each cell its content, and the bytes of the cells that have borders.
pub fn grid(arcs: &[Arc]) -> (Vec<Cell>, Vec<u8>) {
    let references = references(arcs);
    let mut runs: HashMap<(usize, usize), Vec<Run>> = HashMap::new();
    for (number, arc) in arcs.iter().enumerate() {
        for (index, pair) in arc.vertices.windows(2).enumerate() {
            for cell in cells_of(pair[0], pair[1]) {
                let list = runs.entry(cell).or_default();
                match list.last_mut() {
                    Some((last, first, count))
                        if usize::from(*last) == number
                            && usize::from(*first) + usize::from(*count) == index
                            && *count < u8::MAX =>
                    {
                        *count += 1;
                    }
                    _ => list.push((number as u16, index as u16, 1)),
                }
            }
        }
    }
    let mut bytes = Vec::new();
    let mut cells = Vec::with_capacity(ROWS * COLUMNS);
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let reference = references[row * COLUMNS + column];
            let Some(list) = runs.get(&(row, column)) else {
                cells.push(Cell::Whole(reference));
                continue;
            };
            cells.push(Cell::Borders(bytes.len() as u32));
            bytes.extend(reference.to_le_bytes());
            bytes.extend((list.len() as u16).to_le_bytes());
            for (arc, first, count) in list {
                bytes.extend(arc.to_le_bytes());
                bytes.extend(first.to_le_bytes());
                bytes.push(*count);
            }
        }
    }
    (cells, bytes)
}

/// The cells an edge passes, or nearly.
fn cells_of(a: Vertex, b: Vertex) -> Vec<(usize, usize)> {
    let (a, b) = ((unpack_lat(a.0), unpack_lon(a.1)), (unpack_lat(b.0), unpack_lon(b.1)));
    let (low, high) = ((a.0.min(b.0), a.1.min(b.1)), (a.0.max(b.0), a.1.max(b.1)));
    // A hair more than the edge: it may lie on the line between two cells.
    let hair = 1e-5;
    let (first, last) = (cell_of(low.0 - hair, low.1 - hair), cell_of(high.0 + hair, high.1 + hair));
    let mut cells = Vec::new();
    for row in first.0..=last.0 {
        for column in first.1..=last.1 {
            let corner = |r: usize, c: usize| (r as f64 / 2.0 - 90.0, c as f64 / 2.0 - 180.0);
            let sides =
                [corner(row, column), corner(row + 1, column), corner(row, column + 1), corner(row + 1, column + 1)]
                    .map(|p| (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0));
            let apart = sides.iter().all(|side| *side > 1e-4) || sides.iter().all(|side| *side < -1e-4);
            if !apart {
                cells.push((row, column));
            }
        }
    }
    cells
}

/// The area of each cell's reference point: along each row, what lies east of the last border.
fn references(arcs: &[Arc]) -> Vec<u16> {
    let mut references = vec![NONE16; ROWS * COLUMNS];
    let mut crossings: Vec<Vec<(f64, u16)>> = vec![Vec::new(); ROWS];
    for arc in arcs {
        for pair in arc.vertices.windows(2) {
            let (a, b) =
                ((unpack_lat(pair[0].0), unpack_lon(pair[0].1)), (unpack_lat(pair[1].0), unpack_lon(pair[1].1)));
            let east = if b.0 > a.0 { arc.right } else { arc.left };
            let (low, high) = (a.0.min(b.0), a.0.max(b.0));
            let (first, last) = (cell_of(low, 0.0).0, cell_of(high, 0.0).0);
            for (row, found) in crossings.iter_mut().enumerate().take(last + 1).skip(first) {
                let lat = reference_of(row, 0).0;
                if low <= lat && lat < high {
                    found.push((a.1 + (lat - a.0) / (b.0 - a.0) * (b.1 - a.1), east));
                }
            }
        }
    }
    for (row, found) in crossings.iter_mut().enumerate() {
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut next, mut area) = (0, NONE16);
        for column in 0..COLUMNS {
            let lon = reference_of(row, column).1;
            while next < found.len() && found[next].0 <= lon {
                area = found[next].1;
                next += 1;
            }
            references[row * COLUMNS + column] = area;
        }
    }
    references
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str, west: f64, east: f64) -> Polygons {
        let ring =
            vec![[west, 50.0], [east, 50.0], [east, 51.0], [(west + east) / 2.0, 51.0005], [west, 51.0], [west, 50.0]];
        Polygons {
            name: name.into(),
            names: Vec::new(),
            id: None,
            country: String::new(),
            country3: String::new(),
            label: (50.5, west),
            polygons: vec![vec![ring]],
        }
    }

    #[test]
    fn neighbours_share_one_arc_and_straight_parts_lose_their_points() {
        let arcs = arcs(&[square("west", 8.0, 9.0), square("east", 9.0, 10.0)]);
        assert_eq!(arcs.len(), 3);
        let shared: Vec<&Arc> = arcs.iter().filter(|arc| arc.left != NONE16 && arc.right != NONE16).collect();
        assert_eq!(shared.len(), 1);
        assert_eq!(shared[0].vertices.len(), 2);
        // 55 m off the straight line is less than the tolerance.
        assert!(arcs.iter().all(|arc| arc.vertices.len() <= 4));
    }

    #[test]
    fn every_point_has_the_area_on_its_side() {
        let arcs = arcs(&[square("west", 8.0, 9.0), square("east", 9.0, 10.0)]);
        let references = references(&arcs);
        for (lat, lon, area) in [(50.2, 8.2, 0), (50.7, 9.7, 1), (49.2, 8.2, NONE16), (50.2, 10.2, NONE16)] {
            let (row, column) = cell_of(lat, lon);
            assert_eq!(references[row * COLUMNS + column], area, "{lat},{lon}");
        }
    }

    #[test]
    fn a_small_island_stays_an_island() {
        let ring: Vec<Vertex> = [(0.0, 0.0), (0.0, 0.001), (0.001, 0.001), (0.001, 0.0), (0.0, 0.0)]
            .map(|(lat, lon)| (pack_lat(lat), pack_lon(lon)))
            .to_vec();
        assert!(simplify(&ring).len() >= 4);
    }
}
