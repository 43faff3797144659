/**
 * YAML and JSON of the plain kind, as pulls and people mostly write it: read in one pass, with nothing built but the tree.
 * Whatever is not plain, or wrong, is left to the library, which knows all of YAML and has the words for mistakes: both
 * give the same tree with the same places (test/unit/manifest/plain-files.test.ts).
 */
import type { Environment } from '../../environment.ts';
import { LikelyNames } from './likely-names.ts';
import type { Mistakes } from './mistakes.ts';
import type { Entry, ListNode, MapNode, Node } from './node.ts';
import {
  add,
  blockText,
  flowText,
  isOfPlainCharacters,
  NotPlain,
  namePattern,
  quoted,
  singleQuoted,
  unescaped,
  withoutSpaces,
} from './plain-forms.ts';
import { plainValue } from './plain-value.ts';
import { scalarNode } from './scalar.ts';
import { PlacedText, type TextFile } from './text-place.ts';

/** Told of an item of a list at the top of a file, or of one that stands there under a name. */
export type OnItem = (item: Node, name: string | undefined) => void;

/**
 * Undefined where the file is not plain, whatever was told of before. Variables that can’t be filled in are mistakes, as
 * elsewhere. With `onItem` the records are told of one by one, and the tree has none: they needn’t be held all at once.
 */
