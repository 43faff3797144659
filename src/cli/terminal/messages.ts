/** Writes messages to stderr: failures, warnings and notes, never results. */

import { stripVTControlCharacters } from 'node:util';
import { Failure, type FieldMessages, failureRecord, missingValue } from '../../base/errors.ts';
import { formatHint, type Hint } from '../../base/hint.ts';
import { redact, redactValue } from '../../base/redaction.ts';
import { shortenLongValues } from '../../base/short-value.ts';
import { formatCount } from '../../base/shown-items.ts';
import { cleanLine, cleanText, toAscii } from './clean.ts';
import { createPaint, type Style } from './color.ts';
import { formatJson } from './formats/json.ts';
import type { Streams } from './streams.ts';

/** Options for `reportFailure`. */
export interface ReportOptions {
  /** Whether results are for a program (`json`, `ndjson`). If so, stderr ends with one JSON object. */
  isForProgram?: boolean;
  /** Whether to show the whole request and its status (`--verbose`). Otherwise the request is shown only if the service failed. */
  verbose?: boolean;
}

/** Prints a failure: what happened, each field with its messages, and what to do next. */
export function reportFailure(
  original: Failure,
  streams: Streams,
  { isForProgram = false, verbose = false }: ReportOptions = {},
): void {
  const failure = shortenMessages(original, streams);
  const { bold, red, dim } = createPaint(streams.color.err);
  const { hint, fields = {}, request, status } = failure.details;
  const lines = [`${red('boh:')} ${bold(cleanAndIndent(failure.message))}`];
  for (const [names, message] of groupByMessage(fields))
    lines.push(
      names === '_' ? `  ${cleanAndIndent(message)}` : `  ${cleanLine(names)}: ${cleanAndIndent(message)}`,
    );
  // A run sends many requests, and the message doesn't say which of them failed.
  if (request !== undefined && (verbose || failure.category === 'unavailable')) {
    const outcome = status === undefined ? 'no response' : `status ${status}`;
    const path = verbose ? request.path : request.path.replace(/\?.*$/s, '');
    lines.push(dim(`  ${cleanLine(`${request.method} ${path}`)}: ${outcome}`));
  }
  if (hint !== undefined) lines.push(cleanAndIndent(formatHint(hint)));
  writeMessage(streams, lines.join('\n'));
  if (isForProgram)
    streams.stderr.write(`${formatJson({ error: failureRecord(failure) }, { terminal: true })}\n`);
}

/**
 * Returns the failure as it is printed: its hint is text, known secrets are redacted and long values shortened. The hint
 * of a completed write isn't shortened, because users copy its command line.
 */
export function shortenMessages(
  original: Failure,
  { repeatedFlags }: Pick<Streams, 'repeatedFlags'>,
): Failure {
  const { category } = original;
  const [message, details] = [redact(original.message), redactValue(original.details)];
  const { fields, failures } = details;
  const hint = original.details.hint && redact(formatHint(original.details.hint, repeatedFlags));
  const entries = Object.entries(fields ?? {}).map(
    ([name, messages]) => [shortenLongValues(name), messages.map(shortenLongValues)] as const,
  );
  return new Failure(category, shortenLongValues(message), {
    ...details,
    ...(fields && { fields: Object.assign(Object.create(null), Object.fromEntries(entries)) }),
    ...(failures && {
      failures: failures.map((itemFailure) => ({
        ...itemFailure,
        message: shortenLongValues(itemFailure.message),
      })),
    }),
    ...(hint !== undefined && { hint: details.outcome === 'done' ? hint : shortenLongValues(hint) }),
  });
}

/** The maximum number of fields with the same message that have their own lines, and that a shared line lists. */
const [maxSeparateFields, maxNamedFields] = [3, 10];

