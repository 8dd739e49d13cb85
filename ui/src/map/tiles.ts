/** A map with streets, when one is configured: a style of somebody's server, or a PMTiles file. */
import type { StyleSpecification } from 'maplibre-gl';
import type { MapSettings } from '../api/types';
import maplibregl from './engine';
import { colours } from './style';

export async function configuredStyle(settings: MapSettings, dark: boolean): Promise<string | StyleSpecification | null> {
  if (settings.style_url) return settings.style_url;
  if (settings.pmtiles_url) return await pmtilesStyle(settings.pmtiles_url, settings.attribution ?? '', dark);
  return null;
}

let registered = false;

/** Vector tiles are read as the Protomaps schema, which is what world extracts come in; others as pictures. */
async function pmtilesStyle(url: string, attribution: string, dark: boolean): Promise<StyleSpecification> {
  const { PMTiles, Protocol, TileType } = await import('pmtiles');
  if (!registered) {
    maplibregl.addProtocol('pmtiles', new Protocol().tile);
    registered = true;
  }
  const whole = new URL(url, location.href).href;
  const header = await new PMTiles(whole).getHeader();
  const source = { url: `pmtiles://${whole}`, attribution };
  if (header.tileType !== TileType.Mvt) {
    return {
      version: 8,
      sources: { tiles: { type: 'raster', tileSize: 256, ...source } },
      layers: [{ id: 'tiles', type: 'raster', source: 'tiles' }],
    };
  }
  const colour = colours(dark);
  const green = dark ? '#22291f' : '#e6ecd6';
  const road = dark ? '#3f3a32' : '#ffffff';
  const casing = dark ? '#1b1916' : '#d8cdb9';
  const water = { 'fill-color': colour.sea };
  const text = { 'text-color': colour.town, 'text-halo-color': colour.halo, 'text-halo-width': 1.3 };
  const name = ['coalesce', ['get', 'name:en'], ['get', 'name']] as never;
  return {
    version: 8,
    sources: { tiles: { type: 'vector', ...source } },
    layers: [
      { id: 'background', type: 'background', paint: { 'background-color': colour.sea } },
      { id: 'earth', type: 'fill', source: 'tiles', 'source-layer': 'earth', paint: { 'fill-color': colour.land } },
      {
        id: 'green',
        type: 'fill',
        source: 'tiles',
        'source-layer': 'landuse',
        filter: ['in', ['get', 'kind'], ['literal', ['park', 'forest', 'wood', 'nature_reserve', 'grass', 'meadow']]],
        paint: { 'fill-color': green },
      },
      { id: 'water', type: 'fill', source: 'tiles', 'source-layer': 'water', paint: water },
      {
        id: 'buildings',
        type: 'fill',
        source: 'tiles',
        'source-layer': 'buildings',
        minzoom: 14,
        paint: { 'fill-color': casing, 'fill-opacity': 0.6 },
      },
      {
        id: 'roads-under',
        type: 'line',
        source: 'tiles',
        'source-layer': 'roads',
        paint: { 'line-color': casing, 'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 6, 0.6, 18, 18] },
      },
      {
        id: 'roads',
        type: 'line',
        source: 'tiles',
        'source-layer': 'roads',
        minzoom: 9,
        paint: { 'line-color': road, 'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 9, 0.4, 18, 14] },
      },
      {
        id: 'boundaries',
        type: 'line',
        source: 'tiles',
        'source-layer': 'boundaries',
        paint: { 'line-color': colour.coast, 'line-dasharray': [3, 2] },
      },
      {
        id: 'streets',
        type: 'symbol',
        source: 'tiles',
        'source-layer': 'roads',
        minzoom: 14,
        layout: { 'symbol-placement': 'line', 'text-field': name, 'text-size': 11, 'text-font': ['Regular'] },
        paint: text,
      },
      {
        id: 'places',
        type: 'symbol',
        source: 'tiles',
        'source-layer': 'places',
        layout: { 'text-field': name, 'text-size': 12, 'text-font': ['Medium'] },
        paint: text,
      },
    ],
  };
}
