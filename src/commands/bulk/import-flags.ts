/** The flags of `import`, and what they say. */
import { type Command, Option } from 'commander';
import { type FieldMessages, violations } from '../../base/errors.ts';
import { orMeant } from '../../base/suggest.ts';
import { splitList } from '../../contract/list-text.ts';
import {
  type ImportOptions,
  type ListMode,
  listModes,
  type Mode,
  modes,
  usualOptions,
} from '../../tables/columns/options.ts';
import { type PhoneFlags, phoneOption } from '../flags/phone-option.ts';
import { checkRunFlags } from './check-run-flags.ts';
import { addPlanningFlags, type RunFlags } from './run-flags.ts';

/** As typed. */
export interface ImportFlags extends RunFlags, PhoneFlags {
  mode?: string;
  key?: string;
  map?: string[];
  ignoreReadOnly?: boolean;
  stale?: string;
  null?: string;
  listMode?: string;
  onDeleted?: string;
  encoding?: string;
  delimiter?: string;
  quote?: string;
  sheet?: string;
  decimal?: string;
  dates?: string;
  skipInvalid?: boolean;
  maxChanges?: string;
  exitCode?: boolean;
}

const repeated = (text: string, before: string[] = []) => [...before, text];

export function addImportFlags(command: Command): void {
  const group = (heading: string, ...options: Option[]) => {
    for (const option of options) command.addOption(option.helpGroup(heading));
  };
  group(
    'Rows:',
    new Option('--mode <mode>', `${listed(modes)}; a _command column says it row by row (default: upsert)`),
    new Option(
      '--key <fields>',
      'the fields that tell records apart; else the id, or what the document calls unique',
    ),
    new Option(
      '--map <theirs=ours>',
      'what a column of the file is; theirs= leaves it out (repeatable)',
    ).argParser(repeated),
    new Option('--ignore-read-only', 'leave out columns that can’t be set, ids of another account too'),
    new Option(
      '--stale <what>',
      'rows whose record has changed since: refuse or overwrite (default: refuse)',
    ),
    phoneOption(),
    new Option('--null <text>', String.raw`the cell that empties a field (default: \N)`),
    new Option(
      '--list-mode <mode>',
      `what a list does to the one before: ${listed(listModes)} (default: replace)`,
    ),
    new Option('--on-deleted <what>', 'rows whose record is deleted: restore or refuse'),
  );
  group(
    'The file:',
    new Option('--encoding <name>', 'what it is written in, where it isn’t UTF-8'),
    new Option('--delimiter <character>', 'what separates its cells: comma, semicolon, tab, pipe'),
    new Option('--quote <kind>', 'what encloses its cells: double or single quotes (default: double)'),
    new Option('--sheet <name>', 'the sheet of a workbook; else the one named so, or the first'),
    new Option('--decimal <mark>', 'what stands before a fraction: point or comma'),
    new Option('--dates <order>', 'how days are written: ymd, dmy or mdy'),
  );
  group(
    'Safety:',
    new Option('--skip-invalid', 'leave out bad rows, and send the others'),
    new Option('--failed <file>', 'write the rows that failed there, with the reason'),
    new Option('--max-changes <number>', 'send nothing if more rows than this would change; N or N%'),
    new Option('--exit-code', 'with --dry-run: end with 10 where something would change'),
  );
  addPlanningFlags(command);
}

/** Throws one failure for all that is wrong. */
export function readImportFlags(flags: ImportFlags): ImportOptions {
  checkRunFlags(flags);
  const messages: FieldMessages = Object.create(null);
  const oneOf = <Word extends string>(name: string, text: string | undefined, words: readonly Word[]) => {
    const word = words.find((each) => each === text);
    if (text !== undefined && word === undefined) {
      messages[name] = [`--${name} must be ${listed(words)}${orMeant(text, words)}`];
    }
    return word;
  };
  const map = new Map<string, string>();
  for (const pair of flags.map ?? []) {
    const at = pair.lastIndexOf('=');
    if (at < 1) messages.map = [...(messages.map ?? []), `"${pair}" is not theirs=ours`];
    else map.set(pair.slice(0, at), pair.slice(at + 1));
  }
  const options: ImportOptions = {
    mode: oneOf<Mode>('mode', flags.mode, modes) ?? usualOptions.mode,
    key: flags.key === undefined ? undefined : splitList(flags.key).map((name) => name.replaceAll('-', '_')),
    map,
    isReadOnlyIgnored: flags.ignoreReadOnly === true,
    stale: oneOf('stale', flags.stale, ['refuse', 'overwrite']) ?? usualOptions.stale,
    normalizesPhones: flags.normalizePhones,
    nullText: flags.null ?? usualOptions.nullText,
    listMode: oneOf<ListMode>('list-mode', flags.listMode, listModes) ?? usualOptions.listMode,
    onDeleted: oneOf('on-deleted', flags.onDeleted, ['restore', 'refuse']),
    decimal: oneOf('decimal', flags.decimal, ['point', 'comma']),
    dates: oneOf('dates', flags.dates, ['ymd', 'dmy', 'mdy']),
  };
  if (Object.keys(messages).length > 0) throw violations('The command line', messages);
  return options;
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
