/** What boh says on stderr: failures, warnings and remarks. Results never come this way. */
import { stripVTControlCharacters } from 'node:util';
import { type Failure, failureRecord } from '../errors.ts';
import { cleanLine, cleanText, inAscii } from './clean.ts';
import { painter, type Style } from './colour.ts';
import { jsonText } from './formats/json.ts';
import type { Streams } from './streams.ts';

export interface ReportOptions {
  /** Whether results are for a machine (`json`, `ndjson`): then stderr ends with one JSON object. */
  machine?: boolean;
  /** Also shows the request and its status (`--verbose`). */
  verbose?: boolean;
}

/** Prints a failure: what happened, each field with its messages, and what to do next. */
export function reportFailure(
  failure: Failure,
  streams: Streams,
  { machine = false, verbose = false }: ReportOptions = {},
): void {
  const { bold, red, dim } = painter(streams.colour.err);
  const { hint, fields = {}, request, status } = failure.details;
  const lines = [`${red('boh:')} ${bold(block(failure.message))}`];
  for (const [name, messages] of Object.entries(fields)) {
    for (const message of messages)
      lines.push(name === '_' ? `  ${block(message)}` : `  ${cleanLine(name)}: ${block(message)}`);
  }
  if (verbose && request !== undefined) {
    const outcome = status === undefined ? 'no answer' : `status ${status}`;
    lines.push(dim(`  ${cleanLine(`${request.method} ${request.path}`)}: ${outcome}`));
  }
  if (hint !== undefined) lines.push(block(hint));
  say(streams, lines.join('\n'));
  if (machine) streams.stderr.write(`${jsonText({ error: failureRecord(failure) }, { terminal: true })}\n`);
}

/** A remark, such as how many rows there are; not shown with `--quiet`. */
export function note(streams: Streams, text: string, style?: Style): void {
  if (!streams.quiet) tell(streams, text, style);
}

/** What the person can't do without, such as an address to open: shown with `--quiet` too. */
export function tell(streams: Streams, text: string, style?: Style): void {
  const clean = block(text);
  say(streams, style === undefined ? clean : painter(streams.colour.err)[style](clean));
}

/** Something the person should know even with `--quiet`. */
export function warn(streams: Streams, text: string): void {
  say(streams, `${painter(streams.colour.err).yellow('boh: warning:')} ${block(text)}`);
}

/** Further lines are indented, so that no text from outside can pass for a line of boh's own. */
const further = '    ';

function block(text: string): string {
  return cleanText(text).replaceAll('\n', `\n${further}`);
}

/** Where stderr itself can't be written to there is no one left to tell, so nobody waits for it. */
function say(streams: Streams, text: string): void {
  const { statusLine, held, stderr, isTerminal, unicode } = streams;
  const line = `${isTerminal.err ? fitted(unicode ? text : inAscii(text), streams) : text}\n`;
  if (held) {
    held.push(line);
    return;
  }
  statusLine?.clear();
  stderr.write(line);
}

/**
 * Long sentences in lines that break at spaces, all but the first further in. A letter counts as a column: what measures
 * exactly takes longer to load than anything that is said.
 */
function fitted(text: string, { columns, stderr }: Streams): string {
  // Results may go elsewhere, and so have another width.
  const { columns: width = columns } = stderr as { columns?: number };
  return text
    .split('\n')
    .map((line) => (lengthOf(line) <= width ? line : broken(line, width)))
    .join('\n');
}

function broken(line: string, width: number): string {
  const [inside = ''] = /^ */.exec(line) ?? [];
  if (width - inside.length < width / 2) return line;
  const lines: string[] = [];
  let last: string | undefined;
  // What is longer than the lines, such as an address, isn’t cut.
  for (const word of piecesOf(line.slice(inside.length))) {
    const longer: string = last === undefined ? inside + word : `${last} ${word}`;
    if (last === undefined || lengthOf(longer) <= width) {
      last = longer;
      continue;
    }
    lines.push(last);
    last = inside + further + word;
  }
  return [...lines, last ?? ''].join('\n');
}

/** Words; and as one piece each command that people copy: broken into lines, a shell would run the half of it. */
function piecesOf(line: string): string[] {
  const pieces: string[] = [];
  let command: string | undefined;
  const words = line.split(' ');
  words.forEach((word, at) => {
    if (command !== undefined) command += ` ${word}`;
    else if (/(^|\W)boh$/.test(word) && /^[a-z-]/.test(words[at + 1] ?? '')) command = word;
    else pieces.push(word);
    if (command !== undefined && (at === words.length - 1 || endsCommand(command))) {
      pieces.push(command);
      command = undefined;
    }
  });
  return pieces;
}

/** A sentence goes on behind it; not within quotes. */
function endsCommand(text: string): boolean {
  const isOpen = ['"', "'"].some((quote) => text.split(quote).length % 2 === 0);
  return !isOpen && /[.,;:)]$/.test(text);
}

/** In letters, without the colours around them. */
function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
