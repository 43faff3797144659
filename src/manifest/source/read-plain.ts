/**
 * YAML and JSON of the plain kind, as pulls and people mostly write it: read in one pass, with nothing built but the tree.
 * Whatever is not plain, or wrong, is left to the library, which knows all of YAML and has the words for mistakes: both
 * give the same tree with the same places (test/unit/manifest/plain-files.test.ts).
 */
import type { Environment } from '../../environment.ts';
import { LikelyRecords, type PlainItem } from './likely-records.ts';
import type { Mistakes } from './mistakes.ts';
import type { Entry, ListNode, MapNode, Node } from './node.ts';
import { PlainCursor } from './plain-cursor.ts';
import { add, blockText, flowText, isOfPlainCharacters, NotPlain } from './plain-forms.ts';
import { PlacedText, type TextFile } from './text-place.ts';

/** Told of each item of a list at the top of a file, or of one that stands there under a name. */
export interface OnItem {
  tree(item: Node, name: string | undefined): void;
  /** Told first of one of single values: whether it was taken as it is. If not, it comes as a tree. */
  plain(item: PlainItem, name: string | undefined): boolean;
}

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

class PlainReader extends PlainCursor {
  read(onItem: OnItem | undefined): Node {
    if (this.text.startsWith('---\n')) this.at = this.lineStart = 4;
    const indent = this.toContent();
    if (indent !== 0) throw new NotPlain();
    const character = this.text[this.at];
    const isFlow = character === '{' || character === '[';
    const node = isFlow ? this.#flow(0, true, onItem) : this.#block(0, 0, onItem);
    if (isFlow) this.toLineEnd();
    if (this.toContent() >= 0) throw new NotPlain();
    return node;
  }

