/** The body of a write, from `--data`, flags and `--clear`, in that order of weight. */
import { isRow, type Row } from '../../client/shape.ts';
import type { Field } from '../../contract/field.ts';
import { isList } from '../../contract/list-text.ts';
import type { Operation } from '../../contract/operation.ts';
import { withNormalizedPhones } from '../../contract/phone-form.ts';
import { type FieldMessages, usage } from '../../errors.ts';
import { orMeant } from '../../suggest.ts';
import { readTexts } from './field-texts.ts';
import { parseJson } from './json-text.ts';
import { readSource, type StandardInput, type TextSource } from './text-source.ts';

/** As typed. */
export interface DataFlags {
  /** JSON, `@FILE`, or `-` for standard input. */
  data?: string | undefined;
  encoding?: string | undefined;
  normalizePhones?: boolean | undefined;
}

export interface GivenInput extends DataFlags {
  /** By field name, as typed; a repeated flag has several. */
  flags: readonly { name: string; texts: string[] }[];
  /** `--clear`: fields to be emptied. */
  clear: readonly string[];
}

/** What could be read, and what is wrong with the rest, by field. */
export interface ReadInput {
  body: Row;
  problems: FieldMessages;
}

/** Merges the input; flags override `--data`. Throws only where `--data` can't be read at all. */
export async function readInput(
  operation: Operation,
  given: GivenInput,
  streams: StandardInput,
): Promise<ReadInput> {
  // What can't be cleared may have any name, __proto__ too.
  const problems: FieldMessages = Object.create(null);
  const fields = new Map(operation.body.map(({ name, field }) => [name, field]));
  const fromFlags: [string, unknown][] = [];
  for (const { name, texts } of given.flags) {
    const field = fields.get(name);
    if (!field) continue;
    const { value, problem } = readTexts(name, field, texts);
    if (problem === undefined) fromFlags.push([name, value]);
    else problems[name] = [problem];
  }
  const cleared = given.clear.map((name) => name.replaceAll('-', '_'));
  for (const name of cleared) {
    if (!fields.has(name))
      problems[name] = [
        `can’t be cleared: ${operation.verb} doesn’t take it${orMeant(name, [...fields.keys()])}`,
      ];
    else if (fromFlags.some(([flag]) => flag === name)) problems[name] = ['is both set and cleared'];
  }
  const source = dataSource(given);
  const data = source ? await readData(source, streams) : {};
  const fromClear = cleared.map((name) => [name, emptied(fields.get(name))] as const);
  const body = { ...data, ...Object.fromEntries([...fromFlags, ...fromClear]) };
  if (!given.normalizePhones) return { body, problems };
  const normalized = withNormalizedPhones(fields, body);
  for (const [name, what] of Object.entries(normalized.problems)) problems[name] ??= [what];
  return { body: normalized.body, problems };
}

/** A list is emptied by an empty one, anything else by null. */
function emptied(field: Field | undefined): unknown {
  return field && (isList(field) || field.kind === 'objects') ? [] : null;
}

/** JSON from the command line, a file or standard input, as an object. */
export async function readData(source: TextSource, streams: StandardInput): Promise<Row> {
  const { text, from } = await readSource(source, streams);
  const value = await parseJson(text, from);
  if (isRow(value)) return value;
  throw usage(
    `${from} holds ${Array.isArray(value) ? 'a list' : 'a single value'}, not an object of fields.`,
    { hint: 'Write fields in braces: --data \'{"name": "Fresh Farms"}\'' },
  );
}

/** For every command that takes `--data`. */
export function dataSource({ data, encoding }: DataFlags): TextSource | undefined {
  if (data !== undefined) return { given: data, flag: '--data', encoding };
  if (encoding === undefined) return undefined;
  throw usage('--encoding says how --data @FILE or --data - is read, and there is no --data.');
}
