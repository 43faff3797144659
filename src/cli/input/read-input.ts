/** Reads input from the command line, files and standard input: text, and the body of a write from `--data`, flags and `--clear`. */

import { isRow, type Row } from '../../account/client/shape.ts';
import { isListOrParts } from '../../api/contract/comma-list.ts';
import type { Field } from '../../api/contract/field.ts';
import type { Operation } from '../../api/contract/operation.ts';
import { withPhonesNormalized } from '../../api/contract/phone-numbers.ts';
import { parseStrictJson } from '../../api/contract/strict-json.ts';
import { flagName } from '../../api/contract/value-text.ts';
import { isTooLarge, readBoundedFile, readBoundedStream } from '../../base/bounded-read.ts';
import { decodeText, decodeTextFile } from '../../base/decode-text.ts';
import { type FieldMessages, usage } from '../../base/errors.ts';
import { describeReadError } from '../../base/file-errors.ts';
import { orDidYouMean } from '../../base/suggest.ts';
import { parseFlagValues } from './flag-values.ts';

/** The flags that belong to `--data`. */
export interface DataFlags {
  /** JSON, `@FILE`, or `-` for standard input. */
  data?: string | undefined;
  encoding?: string | undefined;
  normalizePhones?: boolean | undefined;
}

export interface WriteFlags extends DataFlags {
  /** Values by field name; a repeated flag has several values. */
  fields: readonly { name: string; values: string[] }[];
  /** The fields of `--clear`. */
  clear: readonly string[];
}

/** The valid fields, and the problems of the invalid ones. */
export interface ParsedInput {
  body: Row;
  problems: FieldMessages;
  /** What was understood of flags whose values differ from their text: `--birth-date: 2027-02-09 (Tuesday)`. */
  understood: readonly string[];
}

/** Reads and merges the input. Throws only if `--data` can't be read at all. */
export async function readInput(
  operation: Operation,
  flags: WriteFlags,
  streams: StandardInput,
  now?: Date,
): Promise<ParsedInput> {
  // A field to clear may have any name, including __proto__.
  const problems: FieldMessages = Object.create(null);
  const fields = new Map(operation.body.map(({ name, field }) => [name, field]));
  const fromFlags: [string, unknown][] = [];
  const understood: string[] = [];
  for (const { name, values } of flags.fields) {
    const field = fields.get(name);
    if (!field) continue;
    const unit = flags.fields.find((other) => other.name === field.traits.unitFrom)?.values.at(-1);
    const {
      value,
      problem,
      display,
      otherFields = {},
    } = parseFlagValues(name, field, values, undefined, { now, unit });
    if (problem !== undefined) {
      problems[name] = [problem];
      continue;
    }
    fromFlags.push([name, value]);
    const isGiven = (other: string) => !fields.has(other) || flags.fields.some((flag) => flag.name === other);
    fromFlags.push(...Object.entries(otherFields).filter(([other]) => !isGiven(other)));
    if (display !== undefined) understood.push(`--${flagName(name)}: ${display}`);
  }
  const cleared = flags.clear.map((name) => name.replaceAll('-', '_'));
  for (const name of cleared) {
    if (!fields.has(name))
      problems[name] = [
        `can't be cleared: ${operation.verb} doesn't accept it${orDidYouMean(name, [...fields.keys()])}`,
      ];
    else if (fromFlags.some(([flag]) => flag === name)) problems[name] = ['is both set and cleared'];
  }
  const source = dataSource(flags);
  const data = source ? await readData(source, streams) : {};
  const fromClear = cleared.map((name) => [name, clearedValue(fields.get(name))] as const);
  const body = { ...data, ...Object.fromEntries([...fromFlags, ...fromClear]) };
  if (!flags.normalizePhones) return { body, problems, understood };
  const normalized = withPhonesNormalized(fields, body);
  for (const [name, problem] of Object.entries(normalized.problems)) problems[name] ??= [problem];
  return { body: normalized.body, problems, understood };
}

/** Returns the value that clears a field: an empty list, else null. */
function clearedValue(field: Field | undefined): unknown {
  return field && isListOrParts(field) ? [] : null;
}

