/** The file that others are to be like. It is in no address: another visit begins without it. */
class Example {
  file = $state.raw<File | null>(null);
  /** Another one for each file, so that answers to the last are not taken for answers to this. */
  number = $state(0);

  take(file: File): void {
    this.file = file;
    this.number += 1;
  }
}

export const example = new Example();

export const MODES: [string, string, string][] = [
  ['similar', 'Similar', 'what looks or sounds like it'],
  ['exact', 'Copies', 'all copies of it'],
  ['whole', 'Whole', 'what it is a part of'],
  ['better', 'Better', 'its copies, the best first'],
];
