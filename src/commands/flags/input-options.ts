/** The flags that say where a body comes from, besides those of its fields. */
import { Option } from 'commander';
import { splitList } from '../../contract/list-text.ts';
import type { Operation } from '../../contract/operation.ts';
import { canBeCleared } from '../../interaction/input/clearing.ts';
import { phoneOption } from './phone-option.ts';

const dataFlags = [
  ['--data <json>', 'the whole body as JSON, @FILE, or - for standard input; flags go before it'],
  ['--encoding <name>', 'what that file or standard input is written in (default: utf-8)'],
] as const;

const collect = (text: string, before: string[]): string[] => [...before, ...splitList(text)];

export function inputOptions({ body }: Operation): Option[] {
  const secrets = body.filter(({ field }) => field.traits.secret).map(({ name }) => name);
  const options = dataFlags.map(([flags, about]) => new Option(flags, about));
  if (body.some(({ field }) => canBeCleared(field))) {
    const about = 'fields to empty: null, or an empty list';
    options.push(new Option('--clear <fields>', about).argParser(collect).default([], 'none'));
  }
  if (secrets.length > 0) {
    const about = `fields to be asked for without showing them: ${secrets.join(', ')}`;
    options.push(new Option('--ask <fields>', about).argParser(collect).default([], 'none'));
  }
  if (body.some(({ field }) => field.traits.form === 'phone')) options.push(phoneOption());
  return options;
}
