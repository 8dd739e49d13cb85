/** Short notes of what was done, each with a way to take it back where there is one. */
export interface Note {
  id: number;
  text: string;
  bad: boolean;
  undo?: () => void;
}

class Notes {
  all = $state<Note[]>([]);
  #last = 0;

  say(text: string, undo?: () => void) {
    this.#add({ id: ++this.#last, text, bad: false, undo }, 6000);
  }

  warn(text: string) {
    this.#add({ id: ++this.#last, text, bad: true }, 10_000);
  }

  drop(id: number) {
    this.all = this.all.filter((note) => note.id !== id);
  }

  #add(note: Note, time: number) {
    this.all = [...this.all.slice(-2), note];
    setTimeout(() => this.drop(note.id), time);
  }
}

export const notes = new Notes();
