/** Where a row stands before the service is asked: which record it is to be, or that it is none yet. */
import type { Resource } from '../../contract/resource.ts';
import type { Intent } from '../../runs/intent.ts';
import type { RowChange } from '../../runs/ledger/row.ts';
import { type Key, markOfId, markOfRow, textOfMark } from '../../runs/mark.ts';
import { rowError } from '../../runs/row-error.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';

export interface Placing {
  resource: Resource;
  options: ImportOptions;
  key: Key;
}

/** Its mark, with what people know it by; or why it can't go without one. */
export function placed(intent: Intent, { resource, options, key }: Placing): RowChange {
  const mark = markFor(intent, key, options);
  if (mark !== undefined) return { match: mark, key: textOfMark(mark.slice(1)) };
  const { command } = intent;
  const mayBeNew = command === 'create' || (command === 'upsert' && options.key === undefined);
  if (mayBeNew) return {};
  const names = key.length === 0 ? 'id' : key.map(({ name }) => name).join(', ');
  const what = `says nothing of ${names}, by which its ${resource.noun} is found`;
  return { state: 'bad', error: rowError([{ what }]) };
}

/** Ids go before any other key, where rows have them and they are of this account. */
function markFor(
  intent: Intent,
  key: Key,
  { key: said, isReadOnlyIgnored }: ImportOptions,
): string | undefined {
  const isById = said === undefined && !isReadOnlyIgnored && intent.command !== 'create';
  if (isById && intent.id !== undefined) return `i${markOfId(intent.id)}`;
  const mark = markOfRow(intent, key);
  return mark === undefined ? undefined : `k${mark}`;
}
