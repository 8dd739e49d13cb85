/** Coordinates as people type them: `54.32, 10.12`, `54°19'23"N 10°7'E`. */
export interface Point {
  lat: number;
  lon: number;
}

const DECIMAL = /^\s*([-+]?\d{1,3}(?:\.\d+)?)\s*[,;\s]\s*([-+]?\d{1,3}(?:\.\d+)?)\s*$/;
const DEGREES = /(\d{1,3}(?:\.\d+)?)\s*°\s*(?:(\d{1,2}(?:\.\d+)?)\s*['′]\s*)?(?:(\d{1,2}(?:\.\d+)?)\s*["″]\s*)?([NSEWO])/gi;

export function readPoint(text: string): Point | null {
  const plain = DECIMAL.exec(text);
  if (plain) return valid(Number(plain[1]), Number(plain[2]));
  const parts = [...text.matchAll(DEGREES)];
  if (parts.length !== 2) return null;
  const value = (part: RegExpMatchArray) => {
    const size = Number(part[1]) + Number(part[2] ?? 0) / 60 + Number(part[3] ?? 0) / 3600;
    return /[SW]/i.test(part[4] ?? '') ? -size : size;
  };
  const [one, other] = parts as [RegExpMatchArray, RegExpMatchArray];
  return /[NS]/i.test(one[4] ?? '') ? valid(value(one), value(other)) : valid(value(other), value(one));
}

function valid(lat: number, lon: number): Point | null {
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;
}
