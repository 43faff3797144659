/** Parses YAML, and JSON as a subset of it, into a tree with locations. Only this file loads the YAML library. */
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
  type YAMLMap,
  type YAMLSeq,
  type Node as YamlNode,
} from 'yaml';
import type { Environment } from '../../base/environment.ts';
import type { Pauses } from '../pauses.ts';
import type { Mistakes } from './mistakes.ts';
import {
  type BrokenNode,
  type FileLocation,
  LocatedText,
  locationText,
  type MapEntry,
  type Node,
  type ScalarNode,
  type TextFile,
} from './node.ts';
import { expandVariables, hasVariables } from './variables.ts';
import { type YamlProblem, yamlProblems } from './yaml-problems.ts';

/** The limit of repetition by anchors: the number of nodes is at most the characters times `times`, plus `more`. */
const maxRepeated = { times: 20, more: 10_000 };
const maxLevels = 100;
/**
 * The longest text that is read as one file: about 100,000 records. The library composes a document in one step
 * that can't be interrupted, and needs more than a hundred bytes of memory for each character.
 */
const maxCharacters = 16_000_000;
/** The maximum number of open items in the parser. */
const maxOpenItems = 2 * maxLevels;

/** The trees of a file, one for each document. */
export interface YamlTrees {
  trees: Node[];
  /** Whether parts of the text are in no tree, because they can't be parsed. */
  isIncomplete: boolean;
}

/**
 * Returns the trees of a file. Invalid parts are added to the mistakes and omitted. After a syntax error, reading
 * continues with the next entry of the outermost map that starts its line, so that other mistakes are found too.
 */
export async function readYaml(
  file: TextFile,
  { env, pauses }: { env: Environment; pauses: Pauses },
  mistakes: Mistakes,
): Promise<YamlTrees> {
  const { text } = file;
  const locatedText = new LocatedText(file);
  const place = (offset: number) => locatedText.at(offset);
  if (text.length > maxCharacters) {
    mistakes.add(place(0), tooLong(text.length));
    return { trees: [], isIncomplete: true };
  }
  const { documents, tooDeepAt } = await documentsIn(text, pauses);
  if (tooDeepAt !== undefined) {
    mistakes.add(place(tooDeepAt), tooDeep);
    return { trees: [], isIncomplete: true };
  }
  const problems = yamlProblems(text, documents);
  await pauses.takeIfDue();
  for (const { offset, what } of problems) mistakes.add(place(offset), what);
  const nodeBudget = { left: text.length * maxRepeated.times + maxRepeated.more };
  const trees: Node[] = [];
  for (const document of documents) {
    if (document.contents === null) continue;
    const reader = new TreeReader({ document, place, env, mistakes, nodeBudget, problems });
    trees.push(reader.read(document.contents as YamlNode, 0));
    await pauses.takeIfDue();
  }
  return { trees, isIncomplete: problems.some(({ isLocal }) => !isLocal) };
}

function tooLong(length: number): string {
  const [is, max] = [length, maxCharacters].map((count) => `${Math.ceil(count / 1e6)} million characters`);
  return `is too long: it has ${is}, and the limit is ${max}. Split it into several files, or write the records as a table (CSV, NDJSON)`;
}

/** The number of symbols between two checks of the time. */
const symbolsPerCheck = 1000;

interface ParsedDocuments {
  documents: Document[];
  /** The offset at which the nesting is too deep for the library's stack. */
  tooDeepAt?: number;
}

