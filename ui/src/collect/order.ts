/**
 * In which order pictures are shown while better ones arrive: the first `fixed` stay where they are, because
 * someone looks at them; all others stand as they are ranked.
 */
export function arranged(shown: number[], ranked: number[], fixed: number): number[] {
  if (fixed <= 0) return ranked;
  const still = shown.slice(0, fixed);
  const there = new Set(still);
  return [...still, ...ranked.filter((id) => !there.has(id))];
}

/** How many pictures would stand among the first `fixed` and do not. */
export function waiting(shown: number[], ranked: number[], fixed: number): number {
  const there = new Set(shown.slice(0, fixed));
  return ranked.slice(0, Math.min(fixed, shown.length)).filter((id) => !there.has(id)).length;
}
