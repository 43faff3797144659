/** The body of a write, from `--data`, flags and `--clear`, in that order of weight. */
import { isRow, type Row } from '../../client/shape.ts';
import type { Field } from '../../contract/field.ts';
import type { Operation } from '../../contract/operation.ts';
import { flagName, type Read, readText } from '../../contract/text.ts';
import { type FieldMessages, usage } from '../../errors.ts';
import { parseJson } from './json-text.ts';

export interface GivenInput {
  /** `--data`: JSON, `@FILE`, or `-` for standard input. */
  data?: string | undefined;
  /** By field name, as typed; a repeated flag has several. */
  flags: readonly { name: string; texts: string[] }[];
  /** `--clear`: fields to be sent as null. */
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
  stdin: NodeJS.ReadableStream,
): Promise<ReadInput> {
  // What can't be cleared may have any name, __proto__ too.
  const problems: FieldMessages = Object.create(null);
  const fields = new Map(operation.body.map(({ name, field }) => [name, field]));
  const fromFlags: [string, unknown][] = [];
  for (const { name, texts } of given.flags) {
    const field = fields.get(name);
    if (!field) continue;
    const { value, problem } = readTexts(field, texts);
    if (problem === undefined) fromFlags.push([name, value]);
    else problems[name] = [`--${flagName(name)} ${problem}`];
  }
  const cleared = given.clear.map((name) => name.replaceAll('-', '_'));
  for (const name of cleared) {
    if (!fields.has(name)) problems[name] = [`can’t be cleared: ${operation.verb} doesn’t take it`];
    else if (fromFlags.some(([flag]) => flag === name)) problems[name] = ['is both set and cleared'];
  }
  const data = given.data === undefined ? {} : await readData(given.data, stdin);
  const fromClear = cleared.map((name) => [name, null] as const);
  return { body: { ...data, ...Object.fromEntries([...fromFlags, ...fromClear]) }, problems };
}

/** A list flag may be repeated; of any other the last one counts, and commander has kept only that. */
function readTexts(field: Field, texts: readonly string[]): Read {
  const reads = texts.map((text) => readText(field, text));
  const failed = reads.find(({ problem }) => problem !== undefined);
  const [only = { value: undefined }, ...others] = reads;
  return failed ?? (others.length === 0 ? only : { value: reads.flatMap(({ value }) => value) });
}

/** JSON from the command line, a file or standard input. */
export async function readData(given: string, stdin: NodeJS.ReadableStream): Promise<Row> {
  const { text, from } = await readSource(given, stdin);
  const value = await parseJson(text, from);
  if (isRow(value)) return value;
  throw usage(
    `${from} holds ${Array.isArray(value) ? 'a list' : 'a single value'}, not an object of fields.`,
    {
      hint: 'Write fields in braces: --data \'{"name": "Fresh Farms"}\'',
    },
  );
}

async function readSource(
  given: string,
  stdin: NodeJS.ReadableStream,
): Promise<{ text: string; from: string }> {
  if (given === '-') return { text: await readAll(stdin), from: 'Standard input' };
  if (!given.startsWith('@')) return { text: given, from: '--data' };
  const file = given.slice(1);
  try {
    const { readFile } = await import('node:fs/promises');
    return { text: withoutMark(await readFile(file, 'utf8')), from: `The file ${file}` };
  } catch (cause) {
    throw usage(`The file ${file} can’t be read: ${reasonOf(cause)}.`, { cause });
  }
}

async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  const { text } = await import('node:stream/consumers');
  return withoutMark(await text(stdin));
}

/** Some editors begin a file with a byte order mark, which JSON doesn't allow. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'you may not read it';
  if (code === 'EISDIR') return 'it is a folder';
  return String(code ?? error);
}
