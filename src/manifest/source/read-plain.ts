/**
 * YAML and JSON of the plain kind, as pulls and people mostly write it: read in one pass, with nothing built but the tree.
 * Whatever is not plain, or wrong, is left to the library, which knows all of YAML and has the words for mistakes: both
 * give the same tree with the same places (test/unit/manifest/plain-files.test.ts).
 */
import type { Environment } from '../../environment.ts';
import { LikelyRecords, type PlainItem } from './likely-records.ts';
import type { Mistakes } from './mistakes.ts';
import type { Entry, ListNode, MapNode, Node } from './node.ts';
import { add, isOfPlainCharacters, NotPlain } from './plain-forms.ts';
import { PlainReader } from './plain-reader.ts';
import { PlacedText, type TextFile } from './text-place.ts';

/** Told of each item of a list at the top of a file, or of one that stands there under a name. */
export interface OnItem {
  tree(item: Node, name: string | undefined): void;
  /** Told first of one of single values: whether it was taken as it is. If not, it comes as a tree. */
  plain(item: PlainItem, name: string | undefined): boolean;
}

/**
 * Undefined where the file is not plain, whatever was told of before. Variables that can’t be filled in are mistakes, as
 * elsewhere. Records are told of one by one, and the tree has none of them: they needn’t be held all at once. Stops after
 * some of them, for whoever has others waiting.
 */
export function* readPlain(
  file: TextFile,
  reading: { env: Environment; mistakes: Mistakes },
  onItem: OnItem,
): Generator<void, Node | undefined> {
  if (!isOfPlainCharacters(file.text)) return undefined;
  try {
    return yield* new RecordsReader(new PlacedText(file), reading, onItem).records();
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

/** Records between two stops. */
const atOnce = 200;

/** What stands at the top of a file, or in a map there: all below it is read as trees. */
class RecordsReader extends PlainReader {
  readonly #onItem: OnItem;

  constructor(place: PlacedText, reading: { env: Environment; mistakes: Mistakes }, onItem: OnItem) {
    super(place, reading);
    this.#onItem = onItem;
  }

  *records(): Generator<void, Node> {
    const isFlow = this.begin();
    const node = isFlow ? yield* this.#topFlow() : yield* this.#topBlock();
    this.end(isFlow);
    return node;
  }

  *#topBlock(): Generator<void, Node> {
    return this.isDash() ? yield* this.#list(0, undefined) : yield* this.#map();
  }

  *#topFlow(): Generator<void, Node> {
    return this.text[this.at] === '[' ? yield* this.#flowList(true, undefined) : yield* this.#flowMap();
  }

  *#map(): Generator<void, MapNode> {
    const at = this.place.at(this.at);
    const entries: Entry[] = [];
    for (;;) {
      const nameAt = this.place.at(this.at);
      const name = this.blockName();
      add(entries, { name, at: nameAt, value: yield* this.#value(name) });
      const next = this.toContent();
      if (next < 0) return { kind: 'map', at, entries };
      if (next > 0) throw new NotPlain();
    }
  }

  *#value(name: string): Generator<void, Node> {
    const character = this.text[this.at];
    if (character === '[') {
      const list = yield* this.#flowList(false, name);
      this.toLineEnd();
      return list;
    }
    if (character !== undefined && character !== '\n' && character !== '#') return this.lineValue(0);
    this.toNextLine();
    const next = this.toContent();
    if (this.isDash() && next >= 0) return yield* this.#list(next, name);
    if (next <= 0) throw new NotPlain();
    return this.block(next, 1);
  }

  *#list(indent: number, name: string | undefined): Generator<void, ListNode> {
    const at = this.place.at(this.at);
    const told = new Told(this.#onItem, name, this.place);
    for (let count = 1; ; count++) {
      this.at++;
      this.passSpaces();
      this.#tellItem(told);
      if (count % atOnce === 0) yield;
      const next = this.toContent();
      if (next < indent || (next === indent && !this.isDash())) return { kind: 'list', at, items: [] };
      if (next > indent) throw new NotPlain();
    }
  }

  #tellItem(told: Told): void {
    const [from, line] = [this.at, this.lineStart];
    const isFlow = this.text[from] === '{';
    const likely = isFlow ? told.flow : told.blockAt(from - line);
    const found = likely.read(from);
    if (found) {
      this.at = found.end;
      this.toLineEnd();
      const isWhole = isFlow || this.toContent() < from - line;
      if (isWhole && told.plain(found)) return;
      [this.at, this.lineStart] = [from, line];
    }
    const item = this.item(0);
    likely.learn(item, from);
    told.tree(item);
  }

  *#flowMap(): Generator<void, MapNode> {
    const at = this.place.at(this.at);
    const entries: Entry[] = [];
    for (let isFirst = true; !this.isClosed('}', isFirst, true); isFirst = false) {
      const nameAt = this.place.at(this.at);
      const name = this.flowName(true);
      const isList = this.text[this.at] === '[';
      add(entries, {
        name,
        at: nameAt,
        value: isList ? yield* this.#flowList(true, name) : this.flow(1, true),
      });
    }
    return { kind: 'map', at, entries };
  }

  *#flowList(overLines: boolean, name: string | undefined): Generator<void, ListNode> {
    const at = this.place.at(this.at);
    const told = new Told(this.#onItem, name, this.place);
    for (let count = 0; !this.isClosed(']', count === 0, overLines); count++) {
      this.#tellFlow(told, overLines);
      if (count % atOnce === 0) yield;
    }
    return { kind: 'list', at, items: [] };
  }

  #tellFlow(told: Told, overLines: boolean): void {
    const from = this.at;
    const found = told.flow.read(from);
    if (found && told.plain(found)) {
      this.at = found.end;
      return;
    }
    const item = this.flow(1, overLines);
    told.flow.learn(item, from);
    told.tree(item);
  }
}

/** A list of which each item is told of, with what its records are like. */
class Told {
  readonly #onItem: OnItem;
  readonly #name: string | undefined;
  readonly flow: LikelyRecords;
  readonly #place: PlacedText;
  #block: { column: number; likely: LikelyRecords } | undefined;

  constructor(onItem: OnItem, name: string | undefined, place: PlacedText) {
    this.#onItem = onItem;
    this.#name = name;
    this.#place = place;
    this.flow = new LikelyRecords(place, 'flow');
  }

  /** Their indent is part of what they are like. */
  blockAt(column: number): LikelyRecords {
    if (this.#block?.column !== column)
      this.#block = { column, likely: new LikelyRecords(this.#place, 'block') };
    return this.#block.likely;
  }

  plain(item: PlainItem): boolean {
    return this.#onItem.plain(item, this.#name);
  }

  tree(item: Node): void {
    this.#onItem.tree(item, this.#name);
  }
}
