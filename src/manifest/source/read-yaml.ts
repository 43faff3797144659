/** YAML and JSON, which is YAML as well, into a tree with places: by the library that reads them, which comes with this file. */
import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  Parser,
  type Range,
  type Scalar,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
  type Node as YamlNode,
} from 'yaml';
import type { Environment } from '../../base/environment.ts';
import type { Pauses } from '../pauses.ts';
import type { Mistakes } from './mistakes.ts';
import {
  type BrokenNode,
  type Entry,
  type Node,
  type Place,
  PlacedText,
  type ScalarNode,
  type TextFile,
} from './node.ts';
import { fillVariables, hasVariables } from './variables.ts';

/** Anchors may repeat what stands once, though not without end: this often, and a few more. */
const mostRepeated = { times: 20, more: 10_000 };
const mostLevels = 100;
/**
 * The longest text that is read as one file: about 100,000 records. The library composes a document in one step that
 * can't be interrupted, and needs more than a hundred bytes of memory for each character.
 */
const maxCharacters = 16_000_000;
/** Things that are open at a time while symbols are read: beyond the levels, brackets alone. */
const mostOpen = 2 * mostLevels;

/** One tree for each document in the file. What is wrong with it is among the mistakes, and left out. */
export async function readYaml(
  file: TextFile,
  { env, pauses }: { env: Environment; pauses: Pauses },
  mistakes: Mistakes,
): Promise<Node[]> {
  const { text } = file;
  const placed = new PlacedText(file);
  const place = (offset: number) => placed.at(offset);
  if (text.length > maxCharacters) {
    mistakes.add(place(0), tooLong(text.length));
    return [];
  }
  const { documents, tooDeepAt } = await documentsIn(text, pauses);
  if (tooDeepAt !== undefined) {
    mistakes.add(place(tooDeepAt), tooDeep);
    return [];
  }
  const problems = yamlProblems(text, documents);
  await pauses.takeIfDue();
  for (const { offset, what } of problems) mistakes.add(place(offset), what);
  if (problems.length > 0) return [];
  const room = { left: text.length * mostRepeated.times + mostRepeated.more };
  const trees: Node[] = [];
  for (const document of documents) {
    if (document.contents === null) continue;
    const reader = new TreeReader({ document, place, env, mistakes, room });
    trees.push(reader.read(document.contents as YamlNode, 0));
    await pauses.takeIfDue();
  }
  return trees;
}

function tooLong(length: number): string {
  const [is, max] = [length, maxCharacters].map((count) => `${Math.ceil(count / 1e6)} million characters`);
  return `is too long: it has ${is}, and the limit is ${max}. Divide it into several files, or write the records as a table (CSV, NDJSON)`;
}

/** Symbols of the text between two looks at the time. */
const atOnce = 1000;

interface Documents {
  documents: Document[];
  /** Where so much is open that the library would run out of room. */
  tooDeepAt?: number;
}

