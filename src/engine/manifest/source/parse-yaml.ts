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
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
  type Node as YamlNode,
} from 'yaml';
import type { Environment } from '../../../base/environment.ts';
import type { Mistakes, Pauses } from './mistakes.ts';
import {
  type BrokenNode,
  type FileLocation,
  formatLocation,
  LocatedText,
  type MapEntry,
  type Node,
  type ScalarNode,
  type TextFile,
} from './node.ts';
import { expandVariables, hasVariables } from './variables.ts';

/** Limits repetition by anchors: the maximum number of nodes is `base`, plus `perCharacter` for each character. */
const nodeLimit = { perCharacter: 20, base: 10_000 };
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
export async function parseYaml(
  file: TextFile,
  { env, pauses }: { env: Environment; pauses: Pauses },
  mistakes: Mistakes,
): Promise<YamlTrees> {
  const { text } = file;
  const locatedText = new LocatedText(file);
  const locationAt = (offset: number) => locatedText.locationAt(offset);
  if (text.length > maxCharacters) {
    mistakes.add(locationAt(0), tooLongMessage(text.length));
    return { trees: [], isIncomplete: true };
  }
  const { documents, tooDeepAt } = await parseDocuments(text, pauses);
  if (tooDeepAt !== undefined) {
    mistakes.add(locationAt(tooDeepAt), tooDeepMessage);
    return { trees: [], isIncomplete: true };
  }
  const problems = yamlProblems(text, documents);
  await pauses.pauseIfDue();
  for (const { offset, message } of problems) mistakes.add(locationAt(offset), message);
  const nodeBudget = { remaining: text.length * nodeLimit.perCharacter + nodeLimit.base };
  const trees: Node[] = [];
  for (const document of documents) {
    if (document.contents === null) continue;
    const reader = new TreeReader({ document, locationAt, env, mistakes, nodeBudget, problems });
    trees.push(reader.read(document.contents as YamlNode, 0));
    await pauses.pauseIfDue();
  }
  return { trees, isIncomplete: problems.some(({ isLocal }) => !isLocal) };
}

function tooLongMessage(length: number): string {
  const [actualLength, maximumLength] = [length, maxCharacters].map(
    (count) => `${Math.ceil(count / 1e6)} million characters`,
  );
  return `is too long: it has ${actualLength}, and the limit is ${maximumLength}. Split it into several files, or write the records as a table (CSV, NDJSON)`;
}

/** The number of symbols between two checks of the time. */
const symbolsPerCheck = 1000;

interface ParsedDocuments {
  documents: Document[];
  /** The offset at which the nesting is too deep for the library's stack. */
  tooDeepAt?: number;
}

