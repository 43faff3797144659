/** A place in a plain text that is read from its beginning to its end: lines and their indents, names and single values. */
import type { Environment } from '../../environment.ts';
import { LikelyNames } from './likely-names.ts';
import type { Mistakes } from './mistakes.ts';
import type { Node } from './node.ts';
import { NotPlain, namePattern, quoted, singleQuoted, unescaped, withoutSpaces } from './plain-forms.ts';
import { plainValue } from './plain-value.ts';
import { scalarNode } from './scalar.ts';
import type { PlacedText } from './text-place.ts';

/** Everything throws `NotPlain` for what it doesn’t know. */
export class PlainCursor {
  protected readonly place: PlacedText;
  protected readonly text: string;
  readonly #reading: { env: Environment; mistakes: Mistakes };
  readonly #likely = new LikelyNames();
  protected at = 0;
  /** Of the line that `at` is in. */
  protected lineStart = 0;

  constructor(place: PlacedText, reading: { env: Environment; mistakes: Mistakes }) {
    this.place = place;
    this.text = place.text;
    this.#reading = reading;
  }

  /** Passes empty lines and comments, from the beginning of a line on. The indent of what follows; -1 at the end. */
  protected toContent(): number {
    for (;;) {
      this.passSpaces();
      const character = this.text[this.at];
      if (character === undefined) return -1;
      if (character !== '\n' && character !== '#') return this.at - this.lineStart;
      this.toNextLine();
    }
  }

  protected toNextLine(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = this.lineStart = end < 0 ? this.text.length : end + 1;
  }

  /** Nothing but a comment may follow on this line; goes on to the next one. */
  protected toLineEnd(): void {
    this.passSpaces();
    const character = this.text[this.at];
    const isComment = character === '#' && this.text[this.at - 1] === ' ';
    if (character !== undefined && character !== '\n' && !isComment) throw new NotPlain();
    this.toNextLine();
  }

  protected passSpaces(): void {
    while (this.text[this.at] === ' ') this.at++;
  }

  protected isDash(): boolean {
    return this.text[this.at] === '-' && this.text[this.at + 1] === ' ';
  }

  /** Whether a list or map ends here; else stands at its next part. */
  protected isClosed(end: ']' | '}', isFirst: boolean, overLines: boolean): boolean {
    if (isFirst) this.at++;
    this.toFlow(overLines);
    const character = this.text[this.at];
    if (character === end) {
      this.at++;
      return true;
    }
    if (isFirst) return false;
    if (character !== ',') throw new NotPlain();
    this.at++;
    this.toFlow(overLines);
    if (this.text[this.at] === end) throw new NotPlain();
    return false;
  }

  protected toFlow(overLines: boolean): void {
    for (;;) {
      const character = this.text[this.at];
      if (character === '\n' && overLines) this.lineStart = this.at + 1;
      else if (character !== ' ') return;
      this.at++;
    }
  }

  /** Undefined where none begins here. */
  protected name(): string | undefined {
    const from = this.at;
    const likely = this.#likely.at(this.text, from);
    if (likely !== undefined) {
      this.at = from + likely.length;
      return likely;
    }
    const name = this.#otherName();
    if (name !== undefined && this.text[from] !== '"') this.#likely.note(name);
    return name;
  }

  #otherName(): string | undefined {
    const text = this.text;
    if (text[this.at] === '"') return unescaped(this.#match(quoted));
    namePattern.lastIndex = this.at;
    if (!namePattern.test(text)) return undefined;
    const name = text.slice(this.at, namePattern.lastIndex);
    this.at = namePattern.lastIndex;
    return name;
  }

  /** With its colon; stands at the value then, or at the end of the line. */
  protected blockName(): string {
    const name = this.name();
    if (name === undefined || !this.isColon()) throw new NotPlain();
    this.at++;
    this.passSpaces();
    return name;
  }

  protected isColon(): boolean {
    const next = this.text[this.at + 1];
    return this.text[this.at] === ':' && (next === ' ' || next === '\n' || next === undefined);
  }

  protected scalar(plain: RegExp): Node {
    const at = this.place.at(this.at);
    const character = this.text[this.at];
    if (character === '"') {
      const text = unescaped(this.#match(quoted));
      return scalarNode(text, text, at, this.#reading);
    }
    if (character === "'") {
      const text = this.#match(singleQuoted).slice(1, -1).replaceAll("''", "'");
      return scalarNode(text, text, at, this.#reading);
    }
    const text = withoutSpaces(this.#match(plain));
    const value = plainValue(text);
    if (value === undefined) throw new NotPlain();
    return scalarNode(value, text, at, this.#reading);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) throw new NotPlain();
    const found = this.text.slice(this.at, pattern.lastIndex);
    this.at = pattern.lastIndex;
    return found;
  }
}