export function readPlain(
  file: TextFile,
  reading: { env: Environment; mistakes: Mistakes },
  onItem?: OnItem,
): Node | undefined {
  if (!isOfPlainCharacters(file.text)) return undefined;
  try {
    return new PlainReader(new PlacedText(file), reading).read(onItem);
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

const mostLevels = 50;

class PlainReader {
  readonly #place: PlacedText;
  readonly #text: string;
  readonly #reading: { env: Environment; mistakes: Mistakes };
  readonly #likely = new LikelyNames();
  #at = 0;
  /** Of the line that `#at` is in. */
  #lineStart = 0;

  constructor(place: PlacedText, reading: { env: Environment; mistakes: Mistakes }) {
    this.#place = place;
    this.#text = place.text;
    this.#reading = reading;
  }

  read(onItem: OnItem | undefined): Node {
    if (this.#text.startsWith('---\n')) this.#at = this.#lineStart = 4;
    const indent = this.#toContent();
    if (indent !== 0) throw new NotPlain();
    const character = this.#text[this.#at];
    const isFlow = character === '{' || character === '[';
    const node = isFlow ? this.#flow(0, true, onItem) : this.#block(0, 0, onItem);
    if (isFlow) this.#toLineEnd();
    if (this.#toContent() >= 0) throw new NotPlain();
    return node;
  }

  /** Passes empty lines and comments, from the beginning of a line on. The indent of what follows; -1 at the end. */
  #toContent(): number {
    for (;;) {
      while (this.#text[this.#at] === ' ') this.#at++;
      const character = this.#text[this.#at];
      if (character === undefined) return -1;
      if (character !== '\n' && character !== '#') return this.#at - this.#lineStart;
      this.#toNextLine();
    }
  }

  #toNextLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = this.#lineStart = end < 0 ? this.#text.length : end + 1;
  }

  /** Nothing but a comment may follow on this line; goes on to the next one. */
  #toLineEnd(): void {
    while (this.#text[this.#at] === ' ') this.#at++;
    const character = this.#text[this.#at];
    const isComment = character === '#' && this.#text[this.#at - 1] === ' ';
    if (character !== undefined && character !== '\n' && !isComment) throw new NotPlain();
    this.#toNextLine();
  }

  /** A map or a list whose first line begins here. */
  #block(indent: number, level: number, onItem?: OnItem): Node {
    if (level > mostLevels) throw new NotPlain();
    return this.#isDash() ? this.#list(indent, level, onItem) : this.#map(indent, level, onItem);
  }

  #isDash(): boolean {
    return this.#text[this.#at] === '-' && this.#text[this.#at + 1] === ' ';
  }

  #list(indent: number, level: number, onItem?: OnItem): ListNode {
    const at = this.#place.at(this.#at);
    const items: Node[] = [];
    for (;;) {
      this.#at++;
      while (this.#text[this.#at] === ' ') this.#at++;
      const item = this.#item(level);
      if (onItem) onItem(item, undefined);
      else items.push(item);
      const next = this.#toContent();
      if (next < indent || (next === indent && !this.#isDash())) return { kind: 'list', at, items };
      if (next > indent) throw new NotPlain();
    }
  }

  #item(level: number): Node {
    const from = this.#at;
    const isMap = this.#name() !== undefined && this.#isColon();
    this.#at = from;
    return isMap ? this.#map(from - this.#lineStart, level + 1) : this.#lineValue(level + 1);
  }

  #map(indent: number, level: number, onItem?: OnItem): MapNode {
    if (level > mostLevels) throw new NotPlain();
    const at = this.#place.at(this.#at);
    const entries: Entry[] = [];
    for (;;) {
      const nameAt = this.#place.at(this.#at);
      const name = this.#name();
      if (name === undefined || !this.#isColon()) throw new NotPlain();
      this.#at++;
      while (this.#text[this.#at] === ' ') this.#at++;
      add(entries, { name, at: nameAt, value: this.#value(indent, level, under(name, onItem)) });
      const next = this.#toContent();
      if (next < indent) return { kind: 'map', at, entries };
      if (next > indent) throw new NotPlain();
    }
  }

  /** Behind the colon: on this line, or as a block further down. */
  #value(indent: number, level: number, onItem?: OnItem): Node {
    const character = this.#text[this.#at];
    if (character !== undefined && character !== '\n' && character !== '#')
      return this.#lineValue(level, onItem);
    this.#toNextLine();
    const next = this.#toContent();
    const isBelow = next > indent || (next === indent && this.#isDash());
    if (!isBelow) throw new NotPlain();
    return this.#isDash() ? this.#list(next, level + 1, onItem) : this.#block(next, level + 1);
  }

  #lineValue(level: number, onItem?: OnItem): Node {
    const character = this.#text[this.#at];
    const node =
      character === '['
        ? this.#flowList(level + 1, false, onItem)
        : character === '{'
          ? this.#flow(level + 1, false)
          : this.#scalar(blockText);
    this.#toLineEnd();
    return node;
  }

  /** `{ a: b }` or `[a, b]`. At the top of a file, as in JSON, over many lines. */
  #flow(level: number, overLines: boolean, onItem?: OnItem): Node {
    if (level > mostLevels) throw new NotPlain();
    const character = this.#text[this.#at];
    if (character === '{') return this.#flowMap(level, overLines, onItem);
    return character === '[' ? this.#flowList(level, overLines, onItem) : this.#scalar(flowText);
  }

  #flowList(level: number, overLines: boolean, onItem?: OnItem): ListNode {
    const at = this.#place.at(this.#at);
    const items: Node[] = [];
    for (let isFirst = true; !this.#isClosed(']', isFirst, overLines); isFirst = false) {
      const item = this.#flow(level + 1, overLines);
      if (onItem) onItem(item, undefined);
      else items.push(item);
    }
    return { kind: 'list', at, items };
  }

  #flowMap(level: number, overLines: boolean, onItem?: OnItem): MapNode {
    const at = this.#place.at(this.#at);
    const entries: Entry[] = [];
    for (let isFirst = true; !this.#isClosed('}', isFirst, overLines); isFirst = false) {
      const nameAt = this.#place.at(this.#at);
      const isQuoted = this.#text[this.#at] === '"';
      const name = this.#name();
      if (name === undefined || this.#text[this.#at] !== ':') throw new NotPlain();
      if (!isQuoted && this.#text[this.#at + 1] !== ' ') throw new NotPlain();
      this.#at++;
      this.#toFlow(overLines);
      const isList = this.#text[this.#at] === '[';
      const value = isList
        ? this.#flowList(level + 1, overLines, under(name, onItem))
        : this.#flow(level + 1, overLines);
      add(entries, { name, at: nameAt, value });
    }
    return { kind: 'map', at, entries };
  }

  /** Whether a list or map ends here; else stands at its next part. */
  #isClosed(end: ']' | '}', isFirst: boolean, overLines: boolean): boolean {
    if (isFirst) this.#at++;
    this.#toFlow(overLines);
    const character = this.#text[this.#at];
    if (character === end) {
      this.#at++;
      return true;
    }
    if (isFirst) return false;
    if (character !== ',') throw new NotPlain();
    this.#at++;
    this.#toFlow(overLines);
    if (this.#text[this.#at] === end) throw new NotPlain();
    return false;
  }

  #toFlow(overLines: boolean): void {
    for (;;) {
      const character = this.#text[this.#at];
      if (character === '\n' && overLines) this.#lineStart = this.#at + 1;
      else if (character !== ' ') return;
      this.#at++;
    }
  }

  /** Undefined where none begins here. */
  #name(): string | undefined {
    const from = this.#at;
    const likely = this.#likely.at(this.#text, from);
    if (likely !== undefined) {
      this.#at = from + likely.length;
      return likely;
    }
    const name = this.#otherName();
    if (name !== undefined && this.#text[from] !== '"') this.#likely.note(name);
    return name;
  }

  #otherName(): string | undefined {
    const text = this.#text;
    if (text[this.#at] === '"') return unescaped(this.#match(quoted));
    namePattern.lastIndex = this.#at;
    if (!namePattern.test(text)) return undefined;
    const name = text.slice(this.#at, namePattern.lastIndex);
    this.#at = namePattern.lastIndex;
    return name;
  }

  #isColon(): boolean {
    const next = this.#text[this.#at + 1];
    return this.#text[this.#at] === ':' && (next === ' ' || next === '\n' || next === undefined);
  }

  #scalar(plain: RegExp): Node {
    const at = this.#place.at(this.#at);
    const character = this.#text[this.#at];
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
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) throw new NotPlain();
    const found = this.#text.slice(this.#at, pattern.lastIndex);
    this.#at = pattern.lastIndex;
    return found;
  }
}

/** The lists of a map at the top. */
function under(name: string, onItem: OnItem | undefined): OnItem | undefined {
  return onItem && ((item) => onItem(item, name));
}