/** Parses as the library's `parseAllDocuments` does, with pauses. */
async function parseDocuments(text: string, pauses: Pauses): Promise<ParsedDocuments> {
  const parser = new Parser();
  const composer = new Composer({ prettyErrors: false, merge: false, uniqueKeys: false });
  const documents: Document[] = [];
  let count = 0;
  for (const symbol of new Lexer().lex(text)) {
    for (const token of parser.next(symbol)) documents.push(...composer.next(token));
    if (parser.stack.length > maxOpenItems) return { documents: [], tooDeepAt: parser.offset };
    if (++count % symbolsPerCheck === 0 && pauses.isDue) await pauses.pause();
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  await pauses.pauseIfDue();
  return { documents };
}

const tooDeepMessage = `is nested deeper than ${maxLevels} levels`;

interface TreeOptions {
  document: Document;
  locationAt(offset: number): FileLocation;
  env: Environment;
  mistakes: Mistakes;
  /** The number of nodes that may still be created. Nested anchors can grow exponentially. */
  nodeBudget: { remaining: number };
  /** The parts of the file that can't be parsed. */
  problems: readonly YamlProblem[];
}

class TreeReader {
  readonly #options: TreeOptions;
  /** The offsets of problems after which the tree is unreliable, and the offsets of problems of a single node. */
  readonly #unreliableOffsets: readonly number[];
  readonly #invalidOffsets: readonly number[];
  /** The offset up to which the current entry of the outermost map is reliable. */
  #reliableUntil: number;

  constructor(options: TreeOptions) {
    this.#options = options;
    const offsets = (isLocal: boolean) =>
      options.problems.flatMap((problem) => (problem.isLocal === isLocal ? [problem.offset] : []));
    this.#unreliableOffsets = offsets(false);
    this.#invalidOffsets = offsets(true);
    this.#reliableUntil = this.#nextUnreliableOffset(0);
  }

  #nextUnreliableOffset(offset: number): number {
    return Math.min(
      ...this.#unreliableOffsets.filter((unreliable) => unreliable >= offset),
      Number.POSITIVE_INFINITY,
    );
  }

  /** Returns whether a reported syntax error makes a node unreadable. */
  #isInvalid(node: YamlNode, isInList: boolean): boolean {
    if (this.#unreliableOffsets.length === 0 && this.#invalidOffsets.length === 0) return false;
    const [start, end] = node.range ?? [0, 0];
    const isOpen = !isMap(node) && !isSeq(node);
    const isRecord = isMap(node) && isInList;
    if (
      start >= this.#reliableUntil ||
      ((isOpen || isRecord) && end >= this.#reliableUntil && !isAlias(node))
    )
      return true;
    return this.#invalidOffsets.some(
      (offset) => offset === start || (isOpen && start < offset && offset < end),
    );
  }

  read(node: YamlNode | null, level: number, location = this.#locationOf(node), isInList = false): Node {
    const { nodeBudget } = this.#options;
    if (node === null) return { kind: 'scalar', value: null, text: '', location };
    if (this.#isInvalid(node, isInList)) return { kind: 'broken', location };
    nodeBudget.remaining--;
    if (nodeBudget.remaining < 0)
      return this.#refuse(
        location,
        'repeats the same content through anchors too often',
        nodeBudget.remaining === -1,
      );
    if (level > maxLevels) return this.#refuse(location, tooDeepMessage);
    if (isAlias(node)) return this.#readAlias(node, level, location);
    if (isMap(node)) return this.#readMap(node as YAMLMap, level, location);
    if (isSeq(node)) return this.#readList(node as YAMLSeq, level, location);
    return this.#readScalar(node as Scalar, location);
  }

  #readAlias(alias: Alias, level: number, location: FileLocation): Node {
    const target = alias.resolve(this.#options.document);
    if (!target) return this.#refuse(location, `refers to the anchor ${alias.source}, which doesn't exist`);
    return this.read(target as YamlNode, level + 1, location);
  }

  #readList({ items }: YAMLSeq, level: number, location: FileLocation): Node {
    const children = items.map((item) =>
      this.read(item as YamlNode | null, level + 1, this.#locationOf(item as YamlNode) ?? location, true),
    );
    return { kind: 'list', location, items: children };
  }

  #readMap({ items }: YAMLMap, level: number, location: FileLocation): Node {
    const entries = new Map<string, MapEntry>();
    const repeatedEntries: MapEntry[] = [];
    const mergedEntries: MapEntry[] = [];
    const firstLocations = new Map<string, FileLocation>();
    for (const { key, value } of items as Pair<YamlNode, YamlNode | null>[]) {
      const keyLocation = this.#locationOf(key);
      if (level === 0 && keyLocation.column === 1)
        this.#reliableUntil = this.#nextUnreliableOffset((key?.range?.[0] ?? 0) + 1);
      if ((key?.range?.[0] ?? 0) >= this.#reliableUntil) continue;
      if (!isScalar(key)) {
        this.#refuse(keyLocation, "can't be a key: it isn't text");
        continue;
      }
      const valueLocation = value === null || value.range == null ? keyLocation : this.#locationOf(value);
      const child = this.read(value, level + 1, valueLocation);
      const name = String(key.value ?? '');
      const firstLocation = firstLocations.get(name);
      if (firstLocation)
        this.#refuse(keyLocation, `${name} is a duplicate key: also at ${formatLocation(firstLocation)}`);
      else firstLocations.set(name, keyLocation);
      if (name === '<<') mergedEntries.push(...this.#mergedEntries(child));
      else if (firstLocation)
        repeatedEntries.push({ name, location: keyLocation, value: child, isRepeated: true });
      else entries.set(name, { name, location: keyLocation, value: child });
    }
    const ownEntries = [...entries.values(), ...repeatedEntries];
    const inheritedEntries = mergedEntries.filter(
      ({ name }, index) =>
        !entries.has(name) && mergedEntries.findIndex((entry) => entry.name === name) === index,
    );
    return { kind: 'map', location, entries: [...ownEntries, ...inheritedEntries] };
  }

  #mergedEntries(node: Node): readonly MapEntry[] {
    if (node.kind === 'map') return node.entries;
    if (node.kind === 'list') return node.items.flatMap((item) => this.#mergedEntries(item));
    if (node.kind !== 'broken') this.#refuse(node.location, 'must refer to a map, for example <<: *defaults');
    return [];
  }

  #readScalar(scalar: Scalar, location: FileLocation): Node {
    const { value } = scalar;
    const isText = typeof value === 'string';
    const text = isText ? value : String(scalar.source ?? value ?? '');
    if (!isText && typeof value !== 'number' && typeof value !== 'boolean' && value !== null) {
      return this.#refuse(location, "has a type that can't be sent; put it in quotes");
    }
    return scalarNode(value, text, location, this.#options);
  }

  #refuse(location: FileLocation, message: string, isReported = true): BrokenNode {
    if (isReported) this.#options.mistakes.add(location, message);
    return { kind: 'broken', location };
  }

  #locationOf(node: { range?: Range | null } | null | undefined): FileLocation {
    return this.#options.locationAt(node?.range?.[0] ?? 0);
  }
}

