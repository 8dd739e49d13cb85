/** Which map was configured; asked for once. */
import { get } from '../api/client';
import type { MapSettings, ServerSettings } from '../api/types';

const BUNDLED: MapSettings = { style_url: null, pmtiles_url: null, attribution: null, hosts: [] };
let asked: Promise<MapSettings> | undefined;

export function mapSettings(): Promise<MapSettings> {
  asked ??= get<ServerSettings>('/settings').then(
    (settings) => settings.map ?? BUNDLED,
    () => {
      asked = undefined;
      return BUNDLED;
    },
  );
  return asked;
}

export function mapSettingsChanged() {
  asked = undefined;
}
