/** Writes a record as YAML for the editor, and reads the changes from the saved text. */
import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isNode, isScalar, isSeq, type Node, type Scalar, visit, type YAMLMap } from 'yaml';
import type { FieldMessages } from '../../base/errors.ts';
import { describeInexactness, ExactNumber } from '../../base/number-text.ts';
import { parseYamlValues } from '../../base/yaml-values.ts';
import { isRow, type Row } from '../../client/shape.ts';
import { type KindPresentation, presentationOf } from '../../context/kinds.ts';
import type { Field } from '../../contract/field.ts';
import { linkFields, type Operation } from '../../contract/operation.ts';
import { formatInput, type ParseResult, parseValue } from '../../contract/value-text.ts';
import { inferTitle } from '../../output/wording.ts';
import { describeField } from '../../reference/value-descriptions.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { formatYamlDocument, preserveExactNumber, yamlOptions } from '../../terminal/yaml-text.ts';

/** A record, and its values as an update would send them. */
export interface EditableRecord {
  id: string;
  record: Row;
  body: Row;
}

/** Returns YAML with an entry for each field that an update takes, below a comment that describes it. Secrets are omitted. */
export function formatRecordText(
  { body: fields, resource }: Operation,
  { id, record, body }: EditableRecord,
): string {
  const document = new Document<Node>({}, yamlOptions);
  document.commentBefore = [
    ` ${resource.noun} ${cleanLine(id)}: ${cleanLine(inferTitle(record))}`,
    ' Edit the values, save the file and close the editor. Only changed fields are sent.',
    ' null clears a field that may be empty. To cancel, change nothing.',
  ].join('\n');
  for (const { name, responseName, field } of fields) {
    if (field.traits.secret) continue;
    const value = document.createNode(editableValue(field, body[name] ?? null), preserveExactNumber);
    const pair = document.createPair(name, value);
    const key = document.createNode(name) as Scalar;
    key.commentBefore = ` ${describeField(field)}`;
    key.spaceBefore = name !== fields[0]?.name;
    addNameComments(pair.value, record[name] ?? record[responseName]);
    if (isMap(document.contents)) document.contents.add({ ...pair, key });
  }
  return formatYamlDocument(document);
}

/** Returns a value in its edited form: enumerations as words, relations as IDs. */
function editableValue(field: Field, value: unknown): unknown {
  if (value === null) return null;
  if (field.kind === 'choice') return formatInput(field, value) ?? value;
  if (field.kind === 'integers') return formatInput(field, value)?.split(',') ?? value;
  if (field.kind !== 'many' || linkFields(field).length > 0 || !Array.isArray(value)) return value;
  return value.map((link) => (isRow(link) ? link.id : link));
}

/** Adds the name of the related record as a comment to each ID. */
function addNameComments(node: unknown, related: unknown): void {
  const rows = (Array.isArray(related) ? related : [related]).filter(isRow);
  const nodes = isSeq(node) ? node.items.map((item) => (isMap(item) ? item.get('id', true) : item)) : [node];
  for (const idNode of nodes) {
    const row = isScalar(idNode) ? rows.find(({ id }) => id === idNode.value) : undefined;
    const title = row && inferTitle(row);
    if (isScalar(idNode) && title && title !== idNode.value) idNode.comment = ` ${cleanLine(title)}`;
  }
}

/** The changes in an edited text. */
export interface Changes {
  /** The changed fields as they are sent. */
  body: Row;
  /** Values that can't be read, by field. `_` has messages about the whole text, with their line. */
  problems: FieldMessages;
}

/** Returns the fields whose values differ between the original and the edited YAML. A deleted line leaves its field unchanged. */
export function findChanges(operation: Operation, before: string, after: string): Changes {
  // Numbers that the record already has may be sent unchanged even if they can't be typed.
  const exactNumbers = new Set(
    before.match(/-?\d[\d.eE+-]*/g)?.filter((text) => describeInexactness(text) !== undefined),
  );
  const initialBody = parseRecordText(operation, before, exactNumbers).body;
  const { body, problems } = parseRecordText(operation, after, exactNumbers);
  const changedEntries = Object.entries(body).filter(
    ([name, value]) => !isDeepStrictEqual(value, initialBody[name]),
  );
  return { body: Object.fromEntries(changedEntries), problems };
}

