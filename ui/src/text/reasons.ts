/** Why a run ended, in words. */
const STOPPED: Record<string, string> = {
  'max-pages': 'ended: it read as many pages as it was told',
  'max-time': 'ended: its time was over',
  'max-bytes': 'ended: it received as much as it was told',
  empty: 'ended: nothing is left to visit',
  interrupted: 'stopped by hand',
  until: 'ended: it found the page it was looking for',
  'disk-full': 'stopped: the disk is nearly full',
  waiting: 'ended: only hosts that rest are left',
};

export function stoppedBecause(reason: string): string {
  return STOPPED[reason] ?? `ended: ${reason}`;
}

/** What became of a picture that was seen, in words. */
const RESULTS: Record<string, string> = {
  kept: 'kept',
  small: 'too small',
  aspect: 'too wide or too upright',
  word: 'named like a logo or banner',
  format: 'another format',
  'too-large': 'too large',
  broken: 'broken',
  thumbnail: 'only a thumbnail',
  external: 'on another host',
  'not-located': 'does not say where it was made',
  duration: 'too short or too long',
  'opt-out': 'its owner opted out',
  robots: 'robots.txt forbids it',
};

export function resultInWords(reason: string): string {
  return RESULTS[reason] ?? reason.replaceAll('-', ' ');
}

export const OUTCOMES: Record<string, [string, string]> = {
  done: ['done', 'good'],
  running: ['running', 'accent'],
  failed: ['failed', 'bad'],
  died: ['died', 'bad'],
  skipped: ['skipped', 'warn'],
  missed: ['missed', 'warn'],
  'put-off': ['put off', 'warn'],
};
