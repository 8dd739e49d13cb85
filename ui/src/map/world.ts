/** The world of Natural Earth that comes with the program: coarse at once, finer as soon as it is there, finest when one looks closely. */
import type { Feature, FeatureCollection, Geometry, MultiLineString } from 'geojson';
import type { Map as MapLibre, GeoJSONSource } from 'maplibre-gl';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import coarse from 'world-atlas/countries-110m.json?url';
import fine from 'world-atlas/countries-50m.json?url';
import finest from 'world-atlas/countries-10m.json?url';

type Atlas = Topology<{ countries: GeometryCollection }>;

interface World {
  land: FeatureCollection;
  borders: Feature<MultiLineString>;
}

const kept = new Map<string, Promise<World>>();

function world(url: string): Promise<World> {
  const known = kept.get(url);
  if (known) return known;
  const loading = fetch(url)
    .then((answer) => answer.json() as Promise<Atlas>)
    .then((atlas) => ({
      land: flattened(feature(atlas, atlas.objects.countries)),
      borders: {
        type: 'Feature' as const,
        properties: {},
        geometry: unrolled(mesh(atlas, atlas.objects.countries, (one, other) => one !== other)),
      },
    }));
  loading.catch(() => kept.delete(url));
  kept.set(url, loading);
  return loading;
}

/** Asks for the coarse world before there is a map to put it on. */
export function foresee() {
  world(coarse).catch(() => undefined);
}

/** From this zoom on the fine coast looks cut with an axe. */
const CLOSE = 6.5;

/** Puts the world on a map: the coarse one first, so that there is something to see; the finest only for a close look. */
export async function drawWorld(map: MapLibre, gone: () => boolean) {
  let drawn = 0;
  const draw = async (url: string, rank: number) => {
    const { land, borders } = await world(url);
    if (gone() || rank <= drawn) return;
    drawn = rank;
    (map.getSource('land') as GeoJSONSource | undefined)?.setData(land);
    (map.getSource('borders') as GeoJSONSource | undefined)?.setData(borders);
  };
  let asked = false;
  const close = () => {
    if (asked || gone() || map.getZoom() < CLOSE) return;
    asked = true;
    map.off('zoomend', close);
    void draw(finest, 3).catch(() => undefined);
  };
  await draw(coarse, 1);
  await draw(fine, 2);
  map.on('zoomend', close);
  close();
}

/** The atlas is made for globes: its outlines run on across the date line and around the pole. */
function flattened(land: FeatureCollection): FeatureCollection {
  return { ...land, features: land.features.map((one) => ({ ...one, geometry: flat(one.geometry) })) };
}

function flat(geometry: Geometry): Geometry {
  if (geometry.type === 'Polygon') return { ...geometry, coordinates: geometry.coordinates.map(closed) };
  if (geometry.type === 'MultiPolygon') {
    return { ...geometry, coordinates: geometry.coordinates.map((rings) => rings.map(closed)) };
  }
  return geometry;
}

function unrolled(lines: MultiLineString): MultiLineString {
  return { ...lines, coordinates: lines.coordinates.map(continuous) };
}

/** Longitudes that go on beyond 180 instead of jumping; the map repeats itself there. */
function continuous(line: number[][]): number[][] {
  let turn = 0;
  let before = line[0]?.[0] ?? 0;
  return line.map(([lon = 0, lat = 0]) => {
    if (lon - before > 180) turn -= 360;
    else if (before - lon > 180) turn += 360;
    before = lon;
    return [lon + turn, lat];
  });
}

/** A ring that went around a pole is closed along it. */
function closed(ring: number[][]): number[][] {
  const line = continuous(ring);
  const [first, last] = [line[0], line.at(-1)];
  if (!first || !last || Math.abs((first[0] ?? 0) - (last[0] ?? 0)) < 180) return line;
  const pole = (first[1] ?? 0) < 0 ? -90 : 90;
  return [...line, [last[0] ?? 0, pole], [first[0] ?? 0, pole], first];
}
