/** Justified rows: pictures side by side at their own proportions, each row as wide as the page. */
import type { Card } from '../api/types';

export interface Cell {
  card: Card;
  left: number;
  width: number;
}

export type Row =
  | { kind: 'heading'; text: string; top: number; height: number }
  | { kind: 'pictures'; cells: Cell[]; top: number; height: number };

export interface Shape {
  width: number;
  /** The height rows are made for; a row may be up to a third higher or lower. */
  height: number;
  gap: number;
  heading: number;
}

/** Panoramas and slips would take the row to themselves or vanish in it. */
const NARROWEST = 0.55;
const WIDEST = 2.4;

export function proportion(card: Card): number {
  if (!card.width || !card.height) return card.kind === 'video' ? 16 / 9 : 1;
  return Math.min(WIDEST, Math.max(NARROWEST, card.width / card.height));
}

/** Lays out a growing list; what is complete stays as it is, so nothing moves when more comes. */
export class Layout {
  rows: Row[] = [];
  height = 0;
  #open: Card[] = [];
  #group: string | null = null;
  #taken = 0;
  #closedHeight = 0;
  #closedRows = 0;

  constructor(
    readonly shape: Shape,
    readonly groupOf: (card: Card) => string | null,
  ) {}

  /** Takes in what is new of the list. */
  extend(cards: Card[]) {
    this.rows.length = this.#closedRows;
    this.height = this.#closedHeight;
    for (const card of cards.slice(this.#taken)) this.#add(card);
    this.#taken = cards.length;
    this.#closedRows = this.rows.length;
    this.#closedHeight = this.height;
    // The last row is not full yet: it is shown, and laid out again when more comes.
    if (this.#open.length) this.#push(this.#open, this.shape.height);
  }

  /** The rows between two heights, by halving. */
  between(from: number, to: number): Row[] {
    const first = this.#firstEndingAfter(from);
    let last = first;
    while (last < this.rows.length && (this.rows[last]?.top ?? Infinity) < to) last += 1;
    return this.rows.slice(first, last);
  }

  #firstEndingAfter(height: number): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const row = this.rows[middle];
      if (row && row.top + row.height < height) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #add(card: Card) {
    const group = this.groupOf(card);
    if (group !== this.#group) {
      if (this.#open.length) this.#push(this.#open, this.shape.height);
      this.#open = [];
      this.#group = group;
      if (group !== null) {
        this.rows.push({ kind: 'heading', text: group, top: this.height, height: this.shape.heading });
        this.height += this.shape.heading;
      }
    }
    this.#open.push(card);
    const height = this.#heightOf(this.#open);
    if (height <= this.shape.height) {
      this.#push(this.#open, height);
      this.#open = [];
    }
  }

  /** The height at which these fill the width. */
  #heightOf(cards: Card[]): number {
    const all = cards.reduce((sum, card) => sum + proportion(card), 0);
    return (this.shape.width - this.shape.gap * (cards.length - 1)) / all;
  }

  #push(cards: Card[], height: number) {
    let left = 0;
    const cells = cards.map((card) => {
      const width = Math.min(this.shape.width, proportion(card) * height);
      const cell = { card, left, width };
      left += width + this.shape.gap;
      return cell;
    });
    this.rows.push({ kind: 'pictures', cells, top: this.height, height });
    this.height += height + this.shape.gap;
  }
}