/** Parses as the library's `parseAllDocuments` does, with pauses. */
async function documentsIn(text: string, pauses: Pauses): Promise<ParsedDocuments> {
  const parser = new Parser();
  const composer = new Composer({ prettyErrors: false, merge: false, uniqueKeys: false });
  const documents: Document[] = [];
  let count = 0;
  for (const symbol of new Lexer().lex(text)) {
    for (const token of parser.next(symbol)) documents.push(...composer.next(token));
    if (parser.stack.length > maxOpenItems) return { documents: [], tooDeepAt: parser.offset };
    if (++count % symbolsPerCheck === 0 && pauses.isDue) await pauses.take();
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  await pauses.takeIfDue();
  return { documents };
}

const tooDeep = `is nested deeper than ${maxLevels} levels`;

interface TreeOptions {
  document: Document;
  place(offset: number): FileLocation;
  env: Environment;
  mistakes: Mistakes;
  /** The number of nodes that may still be created. Nested anchors can grow exponentially. */
  nodeBudget: { left: number };
  /** The parts of the file that can't be parsed. */
  problems: readonly YamlProblem[];
}

class TreeReader {
  readonly #options: TreeOptions;
  /** The offsets of problems after which the tree is unreliable, and the offsets of problems of a single node. */
  readonly #cuts: readonly number[];
  readonly #invalidOffsets: readonly number[];
  /** The offset up to which the current entry of the outermost map is reliable. */
  #cut: number;

  constructor(reading: TreeOptions) {
    this.#options = reading;
    const offsets = (isLocal: boolean) =>
      reading.problems.flatMap((each) => (each.isLocal === isLocal ? [each.offset] : []));
    this.#cuts = offsets(false);
    this.#invalidOffsets = offsets(true);
    this.#cut = this.#cutAfter(0);
  }

  #cutAfter(offset: number): number {
    return Math.min(...this.#cuts.filter((cut) => cut >= offset), Number.POSITIVE_INFINITY);
  }

  /** Returns whether a reported syntax error makes a node unreadable. */
  #isInvalid(node: YamlNode, isInList: boolean): boolean {
    if (this.#cuts.length === 0 && this.#invalidOffsets.length === 0) return false;
    const [start, end] = node.range ?? [0, 0];
    const isOpen = !isMap(node) && !isSeq(node);
    const isRecord = isMap(node) && isInList;
    if (start >= this.#cut || ((isOpen || isRecord) && end >= this.#cut && !isAlias(node))) return true;
    return this.#invalidOffsets.some(
      (offset) => offset === start || (isOpen && start < offset && offset < end),
    );
  }

  read(node: YamlNode | null, level: number, at = this.#locationOf(node), isInList = false): Node {
    const { nodeBudget } = this.#options;
    if (node === null) return { kind: 'scalar', value: null, text: '', at };
    if (this.#isInvalid(node, isInList)) return { kind: 'broken', at };
    nodeBudget.left--;
    if (nodeBudget.left < 0)
      return this.#refuse(at, 'repeats the same content through anchors too often', nodeBudget.left === -1);
    if (level > maxLevels) return this.#refuse(at, tooDeep);
    if (isAlias(node)) return this.#readAlias(node, level, at);
    if (isMap(node)) return this.#readMap(node as YAMLMap, level, at);
    if (isSeq(node)) return this.#readList(node as YAMLSeq, level, at);
    return this.#readScalar(node as Scalar, at);
  }

  #readAlias(alias: Alias, level: number, at: FileLocation): Node {
    const target = alias.resolve(this.#options.document);
    if (!target) return this.#refuse(at, `refers to the anchor ${alias.source}, which doesn't exist`);
    return this.read(target as YamlNode, level + 1, at);
  }

  #readList({ items }: YAMLSeq, level: number, at: FileLocation): Node {
    const read = items.map((item) =>
      this.read(item as YamlNode | null, level + 1, this.#locationOf(item as YamlNode) ?? at, true),
    );
    return { kind: 'list', at, items: read };
  }

  #readMap({ items }: YAMLMap, level: number, at: FileLocation): Node {
    const entries = new Map<string, MapEntry>();
    const repeated: MapEntry[] = [];
    const merged: MapEntry[] = [];
    const firstAt = new Map<string, FileLocation>();
    for (const { key, value } of items as Pair<YamlNode, YamlNode | null>[]) {
      const keyAt = this.#locationOf(key);
      if (level === 0 && keyAt.column === 1) this.#cut = this.#cutAfter((key?.range?.[0] ?? 0) + 1);
      if ((key?.range?.[0] ?? 0) >= this.#cut) continue;
      if (!isScalar(key)) {
        this.#refuse(keyAt, "can't be a key: it isn't text");
        continue;
      }
      const valueAt = value === null || value.range == null ? keyAt : this.#locationOf(value);
      const read = this.read(value, level + 1, valueAt);
      const name = String(key.value ?? '');
      const before = firstAt.get(name);
      if (before) this.#refuse(keyAt, `${name} is a duplicate key: also at ${locationText(before)}`);
      else firstAt.set(name, keyAt);
      if (name === '<<') merged.push(...this.#merged(read));
      else if (before) repeated.push({ name, at: keyAt, value: read, isRepeated: true });
      else entries.set(name, { name, at: keyAt, value: read });
    }
    const own = [...entries.values(), ...repeated];
    const more = merged.filter(
      ({ name }, index) => !entries.has(name) && merged.findIndex((each) => each.name === name) === index,
    );
    return { kind: 'map', at, entries: [...own, ...more] };
  }

  #merged(node: Node): readonly MapEntry[] {
    if (node.kind === 'map') return node.entries;
    if (node.kind === 'list') return node.items.flatMap((item) => this.#merged(item));
    if (node.kind !== 'broken') this.#refuse(node.at, 'must refer to a map, for example <<: *defaults');
    return [];
  }

  #readScalar(scalar: Scalar, at: FileLocation): Node {
    const { value } = scalar;
    const isText = typeof value === 'string';
    const text = isText ? value : String(scalar.source ?? value ?? '');
    if (!isText && typeof value !== 'number' && typeof value !== 'boolean' && value !== null) {
      return this.#refuse(at, "has a type that can't be sent; put it in quotes");
    }
    return scalarNode(value, text, at, this.#options);
  }

  #refuse(at: FileLocation, what: string, isReported = true): BrokenNode {
    if (isReported) this.#options.mistakes.add(at, what);
    return { kind: 'broken', at };
  }

  #locationOf(node: { range?: Range | null } | null | undefined): FileLocation {
    return this.#options.place(node?.range?.[0] ?? 0);
  }
}

/**
 * Returns a scalar with its variables expanded. `text` is the source without quotes. A failed expansion is kept in the
 * node, because not every value is needed.
 */
function scalarNode(
  value: ScalarNode['value'],
  text: string,
  at: FileLocation,
  { env, mistakes }: { env: Environment; mistakes: Mistakes },
): ScalarNode | BrokenNode {
  if (typeof value === 'string' && !isStorable(value))
    return broken(at, 'contains an invalid character', mistakes);
  if (typeof value !== 'string' || !hasVariables(value)) return { kind: 'scalar', value, text, at };
  const filled = expandVariables(value, env);
  if (filled.problem !== undefined)
    return { kind: 'scalar', value, text, template: value, problem: filled.problem, at };
  const { text: whole, expanded } = filled;
  return { kind: 'scalar', value: whole, text: whole, template: value, expanded, at };
}

/** Returns whether the text contains neither NUL nor an unpaired surrogate, which no service stores. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function broken(at: FileLocation, what: string, mistakes: Mistakes): BrokenNode {
  mistakes.add(at, what);
  return { kind: 'broken', at };
}