/**
 * Returns a scalar with its variables expanded. `text` is the source without quotes. A failed expansion is kept in the
 * node, because not every value is needed.
 */
function scalarNode(
  value: ScalarNode['value'],
  text: string,
  location: FileLocation,
  { env, mistakes }: { env: Environment; mistakes: Mistakes },
): ScalarNode | BrokenNode {
  if (typeof value === 'string' && !isStorable(value))
    return addBroken(location, 'contains an invalid character', mistakes);
  if (typeof value !== 'string' || !hasVariables(value)) return { kind: 'scalar', value, text, location };
  const expansion = expandVariables(value, env);
  if (expansion.problem !== undefined)
    return { kind: 'scalar', value, text, template: value, problem: expansion.problem, location };
  const { text: expandedText, expanded } = expansion;
  return { kind: 'scalar', value: expandedText, text: expandedText, template: value, expanded, location };
}

/** Returns whether the text contains neither NUL nor an unpaired surrogate, which no service stores. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function addBroken(location: FileLocation, message: string, mistakes: Mistakes): BrokenNode {
  mistakes.add(location, message);
  return { kind: 'broken', location };
}

/** A part of a file that can't be parsed. */
interface YamlProblem {
  offset: number;
  /** The message, as `Mistake` has it. */
  message: string;
  /** Whether the problem makes only the node at the offset unreadable. */
  isLocal: boolean;
}

/** The codes of problems that make a single node unreadable. */
const localCodes = new Set<string>([
  'BAD_DQ_ESCAPE',
  'BAD_SCALAR_START',
  'BLOCK_AS_IMPLICIT_KEY',
  'TAG_RESOLVE_FAILED',
]);

/** Returns the syntax errors, at most one for each offset. */
function yamlProblems(text: string, documents: readonly Document[]): YamlProblem[] {
  const errors = documents.flatMap((document) => [
    ...document.errors,
    ...document.warnings.filter(isUnknownTag),
  ]);
  const variableOffset = errors.find(({ pos: [offset] }) => text.startsWith('${', offset - 1))?.pos[0];
  if (variableOffset === undefined) return firstPerOffset(errors.map(toProblem));
  // The bracket of the variable causes all later errors.
  const earlierErrors = errors.filter(({ pos: [offset] }) => offset < variableOffset);
  const message = `is a variable in brackets, where YAML needs quotes: "$\{…}"`;
  return firstPerOffset([
    ...earlierErrors.map(toProblem),
    { offset: variableOffset - 1, message, isLocal: false },
  ]);
}

/** Removes further problems at the same offset: one missing bracket causes several. */
function firstPerOffset(problems: readonly YamlProblem[]): YamlProblem[] {
  const byOffset = new Map<number, YamlProblem>();
  for (const problem of problems) {
    const existing = byOffset.get(problem.offset);
    if (!existing) byOffset.set(problem.offset, problem);
    else if (!problem.isLocal) existing.isLocal = false;
  }
  return [...byOffset.values()];
}

function toProblem(error: YAMLError): YamlProblem {
  return { offset: error.pos[0], message: messageOf(error), isLocal: localCodes.has(error.code) };
}

const unknownTag = /^Unresolved tag: (.+)$/;

/**
 * Returns whether a warning is about an unknown tag: the tag is meant for another tool, and its value would be sent
 * as it is.
 */
function isUnknownTag({ message }: YAMLError): boolean {
  return unknownTag.test(message);
}

function messageOf({ code, message }: YAMLError): string {
  if (code === 'TAB_AS_INDENT') return 'is indented with a tab; YAML needs spaces';
  const firstLine = message.split('\n')[0] ?? message;
  const [, tag] = unknownTag.exec(firstLine) ?? [];
  if (tag !== undefined) return `has the unknown tag ${tag}`;
  return `can't be read as YAML: ${firstLine.charAt(0).toLowerCase()}${firstLine.slice(1)}`;
}
