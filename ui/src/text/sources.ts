/** How a location is known, in words. */
import type { Location } from '../api/types';

const SOURCES: Record<string, string> = {
  person: 'A person set it',
  exif: 'The camera wrote it into the file (Exif)',
  xmp: 'It is written in the file (XMP)',
  quicktime: 'The camera wrote it into the film',
  vorbis: 'It is written in the file (Vorbis comment)',
  id3: 'It is written in the file (ID3)',
  loci: 'The camera wrote it into the film',
  matroska: 'It is written in the file (Matroska)',
  copy: 'A copy of this file carries it',
  iptc: 'The file names the place (IPTC)',
  structured: 'The page says so in structured data',
  caption: 'The caption names it',
  description: 'The description of the picture names it',
  alt: 'The alternative text names it',
  title: 'The title names it',
  page: 'The page it was found on is about this place',
  address: 'An address on the page',
  coordinates: 'Coordinates on the page',
  toponym: 'A place name on the page',
};

const SHORT: Record<string, string> = {
  person: 'a person',
  exif: 'camera (Exif)',
  xmp: 'file (XMP)',
  quicktime: 'camera (film)',
  vorbis: 'file (Vorbis)',
  id3: 'file (ID3)',
  loci: 'camera (film)',
  matroska: 'file (Matroska)',
  copy: 'a copy',
  iptc: 'file (IPTC)',
  structured: 'structured data',
  caption: 'caption',
  description: 'description',
  alt: 'alternative text',
  title: 'title',
  page: 'page text',
  address: 'address on page',
  coordinates: 'coordinates on page',
  toponym: 'name on page',
};

export function howKnown(source: string): string {
  return SOURCES[source] ?? `From “${source}”`;
}

export function howKnownBriefly(source: string): string {
  return SHORT[source] ?? source;
}

/** How certain, in one word; the number stands beside it. */
export function certainty(location: Location): { word: string; level: 'sure' | 'likely' | 'weak' } {
  if (location.verified) return { word: 'confirmed', level: 'sure' };
  if (location.confidence >= 0.85) return { word: 'sure', level: 'sure' };
  if (location.confidence >= 0.5) return { word: 'likely', level: 'likely' };
  return { word: 'uncertain', level: 'weak' };
}
