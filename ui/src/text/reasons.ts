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

export const OUTCOMES: Record<string, [string, string]> = {
  done: ['done', 'good'],
  running: ['running', 'accent'],
  failed: ['failed', 'bad'],
  died: ['died', 'bad'],
  skipped: ['skipped', 'warn'],
  missed: ['missed', 'warn'],
  'put-off': ['put off', 'warn'],
};
