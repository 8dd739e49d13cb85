/** The circle within which a place is known. */
import type { FeatureCollection } from 'geojson';

const METRES_PER_DEGREE = 111_320;

export function circle(at: { lat: number; lon: number } | null, metres: number): FeatureCollection {
  if (!at || metres <= 0) return { type: 'FeatureCollection', features: [] };
  const high = metres / METRES_PER_DEGREE;
  const wide = high / Math.max(0.02, Math.cos((at.lat * Math.PI) / 180));
  const ring = Array.from({ length: 65 }, (_, step) => {
    const angle = (step / 64) * 2 * Math.PI;
    return [at.lon + wide * Math.cos(angle), Math.max(-85, Math.min(85, at.lat + high * Math.sin(angle)))];
  });
  return {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } }],
  };
}
