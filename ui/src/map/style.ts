/** How the bundled map looks. Text needs no glyph server: MapLibre draws it with the fonts of the system. */
import type { StyleSpecification } from 'maplibre-gl';

const NOTHING = { type: 'FeatureCollection' as const, features: [] };

const LIGHT = {
  sea: '#dbe3ec',
  land: '#f8f3e9',
  coast: '#b9ad97',
  border: '#d3c7b1',
  country: '#6b6152',
  town: '#3d372e',
  halo: '#fffaf0',
  accent: '#24449f',
};
const DARK: typeof LIGHT = {
  sea: '#10141b',
  land: '#25231e',
  coast: '#4b453b',
  border: '#3b362e',
  country: '#9b9180',
  town: '#d8cfbf',
  halo: '#1a1815',
  accent: '#8ea8ff',
};

export const colours = (dark: boolean) => (dark ? DARK : LIGHT);

export const NATURAL_EARTH = 'Natural Earth';

export function bundledStyle(dark: boolean): StyleSpecification {
  const colour = colours(dark);
  return {
    version: 8,
    sources: {
      land: { type: 'geojson', data: NOTHING, attribution: NATURAL_EARTH, tolerance: 0.2 },
      borders: { type: 'geojson', data: NOTHING, tolerance: 0.2 },
    },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': colour.sea } },
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': colour.land, 'fill-antialias': false } },
      {
        id: 'coast',
        type: 'line',
        source: 'land',
        paint: { 'line-color': colour.coast, 'line-width': ['interpolate', ['linear'], ['zoom'], 0, 0.4, 8, 1.2] },
      },
      {
        id: 'borders',
        type: 'line',
        source: 'borders',
        paint: { 'line-color': colour.border, 'line-width': ['interpolate', ['linear'], ['zoom'], 0, 0.5, 8, 1.6] },
      },
    ],
  };
}
