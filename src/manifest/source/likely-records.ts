/**
 * Records that are written as one before them was: what stands between their values is the same, letter by letter. They
 * are read at once, with no tree of theirs. Whatever is otherwise in any way is left to the reader of trees.
 */
import type { Node, Place, RecordPlace } from './node.ts';
import { blockText, flowText, quoted, singleQuoted, withoutSpaces } from './plain-forms.ts';
import { plainValue } from './plain-value.ts';
import type { PlacedText } from './text-place.ts';
import { hasVariables } from './variables.ts';

export type PlainScalar = string | number | boolean | null;

/** A record of single values, none of which holds a variable. */
export interface PlainItem {
  /** The same list for all that have the same names in the same order. */
  names: readonly string[];
  /** In their order. Whoever is told of them may keep them. */
  values: PlainScalar[];
  at: RecordPlace;
}

/** What has been read so far of a record, and how others went on from there. */
interface Step {
  /** Between the value before, or the beginning, and this one. */
  before: string;
  names: readonly string[];
  next: Step[];
  /** What stands behind the last value, where this is it; behind a block it is the end of the line, whatever follows. */
  ends: string[];
}

/** A file whose records are all written differently is not worth remembering. */
const mostSteps = 1000;
const mostWays = 8;

const plainlyQuoted = /"[^"\\\n]*"/y;
const plainlySingleQuoted = /'[^'\n]*'(?!')/y;

export class LikelyRecords {
  readonly #place: PlacedText;
  readonly #text: string;
  readonly #isFlow: boolean;
  readonly #plain: RegExp;
  readonly #hasVariables: boolean;
  readonly #first: Step = { before: '', names: [], next: [], ends: [] };
  #steps = 0;

  /** Of the records of one list that are written in this form; as a block with one indent. */
  constructor(place: PlacedText, form: 'block' | 'flow') {
    this.#place = place;
    this.#text = place.text;
    this.#isFlow = form === 'flow';
    this.#plain = this.#isFlow ? flowText : blockText;
    this.#hasVariables = hasVariables(place.text);
  }

  /** The record that begins there, and where it ends; undefined where none did like it. */
  read(from: number): (PlainItem & { end: number }) | undefined {
    const values: PlainScalar[] = [];
    const text = this.#text;
    let [step, at] = [this.#first, from];
    for (;;) {
      const next = stepAt(step, text, at);
      if (next === undefined) break;
      const start = at + next.before.length;
      at = this.#endOfValue(start);
      if (at < 0) return undefined;
      const value = this.#valueIn(start, at);
      if (value === undefined) return undefined;
      values.push(value);
      step = next;
    }
    for (const end of step.ends) {
      if (text.startsWith(end, at))
        return {
          names: step.names,
          values,
          at: new LikelyPlace(this, from),
          end: at + end.length,
        };
    }
    return undefined;
  }

  /** What was read otherwise, from there on. */
  learn(item: Node, from: number): void {
    if (item.kind !== 'map' || this.#steps > mostSteps) return;
    let [step, at] = [this.#first, from];
    for (const { name, value } of item.entries) {
      if (value.kind !== 'scalar') return;
      const start = this.#place.offsetOf(value.at);
      step = this.#stepAfter(step, this.#text.slice(at, start), name);
      at = this.#endOfAny(start);
    }
    const behind = this.#isFlow ? this.#text.slice(at, this.#text.indexOf('}', at) + 1) : '';
    if (!step.ends.includes(behind) && step.ends.length < mostWays) step.ends.push(behind);
  }

  /** Of a record that was read, or of one of its values. */
  placeAt(from: number, index = -1): Place {
    let [step, at, start] = [this.#first, from, from];
    for (let count = 0; count <= index; count++) {
      const next = stepAt(step, this.#text, at);
      if (next === undefined) break;
      start = at + next.before.length;
      at = this.#endOfValue(start);
      step = next;
    }
    return this.#place.at(start);
  }

  #stepAfter(step: Step, before: string, name: string): Step {
    const known = step.next.find((each) => each.before === before);
    if (known) return known;
    const made = { before, names: [...step.names, name], next: [], ends: [] };
    if (step.next.length < mostWays) step.next.push(made);
    this.#steps++;
    return made;
  }

  /** -1 where it takes more than a glance. */
  #endOfValue(start: number): number {
    const code = this.#text.charCodeAt(start);
    if (code === doubleQuote) return endOf(plainlyQuoted, this.#text, start);
    return endOf(code === singleQuote ? plainlySingleQuoted : this.#plain, this.#text, start);
  }

  #endOfAny(start: number): number {
    const code = this.#text.charCodeAt(start);
    if (code === doubleQuote) return endOf(quoted, this.#text, start);
    return endOf(code === singleQuote ? singleQuoted : this.#plain, this.#text, start);
  }

  #valueIn(start: number, end: number): PlainScalar | undefined {
    const code = this.#text.charCodeAt(start);
    const isQuoted = code === doubleQuote || code === singleQuote;
    const text = isQuoted
      ? this.#text.slice(start + 1, end - 1)
      : withoutSpaces(this.#text.slice(start, end));
    if (this.#hasVariables && hasVariables(text)) return undefined;
    if (isQuoted) return text;
    const value = plainValue(text);
    // What is written otherwise than it is told, such as 1.50, is more than its value.
    return typeof value === 'number' && String(value) !== text ? undefined : value;
  }
}

const [doubleQuote, singleQuote] = [0x22, 0x27];

function stepAt({ next }: Step, text: string, at: number): Step | undefined {
  for (const each of next) if (text.startsWith(each.before, at)) return each;
  return undefined;
}

function endOf(form: RegExp, text: string, start: number): number {
  form.lastIndex = start;
  return form.test(text) ? form.lastIndex : -1;
}

/** Looked up when it is asked for: of very many, hardly any is. */
class LikelyPlace implements RecordPlace {
  readonly #records: LikelyRecords;
  readonly #from: number;
  readonly #index: number | undefined;

  /** Of a record, or of one of its values. */
  constructor(records: LikelyRecords, from: number, index?: number) {
    this.#records = records;
    this.#from = from;
    this.#index = index;
  }

  get file(): string {
    return this.#found.file;
  }

  get line(): number {
    return this.#found.line;
  }

  get column(): number {
    return this.#found.column;
  }

  ofValue(index: number): Place {
    return new LikelyPlace(this.#records, this.#from, index);
  }

  get #found(): Place {
    return this.#records.placeAt(this.#from, this.#index);
  }
}