function parseRecordText(
  { body: fields, resource }: Operation,
  text: string,
  exactNumbers: ReadonlySet<string>,
): Changes {
  const documents = parseYamlValues(text);
  const messages = documents.flatMap(({ problems }) => problems);
  if (documents.length > 1) messages.push('must be one document, without a line "---"');
  if (messages.length > 0) return { body: {}, problems: { _: messages } };
  const document = documents[0]?.document;
  if (!document?.contents) return { body: {}, problems: {} };
  visit(document, { Alias: (_, alias) => alias.resolve(document) as Node | undefined });
  if (!isMap(document.contents))
    return { body: {}, problems: { _: ['must consist of lines like "field: value"'] } };
  restoreExactNumbers(document, exactNumbers);
  const body: Row = {};
  // Keys are typed by the user: __proto__ has to be a key like any other.
  const problems: FieldMessages = Object.create(null);
  for (const { key, value: node } of document.contents.items) {
    const name = isScalar(key) ? String(key.value) : String(key);
    const field = fields.find((candidate) => candidate.name === name)?.field;
    if (!field || field.traits.secret) {
      problems[name] = [`can't be changed: it isn't a field of ${resource.command} that --edit supports`];
      continue;
    }
    const { value, problem } = parseNode(field, node as Node | null);
    if (problem === undefined) body[name] = value;
    else problems[name] = [problem];
  }
  return { body, problems };
}

/** Replaces numbers that a double would round with exact numbers. */
function restoreExactNumbers(document: Document, exactNumbers: ReadonlySet<string>): void {
  if (exactNumbers.size === 0) return;
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'number' && exactNumbers.has(node.source ?? ''))
        node.value = new ExactNumber(node.source ?? '');
    },
  });
}

/** Returns the value of a node with exact numbers: the library's conversion would round them. */
function exactValue(node: unknown): unknown {
  if (isSeq(node)) return node.items.map(exactValue);
  if (isMap(node))
    return Object.fromEntries(node.items.map(({ key, value }) => [String(key), exactValue(value)]));
  if (isScalar(node)) return node.value;
  return isNode(node) ? node.toJS(new Document()) : node;
}

/** Returns a problem for a number, except IDs, that YAML would read as another number. */
function findInexactNumber(node: Node): ParseResult | undefined {
  let firstProblem: string | undefined;
  visit(node, {
    Pair: (_, { key }) => (isScalar(key) && key.value === 'id' ? visit.SKIP : undefined),
    Scalar: (_, { value, source }) => {
      const problem =
        typeof value === 'number' && source !== undefined ? describeInexactness(source) : undefined;
      if (problem !== undefined) firstProblem ??= `${source} ${problem}`;
    },
  });
  return firstProblem === undefined ? undefined : { problem: `can't be used: ${firstProblem}` };
}

function parseNode(field: Field, node: Node | null): ParseResult {
  if (node === null || (isScalar(node) && node.value === null)) return { value: null };
  return nodeParsers[presentationOf(field).editFormat](field, node);
}

const nodeParsers: Readonly<
  Record<KindPresentation['editFormat'], (field: Field, node: Node) => ParseResult>
> = {
  value: (field, node) => (isScalar(node) ? parseScalar(field, node) : { problem: 'must be a single value' }),
  values: (_, node) => parseItems(node, (item) => ({ value: textOf(item) })),
  words: (field, node) => parseItems(node, (item) => firstValue(parseValue(field, textOf(item)))),
  links: (_, node) =>
    parseItems(node, (item) => (isMap(item) ? parseLink(item) : { value: { id: textOf(item) } })),
  nested: (_, node) => findInexactNumber(node) ?? { value: exactValue(node) },
};

function parseScalar(field: Field, node: Scalar): ParseResult {
  return node.value instanceof ExactNumber ? { value: node.value } : parseValue(field, textOf(node));
}

function parseItems(node: Node, parseItem: (item: unknown) => ParseResult): ParseResult {
  if (!isSeq(node)) return { problem: 'must be a list: one value per line, after a dash' };
  const results = node.items.map(parseItem);
  return results.find(({ problem }) => problem !== undefined) ?? { value: results.map(({ value }) => value) };
}

function firstValue(result: ParseResult): ParseResult {
  return Array.isArray(result.value) ? { value: result.value[0] } : result;
}

/** Parses a link. Its ID is text even if it looks like a number. */
function parseLink(link: YAMLMap): ParseResult {
  const value = exactValue(link) as Row;
  return (
    findInexactNumber(link) ?? {
      value: 'id' in value ? { ...value, id: textOf(link.get('id', true)) } : value,
    }
  );
}

/** Returns the source text of a scalar, so that a phone number keeps its zeros. */
function textOf(node: unknown): string {
  if (!isScalar(node)) return String(node);
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}