/** Groups fields with the same message, so that a hundred rows with one mistake don't fill the window. */
function groupByMessage(fields: FieldMessages): [names: string, message: string][] {
  const messageEntries = Object.entries(fields).flatMap(([name, messages]) =>
    messages.map((message) => [name, message] as [string, string]),
  );
  const [missingEntries, otherEntries] = [
    messageEntries.filter(([, message]) => message === missingValue),
    messageEntries.filter(([, message]) => message !== missingValue),
  ];
  const entriesByMessage = Map.groupBy(otherEntries, ([, message]) => message);
  const missingLines: [string, string][] =
    missingEntries.length === 0
      ? []
      : [
          [
            `Missing required ${missingEntries.length === 1 ? 'field' : 'fields'}`,
            missingEntries.map(([name]) => name).join(', '),
          ],
        ];
  const otherLines = otherEntries.flatMap(([name, message]): [string, string][] => {
    const names = (entriesByMessage.get(message) ?? []).map(([fieldName]) => fieldName);
    if (names.length <= maxSeparateFields) return [[name, message]];
    if (names[0] !== name) return [];
    const remainingCount = names.length - maxNamedFields;
    return [
      [
        `${names.slice(0, maxNamedFields).join(', ')}${remainingCount > 0 ? ` and ${formatCount(remainingCount)} more` : ''}`,
        message,
      ],
    ];
  });
  return [...missingLines, ...otherLines];
}

/** Writes a note, such as how many rows there are. Not shown with `--quiet`. */
export function note(streams: Streams, text: Hint, style?: Style): void {
  if (!streams.quiet) report(streams, text, style);
}

/** Writes a message that is needed, such as a URL to open. Also shown with `--quiet`. */
export function report(streams: Streams, text: Hint, style?: Style): void {
  const clean = cleanAndIndent(formatHint(text, streams.repeatedFlags));
  writeMessage(streams, style === undefined ? clean : createPaint(streams.color.err)[style](clean));
}

/** Writes a warning. Also shown with `--quiet`. */
export function warn(streams: Streams, text: Hint): void {
  writeMessage(
    streams,
    `${createPaint(streams.color.err).yellow('boh: warning:')} ${cleanAndIndent(formatHint(text, streams.repeatedFlags))}`,
  );
}

/** Cleans text and indents all lines after the first, so that text from outside can't look like a message of boh. */
function cleanAndIndent(text: string): string {
  return cleanText(text).replaceAll('\n', `\n${continuationIndent}`);
}

/** Writes to stderr without waiting: a failure to write there can't be reported anyway. */
function writeMessage(streams: Streams, message: string): void {
  const { statusLine, delayedNotes, stderr, isTerminal, columns, unicode } = streams;
  const text = redact(message);
  const line = `${isTerminal.err ? wrapLines(unicode ? text : toAscii(text), columns('err')) : text}\n`;
  if (delayedNotes) {
    delayedNotes.push(line);
    return;
  }
  statusLine?.clear();
  stderr.write(line);
}

export const continuationIndent = '    ';

/** Wraps lines of text. Counts each character as one column: exact measuring takes long to load. */
export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (displayLength(line) <= width ? line : wrapLine(line, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const [indent = ''] = /^ */.exec(line) ?? [];
  if (width - indent.length < width / 2) return line;
  const lines: string[] = [];
  let current: string | undefined;
  // A word that is longer than the line, such as a URL, isn't cut.
  for (const word of unbreakableParts(line.slice(indent.length))) {
    const extended: string = current === undefined ? indent + word : `${current} ${word}`;
    if (current === undefined || displayLength(extended) <= width) {
      current = extended;
      continue;
    }
    lines.push(current);
    current = indent + continuationIndent + word;
  }
  return [...lines, current ?? ''].join('\n');
}

/**
 * Splits a line into the parts that aren't broken: words and boh commands. If a user copied a command from two lines, the
 * shell would run only its first half.
 */
function unbreakableParts(line: string): string[] {
  const parts: string[] = [];
  let command: string | undefined;
  const words = line.split(' ');
  words.forEach((word, index) => {
    if (command !== undefined) command += ` ${word}`;
    else if (/(^|\W)boh$/.test(word) && /^[a-z-]/.test(words[index + 1] ?? '')) command = word;
    else parts.push(word);
    if (command !== undefined && (index === words.length - 1 || endsCommand(command))) {
      parts.push(command);
      command = undefined;
    }
  });
  return parts;
}

/** Returns whether a command ends with punctuation outside quotes. */
function endsCommand(text: string): boolean {
  const hasOpenQuote = ['"', "'"].some((quote) => text.split(quote).length % 2 === 0);
  return !hasOpenQuote && /[.,;:)]$/.test(text);
}

/** Returns the number of characters without styles. */
function displayLength(text: string): number {
  return stripVTControlCharacters(text).length;
}
