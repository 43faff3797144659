/** Writes a record as YAML for the editor, and reads the changes from the saved text. */
import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import type { FieldMessages } from '../../base/errors.ts';
import { describeInexactness } from '../../base/number-text.ts';
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
  const [original, edited] = [parseRecordText(before), parseRecordText(after)];
  const body: Row = {};
  // Keys are typed by the user: __proto__ has to be a key like any other.
  const problems: FieldMessages = Object.create(null);
  if (edited.problems.length > 0) problems._ = edited.problems;
  for (const [name, value] of edited.fields) {
    const field = operation.body.find((candidate) => candidate.name === name)?.field;
    if (!field || field.traits.secret) {
      const { command } = operation.resource;
      problems[name] = [`can't be changed: it isn't a field of ${command} that --edit supports`];
      continue;
    }
    const originalValue = original.fields.get(name);
    if (isDeepStrictEqual(value, originalValue)) continue;
    const result = parseField(field, value);
    if (result.problem !== undefined) problems[name] = [result.problem];
    else if (!originalValue || !isDeepStrictEqual(result, parseField(field, originalValue)))
      body[name] = result.value;
  }
  return { body, problems };
}

/** A YAML value, and the same value with the source of each scalar, so that a phone number keeps its zeros. */
interface YamlField {
  value: unknown;
  source: unknown;
}

function parseRecordText(text: string): { fields: Map<string, YamlField>; problems: string[] } {
  const fail = (problems: readonly string[]) => ({ fields: new Map(), problems: [...problems] });
  const [typed, otherDocument] = parseYamlValues(text);
  const [sources] = parseYamlValues(text, { schema: 'failsafe' });
  if (otherDocument) return fail(['must be one document, without a line "---"']);
  if (!typed?.document.contents) return fail(typed?.problems ?? []);
  const problems = typed.problems.length > 0 ? typed.problems : (sources?.problems ?? []);
  if (problems.length > 0) return fail(problems);
  if (!isRow(typed.value) || !isRow(sources?.value))
    return fail(['must consist of lines like "field: value"']);
  const sourceRow = sources.value;
  const fields = Object.entries(typed.value).map(
    ([name, value]) => [name, { value, source: sourceRow[name] }] as const,
  );
  return { fields: new Map(fields), problems: [] };
}

function parseField(field: Field, yaml: YamlField): ParseResult {
  return yaml.value === null ? { value: null } : fieldParsers[presentationOf(field).editFormat](field, yaml);
}

const fieldParsers: Readonly<
  Record<KindPresentation['editFormat'], (field: Field, yaml: YamlField) => ParseResult>
> = {
  value: (field, { source }) =>
    typeof source === 'string' ? parseValue(field, source) : { problem: 'must be a single value' },
  values: (_, { source }) => parseItems(source, (item) => ({ value: String(item) })),
  words: (field, { source }) =>
    parseItems(source, (item) => {
      const { value, problem } = parseValue(field, String(item));
      return problem === undefined ? { value: Array.isArray(value) ? value[0] : value } : { problem };
    }),
  links: (_, { value, source }) =>
    parseItems(source, (item, index) => {
      const link = Array.isArray(value) ? value[index] : undefined;
      if (!isRow(item) || !isRow(link)) return { value: { id: String(item) } };
      return (
        findInexactNumber(link, item) ?? { value: 'id' in item ? { ...link, id: String(item.id) } : link }
      );
    }),
  nested: (_, { value, source }) => findInexactNumber(value, source) ?? { value },
};

function parseItems(source: unknown, parseItem: (item: unknown, index: number) => ParseResult): ParseResult {
  if (!Array.isArray(source)) return { problem: 'must be a list: one value per line, after a dash' };
  const results = source.map(parseItem);
  return results.find(({ problem }) => problem !== undefined) ?? { value: results.map(({ value }) => value) };
}

/** Returns a problem for a number, except IDs, that YAML would read as another number. */
function findInexactNumber(value: unknown, source: unknown): ParseResult | undefined {
  if (typeof value === 'number') {
    const description = describeInexactness(String(source));
    return description === undefined ? undefined : { problem: `can't be used: ${source} ${description}` };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const sources = source as Row;
  return Object.entries(value)
    .map(([name, inner]) => (name === 'id' ? undefined : findInexactNumber(inner, sources[name])))
    .find((problem) => problem !== undefined);
}
