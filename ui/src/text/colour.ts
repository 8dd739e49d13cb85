/** The name of a colour, coarse enough to be a heading. */
const HUES: [number, string][] = [
  [15, 'Red'],
  [42, 'Orange'],
  [68, 'Yellow'],
  [165, 'Green'],
  [195, 'Turquoise'],
  [255, 'Blue'],
  [290, 'Violet'],
  [340, 'Pink'],
  [361, 'Red'],
];

export function colourName(hex: string | null): string {
  const parts = /^#(..)(..)(..)$/.exec(hex ?? '');
  if (!parts) return 'Colour not known';
  const [r, g, b] = parts.slice(1).map((part) => parseInt(part, 16) / 255) as [number, number, number];
  const high = Math.max(r, g, b);
  const low = Math.min(r, g, b);
  const spread = high - low;
  if (spread < 0.08 || high < 0.12) return high > 0.8 ? 'White' : high < 0.25 ? 'Black' : 'Grey';
  const hue =
    high === r ? ((g - b) / spread + 6) % 6 : high === g ? (b - r) / spread + 2 : (r - g) / spread + 4;
  return HUES.find(([until]) => hue * 60 < until)?.[1] ?? 'Red';
}
