/** Boxes of the map as the server takes them: south, west, north, east. */
import type { LngLatBoundsLike, Map as MapLibre } from 'maplibre-gl';
import type { Box } from '../api/types';

const wrapped = (lon: number): number => ((((lon + 180) % 360) + 360) % 360) - 180;
const clipped = (lat: number): number => Math.max(-90, Math.min(90, lat));

export function boxOf(map: MapLibre): Box {
  const bounds = map.getBounds();
  const [south, north] = [clipped(bounds.getSouth()), clipped(bounds.getNorth())];
  const [west, east] = [bounds.getWest(), bounds.getEast()];
  if (east - west >= 360) return [south, -180, north, 180];
  return [south, wrapped(west), north, wrapped(east)];
}

export const boxText = (box: Box): string => box.map((side) => Number(side.toFixed(5))).join(',');

/** For MapLibre, which wants east beyond 180 when a box crosses the date line. */
export function boundsOf([south, west, north, east]: Box): LngLatBoundsLike {
  return [
    [west, Math.max(south, -85)],
    [west > east ? east + 360 : east, Math.min(north, 85)],
  ];
}

/** The smallest box around some, as far as none of them crosses the date line. */
export function around(boxes: Box[]): Box | null {
  if (!boxes.length) return null;
  return boxes.reduce((all, box) => [
    Math.min(all[0], box[0]),
    Math.min(all[1], box[1]),
    Math.max(all[2], box[2]),
    Math.max(all[3], box[3]),
  ]);
}

/** Whether a box is so small that zooming in would not take it apart. */
export const isPoint = ([south, west, north, east]: Box): boolean =>
  north - south < 0.00005 && Math.abs(east - west) < 0.00005;
