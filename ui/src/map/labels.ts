/** Names of countries and towns, from the built-in gazetteer by way of the server, so that every zoom has some. */
import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';
import { get } from '../api/client';
import type { Label } from '../api/types';
import { boxOf, boxText } from './box';
import { colours } from './style';

/** The name of a font is read for its weight; the font itself is the sans-serif one of the system. */
export function addLabels(map: MapLibre, dark: boolean) {
  const colour = colours(dark);
  map.addSource('labels', { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
  map.addLayer({
    id: 'towns-dots',
    type: 'circle',
    source: 'labels',
    filter: ['==', ['get', 'kind'], 'town'],
    paint: { 'circle-radius': 2.2, 'circle-color': colour.town, 'circle-opacity': 0.7 },
  });
  map.addLayer({
    id: 'towns',
    type: 'symbol',
    source: 'labels',
    filter: ['==', ['get', 'kind'], 'town'],
    layout: {
      'text-field': ['get', 'name'],
      'text-font': ['Medium'],
      'text-size': ['interpolate', ['linear'], ['zoom'], 3, 11, 12, 13],
      'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
      'text-radial-offset': 0.5,
      'text-justify': 'auto',
      'text-max-width': 9,
      'symbol-sort-key': ['get', 'rank'],
    },
    paint: { 'text-color': colour.town, 'text-halo-color': colour.halo, 'text-halo-width': 1.4 },
  });
  map.addLayer({
    id: 'countries',
    type: 'symbol',
    source: 'labels',
    filter: ['==', ['get', 'kind'], 'country'],
    layout: {
      'text-field': ['get', 'name'],
      'text-font': ['Bold'],
      'text-size': ['interpolate', ['linear'], ['zoom'], 1, 10, 6, 15],
      'text-letter-spacing': 0.06,
      'text-max-width': 8,
      'symbol-sort-key': ['get', 'rank'],
    },
    paint: { 'text-color': colour.country, 'text-halo-color': colour.halo, 'text-halo-width': 1.4 },
  });
}

/** Asks for the names in view after each move, and gives up what is no longer wanted. */
export function keepLabels(map: MapLibre): () => void {
  let asking: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async () => {
    asking?.abort();
    asking = new AbortController();
    try {
      const query = { box: boxText(boxOf(map)), zoom: Math.max(0, Math.round(map.getZoom())) };
      const { labels } = await get<{ labels: Label[] }>('/map/labels', query, asking.signal);
      (map.getSource('labels') as GeoJSONSource | undefined)?.setData({
        type: 'FeatureCollection',
        features: labels.map((label) => ({
          type: 'Feature',
          properties: { name: label.name, kind: label.kind, rank: label.rank },
          geometry: { type: 'Point', coordinates: [label.lon, label.lat] },
        })),
      });
    } catch {
      // A map without names is still a map; the next move asks again.
    }
  };
  const moved = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 150);
  };
  map.on('moveend', moved);
  void ask();
  return () => {
    clearTimeout(timer);
    asking?.abort();
    map.off('moveend', moved);
  };
}
