/** Rows of a plan or a run as people read them, a line each: before the question, with `--dry-run`, by `runs show`. */
import { shortValue, withShortValues } from '../../base/short-value.ts';
import type { Api } from '../../contract/api.ts';
import type { Field } from '../../contract/field.ts';
import { typedText } from '../../contract/text.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { resultOf } from '../../runs/result.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { spaceBehind } from '../../terminal/isolate.ts';

export interface LineOptions {
  api: Api;
  /** What the run writes to, where its rows don’t say it. */
  resource?: string | undefined;
  /** A terminal, where text from right to left has to keep its place. */
  isWindow: boolean;
  /** Values whole, however long they are. */
  isWhole?: boolean;
}

/** `line 4: update inventory-item-1 (Tomatoes) cost 4.5 → 4.95` */
export function plannedLine(row: LedgerRow, { isWindow, isWhole = false, ...options }: LineOptions): string {
  const { action, changes } = row;
  const known = options.api.resource(row.resource ?? options.resource ?? '')?.fields;
  // Of a record that goes, an undo notes when, which is now.
  const changing = action === 'delete' ? {} : (changes ?? {});
  const fields = Object.entries(changing).map(([name, [from, to]]) => {
    const shown = (value: unknown) => valueText(value, known?.[name], isWhole);
    if (action === 'create') return `${name} ${shown(to)}`;
    const before = shown(from);
    return `${name} ${before}${isWindow ? spaceBehind(before) : ' '}→ ${shown(to)}`;
  });
  return cleanLine(`${headOf(row, options)} ${fields.join(', ')}`.trim());
}

/** `line 4: update inventory-item-1 (Tomatoes): done` */
export function ranLine(row: LedgerRow, options: Omit<LineOptions, 'isWindow'>): string {
  const { error } = row;
  const isUnchanged = row.action === 'skip' && row.state === 'done';
  const outcome = isUnchanged ? 'unchanged' : resultOf(row).outcome.replace('_', ' ');
  return cleanLine(
    `${headOf(row, options)}: ${outcome}${error ? `: ${withShortValues(error.message)}` : ''}`,
  );
}

/** Where a row stands in the file, or else what it is about. */
export function placeOf({ line, resource, key }: LedgerRow): string {
  return line === null ? `${resource ?? ''} ${key ?? ''}`.trim() : `line ${line}`;
}

function headOf(row: LedgerRow, options: Pick<LineOptions, 'api' | 'resource'>): string {
  const { line, resource, key, action, id } = row;
  // Names are not the only ones of their kind; in a file a row is known by its line.
  const isNamed = line === null && key !== null && id !== null && !key.includes(id);
  const beside = isNamed ? id : titleOf(row, options);
  const name = key === null ? null : shortValue(key);
  const words = [action === 'skip' ? null : action, resource, name, beside && `(${shortValue(beside)})`];
  return `${line === null ? '' : `line ${line}: `}${words.filter(Boolean).join(' ')}`;
}

/** What people call the record by, where the row is known by something else, such as its id. */
function titleOf(
  { steps, key, action, resource: own }: LedgerRow,
  { api, resource }: Pick<LineOptions, 'api' | 'resource'>,
) {
  const title = api.resource(own ?? resource ?? '')?.title;
  const known = steps.find(({ known }) => known)?.known;
  const name = title === undefined || action === 'create' ? undefined : known?.[title];
  return typeof name === 'string' && name !== '' && !key?.includes(name) ? name : undefined;
}

/** As one would type it, where that can be typed: `draft`, `SKU-001=24`. */
function valueText(value: unknown, field: Field | undefined, isWhole: boolean): string {
  const typed = field && value !== null && value !== undefined ? typedText(field, value) : undefined;
  const text =
    value === undefined ? '?' : typeof value === 'string' ? value : (typed ?? JSON.stringify(value));
  return isWhole ? text : shortValue(text, 40);
}
