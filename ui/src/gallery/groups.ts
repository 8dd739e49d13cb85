/** The headings of each order. */
import type { Card } from '../api/types';
import { colourName } from '../text/colour';
import { country, date, monthOf } from '../text/format';

export type Order = 'newest' | 'oldest' | 'taken' | 'place' | 'host' | 'colour';

export const ORDERS: [Order, string][] = [
  ['newest', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['taken', 'Date taken'],
  ['place', 'Place'],
  ['host', 'Host'],
  ['colour', 'Colour'],
];

export function groupOf(order: Order): (card: Card) => string | null {
  switch (order) {
    case 'taken':
      return (card) => (card.taken ? monthOf(card.taken) : 'Date not known');
    case 'place':
      return (card) => (card.location ? (country(card.location.country) ?? 'At sea') : 'Place not known');
    case 'host':
      return (card) => card.host ?? 'No host';
    case 'colour':
      return (card) => colourName(card.colour);
    default:
      return (card) => date(card.added);
  }
}
