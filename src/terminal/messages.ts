/** Prints messages on stderr: failures, warnings and notes, with the flags that their command lines repeat. */
import { Failure, type FieldMessages, failureRecord } from '../base/errors.ts';
import { type Hint, hintText } from '../base/hint.ts';
import { redacted, redactedValue } from '../base/mask.ts';
import { withShortValues } from '../base/short-value.ts';
import { brokenAt, further } from './broken-lines.ts';
import { cleanLine, cleanText, inAscii } from './clean.ts';
import { painter, type Style } from './colour.ts';
import { jsonText } from './formats/json.ts';
import { numeral } from './numeral.ts';
import type { Streams } from './streams.ts';

export interface ReportOptions {
  /** Whether results are for a machine (`json`, `ndjson`): then stderr ends with one JSON object. */
  machine?: boolean;
  /** Also shows the request and its status (`--verbose`), whole; without it, where the service couldn’t answer. */
  verbose?: boolean;
}

/** Prints a failure: what happened, each field with its messages, and what to do next. */
export function reportFailure(
  whole: Failure,
  streams: Streams,
  { machine = false, verbose = false }: ReportOptions = {},
): void {
  const failure = withShortTexts(whole, streams);
  const { bold, red, dim } = painter(streams.colour.err);
  const { hint, fields = {}, request, status } = failure.details;
  const lines = [`${red('boh:')} ${bold(block(failure.message))}`];
  for (const [names, message] of together(fields))
    lines.push(names === '_' ? `  ${block(message)}` : `  ${cleanLine(names)}: ${block(message)}`);
  // A run asks for many things: which of them the service couldn’t answer, its words don’t say.
  if (request !== undefined && (verbose || failure.category === 'unavailable')) {
    const outcome = status === undefined ? 'no answer' : `status ${status}`;
    const path = verbose ? request.path : request.path.replace(/\?.*$/s, '');
    lines.push(dim(`  ${cleanLine(`${request.method} ${path}`)}: ${outcome}`));
  }
  if (hint !== undefined) lines.push(block(hintText(hint)));
  say(streams, lines.join('\n'));
  if (machine) streams.stderr.write(`${jsonText({ error: failureRecord(failure) }, { terminal: true })}\n`);
}

/**
 * Returns a failure as it is printed: its hint is text, known secrets are redacted and long values shortened. The hint
 * of a write that was done stays whole: its command line is typed as it stands.
 */
export function withShortTexts(whole: Failure, { repeated }: Pick<Streams, 'repeated'>): Failure {
  const { category } = whole;
  const [message, details] = [redacted(whole.message), redactedValue(whole.details)];
  const { fields, failures } = details;
  const hint = whole.details.hint && redacted(hintText(whole.details.hint, repeated));
  const entries = Object.entries(fields ?? {}).map(
    ([name, messages]) => [withShortValues(name), messages.map(withShortValues)] as const,
  );
  return new Failure(category, withShortValues(message), {
    ...details,
    ...(fields && { fields: Object.assign(Object.create(null), Object.fromEntries(entries)) }),
    ...(failures && { failures: failures.map((one) => ({ ...one, message: withShortValues(one.message) })) }),
    ...(hint !== undefined && { hint: details.outcome === 'done' ? hint : withShortValues(hint) }),
  });
}

/** Of as many that have the same to be said of them each has a line of its own, and as many are named at once. */
const [mostAlone, mostNamed] = [3, 10];

/** A hundred rows with one mistake would fill the window with it. Programs get each by itself. */
function together(fields: FieldMessages): [names: string, message: string][] {
  const all = Object.entries(fields).flatMap(([name, messages]) =>
    messages.map((message) => [name, message] as [string, string]),
  );
  const named = Map.groupBy(all, ([, message]) => message);
  return all.flatMap(([name, message]): [string, string][] => {
    const names = (named.get(message) ?? []).map(([each]) => each);
    if (names.length <= mostAlone) return [[name, message]];
    if (names[0] !== name) return [];
    const rest = names.length - mostNamed;
    return [
      [`${names.slice(0, mostNamed).join(', ')}${rest > 0 ? ` and ${numeral(rest)} more` : ''}`, message],
    ];
  });
}

/** Prints a note, such as how many rows there are; not with `--quiet`. */
export function note(streams: Streams, text: Hint, style?: Style): void {
  if (!streams.quiet) tell(streams, text, style);
}

/** Prints what is needed to go on, such as an address to open; with `--quiet` too. */
export function tell(streams: Streams, text: Hint, style?: Style): void {
  const clean = block(hintText(text, streams.repeated));
  say(streams, style === undefined ? clean : painter(streams.colour.err)[style](clean));
}

/** Prints a warning, with `--quiet` too. */
export function warn(streams: Streams, text: Hint): void {
  say(
    streams,
    `${painter(streams.colour.err).yellow('boh: warning:')} ${block(hintText(text, streams.repeated))}`,
  );
}

/** Further lines are indented, so that no text from outside can pass for a line of boh's own. */
function block(text: string): string {
  return cleanText(text).replaceAll('\n', `\n${further}`);
}

/** Where stderr itself can't be written to there is no one left to tell, so nobody waits for it. */
function say(streams: Streams, whole: string): void {
  const { statusLine, held, stderr, isTerminal, unicode } = streams;
  const text = redacted(whole);
  const line = `${isTerminal.err ? fitted(unicode ? text : inAscii(text), streams) : text}\n`;
  if (held) {
    held.push(line);
    return;
  }
  statusLine?.clear();
  stderr.write(line);
}

/** Results may go elsewhere, and so have another width. */
function fitted(text: string, { columns, stderr }: Streams): string {
  const { columns: width = columns } = stderr as { columns?: number };
  return brokenAt(text, width);
}
