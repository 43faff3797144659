/** The command line that would do the same again, for a person to keep. Secrets are never in it. */
import type { Row } from '../../client/shape.ts';
import type { Operation } from '../../contract/operation.ts';
import { flagName, typedText } from '../../contract/text.ts';
import { quote } from '../../reference/examples.ts';
import type { Globals } from '../globals.ts';
import { whereFlags } from '../where.ts';
import { isFlag } from './flag-words.ts';

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
    else if (text === '' && Array.isArray(value)) cleared.push(name);
    // A flag that is empty is refused; JSON spells a line break out, which a terminal would show as one.
    else if (text === undefined || text === '' || /\p{Cc}/u.test(text)) others[name] = value;
    else words.push(...flagged(flagName(name), text));
  }
  if (cleared.length > 0) words.push('--clear', cleared.join(','));
  if (asked.length > 0) words.push('--ask', asked.join(','));
  if (Object.keys(others).length > 0) words.push('--data', JSON.stringify(others));
  return [...words, ...(isApart ? ['--', ...ids] : [])].map(quote).join(' ');
}

/** A value that begins with a dash must not stand apart: it would be taken for a flag. */
function flagged(name: string, text: string): string[] {
  return text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text];
}
