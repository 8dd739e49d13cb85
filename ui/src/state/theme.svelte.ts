/** Light or dark: as the system says, unless the person says otherwise. */
export type Choice = 'system' | 'light' | 'dark';

const KEY = 'bowerbird-theme';
const ORDER: Choice[] = ['system', 'light', 'dark'];

class Theme {
  choice = $state<Choice>(stored());
  #systemDark = $state(matchMedia('(prefers-color-scheme: dark)').matches);

  constructor() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
      this.#systemDark = event.matches;
    });
    this.#apply();
  }

  get dark(): boolean {
    return this.choice === 'dark' || (this.choice === 'system' && this.#systemDark);
  }

  next() {
    this.set(ORDER[(ORDER.indexOf(this.choice) + 1) % ORDER.length] ?? 'system');
  }

  set(choice: Choice) {
    this.choice = choice;
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // Storage may be forbidden; the choice then lasts as long as the page.
    }
    this.#apply();
  }

  #apply() {
    if (this.choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.choice;
  }
}

function stored(): Choice {
  try {
    const said = localStorage.getItem(KEY);
    return ORDER.find((choice) => choice === said) ?? 'system';
  } catch {
    return 'system';
  }
}

export const theme = new Theme();

export const stillness = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;