  /** A map or a list whose first line begins here. */
  #block(indent: number, level: number, onItem?: OnItem): Node {
    if (level > mostLevels) throw new NotPlain();
    return this.isDash() ? this.#list(indent, level, onItem) : this.#map(indent, level, onItem);
  }

  #list(indent: number, level: number, onItem?: OnItem): ListNode {
    const at = this.place.at(this.at);
    const items: Node[] = [];
    const told = onItem && new Told(onItem, this.place);
    for (;;) {
      this.at++;
      while (this.text[this.at] === ' ') this.at++;
      if (told) this.#tellItem(told, level);
      else items.push(this.#item(level));
      const next = this.toContent();
      if (next < indent || (next === indent && !this.isDash())) return { kind: 'list', at, items };
      if (next > indent) throw new NotPlain();
    }
  }

  #tellItem(told: Told, level: number): void {
    const [from, line] = [this.at, this.lineStart];
    const isFlow = this.text[from] === '{';
    const likely = isFlow ? told.flow : told.blockAt(from - line);
    const found = likely.read(from);
    if (found) {
      this.at = found.end;
      this.toLineEnd();
      const isWhole = isFlow || this.toContent() < from - line;
      if (isWhole && told.take(found)) return;
      [this.at, this.lineStart] = [from, line];
    }
    const item = this.#item(level);
    likely.learn(item, from);
    told.onItem.tree(item, undefined);
  }

  #item(level: number): Node {
    const from = this.at;
    const isMap = this.name() !== undefined && this.isColon();
    this.at = from;
    return isMap ? this.#map(from - this.lineStart, level + 1) : this.#lineValue(level + 1);
  }

  #map(indent: number, level: number, onItem?: OnItem): MapNode {
    if (level > mostLevels) throw new NotPlain();
    const at = this.place.at(this.at);
    const entries: Entry[] = [];
    for (;;) {
      const nameAt = this.place.at(this.at);
      const name = this.name();
      if (name === undefined || !this.isColon()) throw new NotPlain();
      this.at++;
      while (this.text[this.at] === ' ') this.at++;
      add(entries, { name, at: nameAt, value: this.#value(indent, level, under(name, onItem)) });
      const next = this.toContent();
      if (next < indent) return { kind: 'map', at, entries };
      if (next > indent) throw new NotPlain();
    }
  }

  /** Behind the colon: on this line, or as a block further down. */
  #value(indent: number, level: number, onItem?: OnItem): Node {
    const character = this.text[this.at];
    if (character !== undefined && character !== '\n' && character !== '#')
      return this.#lineValue(level, onItem);
    this.toNextLine();
    const next = this.toContent();
    const isBelow = next > indent || (next === indent && this.isDash());
    if (!isBelow) throw new NotPlain();
    return this.isDash() ? this.#list(next, level + 1, onItem) : this.#block(next, level + 1);
  }

  #lineValue(level: number, onItem?: OnItem): Node {
    const character = this.text[this.at];
    const node =
      character === '['
        ? this.#flowList(level + 1, false, onItem)
        : character === '{'
          ? this.#flow(level + 1, false)
          : this.scalar(blockText);
    this.toLineEnd();
    return node;
  }

  /** `{ a: b }` or `[a, b]`. At the top of a file, as in JSON, over many lines. */
  #flow(level: number, overLines: boolean, onItem?: OnItem): Node {
    if (level > mostLevels) throw new NotPlain();
    const character = this.text[this.at];
    if (character === '{') return this.#flowMap(level, overLines, onItem);
    return character === '[' ? this.#flowList(level, overLines, onItem) : this.scalar(flowText);
  }

  #flowList(level: number, overLines: boolean, onItem?: OnItem): ListNode {
    const at = this.place.at(this.at);
    const items: Node[] = [];
    const told = onItem && new Told(onItem, this.place);
    for (let isFirst = true; !this.isClosed(']', isFirst, overLines); isFirst = false) {
      if (told) this.#tellFlow(told, level, overLines);
      else items.push(this.#flow(level + 1, overLines));
    }
    return { kind: 'list', at, items };
  }

  #tellFlow(told: Told, level: number, overLines: boolean): void {
    const from = this.at;
    const found = told.flow.read(from);
    if (found && told.take(found)) {
      this.at = found.end;
      return;
    }
    const item = this.#flow(level + 1, overLines);
    told.flow.learn(item, from);
    told.onItem.tree(item, undefined);
  }

  #flowMap(level: number, overLines: boolean, onItem?: OnItem): MapNode {
    const at = this.place.at(this.at);
    const entries: Entry[] = [];
    for (let isFirst = true; !this.isClosed('}', isFirst, overLines); isFirst = false) {
      const nameAt = this.place.at(this.at);
      const isQuoted = this.text[this.at] === '"';
      const name = this.name();
      if (name === undefined || this.text[this.at] !== ':') throw new NotPlain();
      if (!isQuoted && this.text[this.at + 1] !== ' ') throw new NotPlain();
      this.at++;
      this.toFlow(overLines);
      const isList = this.text[this.at] === '[';
      const value = isList
        ? this.#flowList(level + 1, overLines, under(name, onItem))
        : this.#flow(level + 1, overLines);
      add(entries, { name, at: nameAt, value });
    }
    return { kind: 'map', at, entries };
  }
}

/** The lists of a map at the top. */
function under(name: string, onItem: OnItem | undefined): OnItem | undefined {
  return onItem && { tree: (item) => onItem.tree(item, name), plain: (item) => onItem.plain(item, name) };
}

/** A list of which each item is told of, with what its records are like. */
class Told {
  readonly onItem: OnItem;
  readonly flow: LikelyRecords;
  readonly #place: PlacedText;
  #block: { column: number; likely: LikelyRecords } | undefined;

  constructor(onItem: OnItem, place: PlacedText) {
    this.onItem = onItem;
    this.#place = place;
    this.flow = new LikelyRecords(place, 'flow');
  }

  /** Their indent is part of what they are like. */
  blockAt(column: number): LikelyRecords {
    if (this.#block?.column !== column)
      this.#block = { column, likely: new LikelyRecords(this.#place, 'block') };
    return this.#block.likely;
  }

  take(item: PlainItem): boolean {
    return this.onItem.plain(item, undefined);
  }
}
