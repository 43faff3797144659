/** The command line that would do the same again, for a person to keep. Secrets are never in it. Loaded when shown. */
import { isRow, type Row } from '../../client/shape.ts';
import type { Field } from '../../contract/field.ts';
import { joinList } from '../../contract/list-text.ts';
import type { Operation } from '../../contract/operation.ts';
import { flagName, wordOf } from '../../contract/text.ts';
import { quote } from '../../reference/examples.ts';
import type { Globals } from '../globals.ts';
import { isFlag } from '../line/read-flag.ts';
import { whereFlags } from '../where.ts';

/** `boh --sandbox suppliers create --name "Coastal Fish"`: quoted for a POSIX shell. */
export function commandLine(
  globals: Globals,
  { resource, verb, body: fields }: Operation,
  ids: readonly string[],
  body: Row = {},
): string {
  const unchecked = globals.unchecked ? ['--unchecked'] : [];
  const isApart = ids.some(isFlag);
  const words = [
    'boh',
    ...whereFlags(globals),
    ...unchecked,
    resource.command,
    verb,
    ...(isApart ? [] : ids),
  ];
  const others: Row = {};
  const cleared: string[] = [];
  const asked: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const field = fields.find((candidate) => candidate.name === name)?.field;
    const text = field && typedText(field, value);
    if (field?.traits.secret) asked.push(name);
    else if (value === null) cleared.push(name);
    else if (field?.kind === 'boolean') words.push(value ? `--${flagName(name)}` : `--no-${flagName(name)}`);
    else if (text === undefined) others[name] = value;
    else words.push(...flagged(flagName(name), text));
  }
  if (cleared.length > 0) words.push('--clear', cleared.join(','));
  if (asked.length > 0) words.push('--ask', asked.join(','));
  if (Object.keys(others).length > 0) words.push('--data', JSON.stringify(others));
  return [...words, ...(isApart ? ['--', ...ids] : [])].map(quote).join(' ');
}

/** What a person types to give a value; undefined where only JSON can. The other direction is `readText`. */
export function typedText(field: Field, value: unknown): string | undefined {
  const { amount } = field.traits;
  switch (field.kind) {
    case 'choice':
      return wordOf(field, value)?.replaceAll(' ', '-') ?? String(value);
    case 'words':
    case 'ids':
      return listOf(value, String);
    case 'integers':
      return listOf(value, (item) => wordOf(field, item)?.replaceAll(' ', '-') ?? String(item));
    case 'many':
      return Array.isArray(value) && value.every((link) => isTypable(link, amount))
        ? listOf(value, (link) => linkText(link, amount))
        : undefined;
    case 'ring':
    case 'object':
    case 'objects':
      return JSON.stringify(value);
    default:
      return typeof value === 'object' ? undefined : String(value);
  }
}

/** A value that begins with a dash must not stand apart: it would be taken for a flag. */
function flagged(name: string, text: string): string[] {
  return text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text];
}

function listOf(value: unknown, text: (item: unknown) => string): string | undefined {
  return Array.isArray(value) ? joinList(value.map(text)) : undefined;
}

/** A link that says more than its id and its number is for JSON to give. */
function isTypable(link: unknown, amount: string | undefined): boolean {
  return !isRow(link) || Object.keys(link).every((name) => name === 'id' || name === amount);
}

function linkText(link: unknown, amount: string | undefined): string {
  if (!isRow(link)) return String(link);
  return amount ? `${link.id}=${link[amount]}` : String(link.id);
}
