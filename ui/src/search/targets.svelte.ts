/** What a person did with results: others are to be like these. Gone with the page. */
export type Deed = 'download' | 'copy' | 'look';

export interface Target {
  id: string;
  deed: Deed;
}

/** Looking, watching or listening so long says that it is what was looked for. */
export const LONG_LOOK = 5_000;
const MOST = 20;

class Targets {
  list = $state.raw<Target[]>([]);

  /** A click alone says nothing; downloading says more than looking. */
  add(id: string, deed: Deed): void {
    if (this.list.some((target) => target.id === id && (deed === 'look' || target.deed === deed))) return;
    this.list = [...this.list.filter((target) => target.id !== id), { id, deed }].slice(-MOST);
  }

  drop(ids: string[]): void {
    this.list = this.list.filter((target) => !ids.includes(target.id));
  }
}

export const targets = new Targets();