/** Reads a JSON object from the command line, a file or standard input. */
export async function readData(source: TextSource, streams: StandardInput): Promise<Row> {
  const { text, sourceName } = await readSource(source, streams);
  const value = await parseJson(text, sourceName);
  if (isRow(value)) return value;
  throw usage(
    `${sourceName} contains ${Array.isArray(value) ? 'a list' : 'a single value'}, not an object of fields.`,
    { hint: 'Write fields in braces: --data \'{"name": "Fresh Farms"}\'' },
  );
}

/** Returns the source of `--data`; undefined if the flag isn't set. */
export function dataSource({ data, encoding }: DataFlags): TextSource | undefined {
  if (data !== undefined) return { argument: data, flag: '--data', encoding };
  if (encoding === undefined) return undefined;
  throw usage('--encoding needs --data @FILE or --data -.');
}

/** Parses JSON from a user. Throws a usage failure with line and column; `sourceName` starts its message. */
async function parseJson(text: string, sourceName: string): Promise<unknown> {
  const { value, problems } = parseStrictJson(text);
  if (!problems) return value;
  if (problems.length > 0) {
    const mistakes = problems.map(
      ({ description, position }) => `${locationOf(text, position)}: ${description}`,
    );
    throw usage(`${sourceName} can't be used. At ${mistakes.join('; at ')}.`);
  }
  const { location, description } = await findMistake(text);
  throw usage(`${sourceName} is not valid JSON at ${location}: ${description}.`);
}

interface SyntaxMistake {
  location: string;
  description: string;
}

/** Finds the location of a mistake. JSON.parse doesn't always report it; momoa does, but it accepts raw line breaks in strings. */
async function findMistake(text: string): Promise<SyntaxMistake> {
  const { parse } = await import('@humanwhocodes/momoa');
  try {
    parse(text);
  } catch (error) {
    if (error instanceof Error && 'line' in error && 'column' in error) {
      return { location: `line ${error.line}, column ${error.column}`, description: describe(text, error) };
    }
  }
  return {
    location: locationOf(text, text.length),
    description: 'a line break inside quotes, or another character that needs an escape',
  };
}

function locationOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

function describe(text: string, { message }: Error): string {
  if (message.includes('end of input')) return text.trim() === '' ? 'it is empty' : 'it ends too early';
  const token = /(character|identifier) '(.*?)' found/.exec(message)?.[2];
  return token === undefined ? 'unexpected input here' : `unexpected "${token}"`;
}

/** The source of text: an argument, a file or standard input. */
export interface TextSource {
  /** The argument: text, `@FILE`, or `-` for standard input. */
  argument: string;
  /** The flag of the argument, for messages. */
  flag: string;
  /** The encoding of a file or standard input. The default is the encoding of the byte order mark, else UTF-8. */
  encoding?: string | undefined;
}

/** Standard input. It is opened at first use, because opening takes a tenth of the time of a short command. */
export interface StandardInput {
  readonly stdin: NodeJS.ReadableStream;
}

/** Reads text from its source. `sourceName` starts a message: "--data", "The file supplier.json", "Standard input". Throws usage failures. */
export async function readSource(
  { argument, flag, encoding }: TextSource,
  streams: StandardInput,
): Promise<{ text: string; sourceName: string }> {
  if (argument !== '-' && !argument.startsWith('@')) {
    if (encoding === undefined) return { text: argument, sourceName: flag };
    throw usage(`--encoding applies only to ${flag} @FILE and ${flag} -.`);
  }
  const sourceName = argument === '-' ? 'Standard input' : `The file ${argument.slice(1)}`;
  const bytes = argument === '-' ? await readAll(streams.stdin) : await readFile(argument.slice(1));
  if (encoding !== undefined) return { text: decodeText(bytes, { sourceName, encoding }), sourceName };
  // Only --data can be followed by --encoding.
  const hint = flag === '--data' ? encodingHint : undefined;
  return { text: decodeTextFile(bytes, sourceName, hint), sourceName };
}

const encodingHint = 'If it has another encoding, name it, for example --encoding windows-1256.';

async function readAll(stdin: NodeJS.ReadableStream): Promise<Uint8Array> {
  try {
    return await readBoundedStream(stdin);
  } catch (cause) {
    if (!isTooLarge(cause)) throw cause;
    throw usage(`Can't read standard input: ${describeReadError(cause)}.`, { cause });
  }
}

async function readFile(file: string): Promise<Uint8Array> {
  try {
    return await readBoundedFile(file);
  } catch (cause) {
    throw usage(`Can't read ${file}: ${describeReadError(cause)}.`, { cause });
  }
}
