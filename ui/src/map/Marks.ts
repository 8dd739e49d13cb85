/** The clusters on the map: thumbnails where there is room, dots where there is not. */
import './markers.css';
import type { Map as MapLibre, Marker } from 'maplibre-gl';
import { address } from '../api/client';
import type { Cluster } from '../api/types';
import { brief, plural } from '../text/format';
import type maplibre from './engine';

type Shape = 'picture' | 'dot' | 'sheet';
interface Mark {
  marker: Marker;
  button: HTMLButtonElement;
  cluster: Cluster;
}

/** Thumbnails closer than this (in pixels) would cover each other. */
const ROOM = 50;

export class Marks {
  #marks = new Map<string, Mark>();

  constructor(
    private readonly map: MapLibre,
    private readonly engine: typeof maplibre,
    private readonly clicked: (cluster: Cluster) => void,
  ) {}

  show(clusters: Cluster[]) {
    const wanted = new Map<string, [Cluster, Shape]>();
    for (const [cluster, shape] of this.#shaped(clusters)) {
      wanted.set(`${shape} ${cluster.id} ${cluster.count} ${cluster.lat.toFixed(4)} ${cluster.lon.toFixed(4)}`, [cluster, shape]);
    }
    for (const [key, mark] of this.#marks) {
      if (wanted.has(key)) continue;
      mark.marker.remove();
      this.#marks.delete(key);
    }
    for (const [key, [cluster, shape]] of wanted) {
      const known = this.#marks.get(key);
      if (known) known.cluster = cluster;
      else this.#marks.set(key, this.#make(cluster, shape));
    }
  }

  clear() {
    this.show([]);
  }

  /** The larger ones first: they get the room. */
  *#shaped(clusters: Cluster[]): Iterable<[Cluster, Shape]> {
    const taken: { x: number; y: number }[] = [];
    for (const cluster of [...clusters].sort((one, other) => other.count - one.count)) {
      if (cluster.kind === 'page') {
        yield [cluster, 'sheet'];
        continue;
      }
      const at = this.map.project([cluster.lon, cluster.lat]);
      const free = taken.every((other) => Math.hypot(other.x - at.x, other.y - at.y) > ROOM);
      if (free) taken.push(at);
      yield [cluster, free ? 'picture' : 'dot'];
    }
  }

  #make(cluster: Cluster, shape: Shape): Mark {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = cluster.count > 1 ? 'mark stack' : 'mark';
    const what = cluster.kind === 'page' ? 'page' : { image: 'picture', video: 'film', audio: 'sound' }[cluster.kind];
    button.ariaLabel = cluster.count > 1 ? `${plural(cluster.count, 'item')}, zoom in` : `Open ${what}`;
    // The strip below lists the same for the keyboard; four hundred stops of the tab key help nobody.
    button.tabIndex = -1;
    button.append(...face(cluster, shape));
    const marker = new this.engine.Marker({ element: button }).setLngLat([cluster.lon, cluster.lat]).addTo(this.map);
    const mark = { marker, button, cluster };
    button.addEventListener('click', (event) => {
      event.stopPropagation();
      this.clicked(mark.cluster);
    });
    return mark;
  }
}

function face(cluster: Cluster, shape: Shape): HTMLElement[] {
  const element = document.createElement('span');
  if (shape === 'dot') {
    element.className = 'dot';
    return [element];
  }
  if (shape === 'sheet') {
    element.className = 'sheet';
    element.textContent = cluster.count > 1 ? brief(cluster.count) : '¶';
    return [element];
  }
  element.className = 'picture';
  const size = cluster.count === 1 ? 42 : Math.min(64, 44 + 5 * Math.log10(cluster.count));
  element.style.setProperty('--size', `${Math.round(size)}px`);
  const image = document.createElement('img');
  image.alt = '';
  image.decoding = 'async';
  image.onerror = () => image.remove();
  image.src = address(`/media/${cluster.id}/thumbnail`);
  element.append(image);
  if (cluster.count === 1) return [element];
  const many = document.createElement('span');
  many.className = 'many';
  many.textContent = brief(cluster.count);
  return [element, many];
}