/** As the library’s `parseAllDocuments` does it, with stops. */
async function documentsIn(text: string, pauses: Pauses): Promise<Documents> {
  const parser = new Parser();
  const composer = new Composer({ prettyErrors: false, merge: false });
  const documents: Document[] = [];
  let count = 0;
  for (const symbol of new Lexer().lex(text)) {
    for (const token of parser.next(symbol)) documents.push(...composer.next(token));
    if (parser.stack.length > mostOpen) return { documents: [], tooDeepAt: parser.offset };
    if (++count % atOnce === 0 && pauses.isDue) await pauses.take();
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  await pauses.takeIfDue();
  return { documents };
}

const tooDeep = `is nested deeper than ${mostLevels} levels`;

interface Reading {
  document: Document;
  place(offset: number): Place;
  env: Environment;
  mistakes: Mistakes;
  /** Nodes that may still be made: anchors within anchors grow without end. */
  room: { left: number };
}

class TreeReader {
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  read(node: YamlNode | null, level: number, at = this.#placeOf(node)): Node {
    const { room } = this.#reading;
    if (node === null) return { kind: 'scalar', value: null, text: '', at };
    room.left--;
    if (room.left < 0)
      return this.#refuse(at, 'repeats itself through anchors far too often', room.left === -1);
    if (level > mostLevels) return this.#refuse(at, tooDeep);
    if (isAlias(node)) return this.#readAlias(node, level, at);
    if (isMap(node)) return this.#readMap(node as YAMLMap, level, at);
    if (isSeq(node)) return this.#readList(node as YAMLSeq, level, at);
    return this.#readScalar(node as Scalar, at);
  }

  #readAlias(alias: Alias, level: number, at: Place): Node {
    const target = alias.resolve(this.#reading.document);
    if (!target) return this.#refuse(at, `refers to the anchor ${alias.source}, which is not there`);
    return this.read(target as YamlNode, level + 1, at);
  }

  #readList({ items }: YAMLSeq, level: number, at: Place): Node {
    const read = items.map((item) =>
      this.read(item as YamlNode | null, level + 1, this.#placeOf(item as YamlNode) ?? at),
    );
    return { kind: 'list', at, items: read };
  }

  #readMap({ items }: YAMLMap, level: number, at: Place): Node {
    const entries = new Map<string, Entry>();
    const merged: Entry[] = [];
    for (const { key, value } of items as Pair<YamlNode, YamlNode | null>[]) {
      const keyAt = this.#placeOf(key);
      if (!isScalar(key)) {
        this.#refuse(keyAt, 'can’t be a name: it is no text');
        continue;
      }
      const valueAt = value === null || value.range == null ? keyAt : this.#placeOf(value);
      const read = this.read(value, level + 1, valueAt);
      const name = String(key.value ?? '');
      if (name === '<<') merged.push(...this.#merged(read));
      else entries.set(name, { name, at: keyAt, value: read });
    }
    const own = [...entries.values()];
    const more = merged.filter(
      ({ name }, index) => !entries.has(name) && merged.findIndex((each) => each.name === name) === index,
    );
    return { kind: 'map', at, entries: [...own, ...more] };
  }

  #merged(node: Node): readonly Entry[] {
    if (node.kind === 'map') return node.entries;
    if (node.kind === 'list') return node.items.flatMap((item) => this.#merged(item));
    if (node.kind !== 'broken') this.#refuse(node.at, 'must name a map to take over, as in <<: *usual');
    return [];
  }

  #readScalar(scalar: Scalar, at: Place): Node {
    const { value } = scalar;
    const isText = typeof value === 'string';
    const text = isText ? value : String(scalar.source ?? value ?? '');
    if (!isText && typeof value !== 'number' && typeof value !== 'boolean' && value !== null) {
      return this.#refuse(at, 'is of a type that can’t be sent; put it in quotes');
    }
    return scalarNode(value, text, at, this.#reading);
  }

  #refuse(at: Place, what: string, isTold = true): BrokenNode {
    if (isTold) this.#reading.mistakes.add(at, what);
    return { kind: 'broken', at };
  }

  #placeOf(node: { range?: Range | null } | null | undefined): Place {
    return this.#reading.place(node?.range?.[0] ?? 0);
  }
}

/** `text` as it stands there, without quotes. What can’t be filled in is among the mistakes. */
function scalarNode(
  value: ScalarNode['value'],
  text: string,
  at: Place,
  { env, mistakes }: { env: Environment; mistakes: Mistakes },
): ScalarNode | BrokenNode {
  if (typeof value === 'string' && !canBeKept(value))
    return broken(at, 'holds a character that no text can have', mistakes);
  if (typeof value !== 'string' || !hasVariables(value)) return { kind: 'scalar', value, text, at };
  const filled = fillVariables(value, env);
  if (filled.problem !== undefined) return broken(at, filled.problem, mistakes);
  const { text: whole, expanded } = filled;
  return { kind: 'scalar', value: whole, text: whole, template: value, expanded, at };
}

/** Neither NUL nor half of a surrogate pair is in it: no service keeps either. */
function canBeKept(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function broken(at: Place, what: string, mistakes: Mistakes): BrokenNode {
  mistakes.add(at, what);
  return { kind: 'broken', at };
}

interface YamlProblem {
  offset: number;
  /** As `Mistake` has it. */
  what: string;
}

function yamlProblems(text: string, documents: readonly Document[]): YamlProblem[] {
  const found = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings.filter(isOfUnknownTag)]);
  const variable = found.find(({ pos: [offset] }) => text.startsWith('${', offset - 1))?.pos[0];
  if (variable === undefined) return found.map(toProblem);
  // What is said from there on comes of its bracket.
  const before = found.filter(({ pos: [offset] }) => offset < variable);
  const what = `is a variable among brackets, where YAML wants it in quotes: "$\{…}"`;
  return [...before.map(toProblem), { offset: variable - 1, what }];
}

function toProblem(error: YAMLError): YamlProblem {
  return { offset: error.pos[0], what: inWords(error) };
}

const unknownTag = /^Unresolved tag: (.+)$/;

/** What a tool of its own makes of such a value, boh would send as it is written. */
function isOfUnknownTag({ message }: YAMLError): boolean {
  return unknownTag.test(message);
}

function inWords({ code, message }: YAMLError): string {
  if (code === 'TAB_AS_INDENT') return 'is indented by a tab; YAML takes spaces alone';
  if (code === 'DUPLICATE_KEY') return 'stands twice';
  const first = message.split('\n')[0] ?? message;
  const [, tag] = unknownTag.exec(first) ?? [];
  if (tag !== undefined) return `has the tag ${tag}, which boh doesn’t know`;
  return `can’t be read as YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}
