/** Places in a text, kept as offsets: lines are counted only for what is told of. */
import type { Place } from './node.ts';

export interface TextFile {
  /** As people named it. */
  file: string;
  text: string;
}

export class PlacedText implements TextFile {
  readonly file: string;
  readonly text: string;
  #starts: number[] | undefined;

  constructor({ file, text }: TextFile) {
    this.file = file;
    this.text = text;
  }

  at(offset: number): Place {
    return new TextPlace(this, offset);
  }

  /** The number of the line that holds an offset, from 1 on, and where it begins. */
  lineOf(offset: number): { line: number; start: number } {
    this.#starts ??= startsOf(this.text);
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, start: this.#starts[low] ?? 0 };
  }
}

class TextPlace implements Place {
  readonly #text: PlacedText;
  readonly offset: number;

  constructor(text: PlacedText, offset: number) {
    this.#text = text;
    this.offset = offset;
  }

  get file(): string {
    return this.#text.file;
  }

  get line(): number {
    return this.#text.lineOf(this.offset).line;
  }

  get column(): number {
    return this.offset - this.#text.lineOf(this.offset).start + 1;
  }
}

function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
