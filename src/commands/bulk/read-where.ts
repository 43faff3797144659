/** What `--where KEY=VALUE` says: filters of a list, each held against the contract. */
import { type FieldMessages, violations } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Resource } from '../../contract/resource.ts';
import { flagName, readFilter } from '../../contract/text.ts';

/** Filters as a list takes them. One that nobody knows is refused: a service that passes it over would answer all records. */
export function readWhere(resource: Resource, pairs: readonly string[], now: Date): Record<string, string> {
  const filters: Record<string, string> = Object.create(null);
  const messages: FieldMessages = Object.create(null);
  const add = (name: string, message: string) => {
    messages[name] = [...(messages[name] ?? []), message];
  };
  for (const pair of pairs) {
    const [, key = '', text = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    const filter = resource.filters.find(({ name }) => name === key || flagName(name) === key);
    if (key === '') add('where', `"${pair}" is not KEY=VALUE`);
    else if (!filter) {
      const known = resource.filters.map(({ name }) => name);
      add(key, `is not a filter of ${resource.command}.${didYouMean(key, known)}`);
    } else if (Object.hasOwn(filters, filter.name))
      add(key, 'is given twice; several values stand with commas');
    else {
      const { value, problem } = readFilter(filter, text, now);
      if (problem === undefined) filters[filter.name] = String(value);
      else add(key, problem);
    }
  }
  if (Object.keys(messages).length === 0) return filters;
  throw violations('--where', messages, `Its keys are the filters of: boh ${resource.command} list --help`);
}
