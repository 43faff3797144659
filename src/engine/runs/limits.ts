/** Checks the limits of a run: how many records it may change or delete, and by how much it may change prices. */
import { isRow, type Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import type { Api } from '../../api/contract/api.ts';
import { type Field, type Fields, isMoney } from '../../api/contract/field.ts';
import { type Operation, operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { type Failure, type FieldMessages, usage } from '../../base/errors.ts';
import { truncateItems } from '../../base/shown-items.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow } from './ledger/row.ts';

/** The flags that set limits, with the text that the user entered. */
export interface LimitFlags {
  maxChanges?: string;
  maxDeletes?: string;
  maxPriceChange?: string;
  allowLoss?: boolean;
}

/** A limit that applies to a plan. */
export interface Limit {
  /**
   * Messages about what exceeds the limit, by the name of the flag or the resource. Empty if the plan stays within the
   * limit.
   */
  exceeded: FieldMessages;
  /** The flag that allows the plan as it is: `--max-changes 12`. */
  flag: string;
}

/** The limits on a protected profile, unless flags set other limits. */
export const protectedLimits = { maxChanges: '500', maxPriceChange: '50%' };

/** The limits for deletions per resource, unless a flag sets another limit: a number of records, and a percentage. */
const defaultDeleteLimits = { count: 10, percent: 10 };

const countOrPercentPattern = /^\d{1,9}%?$/;

/** Returns the problems of the flags, by their names; empty if all are valid. */
export function limitFlagProblems({ maxChanges, maxDeletes, maxPriceChange }: LimitFlags): FieldMessages {
  return {
    ...(!countOrPercentPattern.test(maxChanges ?? '0') && {
      'max-changes': ['--max-changes must be a whole number, such as 25, or a percentage, such as 10%'],
    }),
    ...(!countOrPercentPattern.test(maxDeletes ?? '0') && {
      'max-deletes': ['--max-deletes must be a number of records, such as 25, or a percentage, such as 5%'],
    }),
    ...(!/^\d{1,6}%$/.test(maxPriceChange ?? '0%') && {
      'max-price-change': ['--max-price-change must be a percentage, such as 50%'],
    }),
  };
}

/** Throws a usage failure if limits are exceeded. */
export function refuseExceeded(limits: readonly Limit[]): void {
  const failure = exceededFailure(limits);
  if (failure) throw failure;
}

/** Returns one usage failure for all exceeded limits; undefined if none is exceeded. */
function exceededFailure(limits: readonly Limit[]): Failure | undefined {
  const exceededLimits = limits.filter(({ exceeded }) => Object.keys(exceeded).length > 0);
  if (exceededLimits.length === 0) return undefined;
  const fields: FieldMessages = Object.assign(
    Object.create(null),
    ...exceededLimits.map(({ exceeded }) => exceeded),
  );
  return usage('The plan exceeds its limits; nothing was sent.', {
    fields,
    hint: `To allow it: ${exceededLimits.map(({ flag }) => flag).join(' ')}. To list all changes: --dry-run`,
  });
}

/** Returns the limit of `--max-changes`: how many of the records of the plan may change. */
export function changeLimit(changed: number, total: number, maxChanges: string): Limit {
  const allowed = parseLimit(maxChanges, total);
  const message = `Would change ${changed} of ${total} records; the limit is ${allowed}`;
  return {
    exceeded: changed > allowed ? { 'max-changes': [message] } : {},
    flag: `--max-changes ${changed}`,
  };
}

/**
 * Returns the limit of the deletes in a ledger. Records that the same run creates don't count. Reads the number of records
 * from the first page of each list.
 */
export async function plannedDeleteLimit(
  ledger: Ledger,
  session: Session,
  maxDeletes: string | undefined,
): Promise<Limit> {
  const counts = new Map<string, number>();
  for (const { action, id, resource } of ledger.rows('planned')) {
    const name = String(resource ?? ledger.property('resource'));
    if (action === 'delete' && id !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const deletes = [];
  for (const [name, count] of counts) {
    const resource = session.api.resource(name);
    const list = resource && operation(resource, 'list');
    if (list) deletes.push({ resource, count, total: await countRecords(session, list) });
  }
  return deleteLimit(deletes, maxDeletes);
}

async function countRecords(session: Session, list: Operation): Promise<number | undefined> {
  const listing = session.list({ operation: list, query: {} }, { isFirstPageOnly: true });
  for await (const _ of listing.pages());
  return listing.summary().total;
}

/**
 * Returns the limit of `--max-deletes`: how many records of each resource may be deleted. `total` is the number of
 * records in the account; undefined if the service doesn't report it, and then a percentage limits nothing.
 */
export function deleteLimit(
  deletes: readonly { resource: Resource; count: number; total: number | undefined }[],
  maxDeletes: string | undefined,
): Limit {
  const exceeded: FieldMessages = Object.create(null);
  for (const { resource, count, total } of deletes) {
    const share = total === undefined ? Infinity : Math.floor((total * defaultDeleteLimits.percent) / 100);
    const allowed =
      maxDeletes === undefined ? Math.min(defaultDeleteLimits.count, share) : parseLimit(maxDeletes, total);
    if (count > allowed) {
      const amount = `${count}${total === undefined ? '' : ` of ${total}`} ${total === 1 ? resource.noun : resource.nouns}`;
      exceeded[resource.command] = [`Would delete ${amount}; the limit is ${allowed}`];
    }
  }
  return { exceeded, flag: `--max-deletes ${Math.max(0, ...deletes.map(({ count }) => count))}` };
}

/** Returns the number of records for a limit such as `25`, or `5%` of the total. */
function parseLimit(limit: string, total = Infinity): number {
  const number = Number.parseInt(limit, 10);
  return limit.endsWith('%') ? Math.floor((total * number) / 100) : number;
}

/** Returns the limit of `--max-price-change`: by how many percent prices and costs of existing records may change. */
export function priceLimit(ledger: Ledger, api: Api, maxPriceChange: string): Limit {
  const allowed = Number.parseInt(maxPriceChange, 10);
  const exceedingChanges = [...priceChanges(ledger, api)].filter(({ percent }) => percent > allowed);
  const messages = exceedingChanges.map(
    ({ label, from, to, percent }) => `${label}: ${from} → ${to ?? 'nothing'} (${Math.round(percent)} %)`,
  );
  return {
    exceeded: exceedingChanges.length > 0 ? { 'max-price-change': truncateItems(messages) } : {},
    flag: `--max-price-change ${exceedingChanges.reduce((max, { percent }) => Math.max(max, Math.ceil(percent)), 0)}%`,
  };
}

interface PriceChange {
  /** The record and the field: `inventory item SKU-001 cost`. */
  label: string;
  from: unknown;
  to: unknown;
}

/** Yields every price or cost that the plan changes from one amount to another, with the change in percent. */
function* priceChanges(ledger: Ledger, api: Api): Generator<PriceChange & { percent: number }> {
  for (const row of ledger.rows('planned')) {
    const resource = api.resource(String(row.resource ?? ledger.property('resource')));
    if (!resource || (row.action !== 'update' && row.action !== 'link')) continue;
    const fields = fieldsOf(row, resource);
    for (const [name, [from, to]] of Object.entries(row.changes ?? {})) {
      const field = fields[name];
      const changes = field ? priceChangesInField(field, { label: name, from, to }) : [];
      for (const change of changes) {
        const percent = percentChange(change.from, change.to);
        if (percent === undefined) continue;
        const label = `${resource.noun} ${row.key ?? row.id} ${change.label}`;
        yield { ...change, label, percent: Math.abs(percent) };
      }
    }
  }
}

/** Returns the change of a price or cost in a row as text, `+9.6%`; '' for other fields and new prices. */
export function formatPriceChange(row: LedgerRow, resource: Resource, name: string): string {
  const [from, to] = row.changes?.[name] ?? [];
  const field = fieldsOf(row, resource)[name];
  return field && isMoney(field) ? formatPercent(percentChange(from, to)) : '';
}

/** Returns a change as text, `+9.6%`; '' if there is none. */
export function formatPercent(percent: number | undefined): string {
  return percent ? `${percent > 0 ? '+' : ''}${Number(percent.toFixed(1))}%` : '';
}

/** Returns the fields that a row changes: those of its record, or those of the link that it sets. */
function fieldsOf({ action, steps: [step] }: LedgerRow, resource: Resource): Fields {
  if (action !== 'link' || !step) return resource.fields;
  const link = operation(resource, step.verb)?.link?.field ?? '';
  return resource.fields[link]?.traits.pivot ?? {};
}

/** Returns the price changes in a field, labeled `price`, or `Small price` and `Small Riverside price` for options. */
function priceChangesInField(field: Field, { label, from, to }: PriceChange): PriceChange[] {
  if (isMoney(field)) return [{ label, from, to }];
  const { fields: innerFields = field.traits.pivot } = field.traits;
  if (!innerFields || !Array.isArray(from) || !Array.isArray(to)) return [];
  return to.filter(isRow).flatMap((part) => {
    const partName = nameOf(part, innerFields);
    const previousPart = from.filter(isRow).find((oldPart) => nameOf(oldPart, innerFields) === partName);
    if (!previousPart) return [];
    return Object.entries(innerFields)
      .flatMap(([name, innerField]) =>
        priceChangesInField(innerField, { label: name, from: previousPart[name], to: part[name] }),
      )
      .map((change) => ({ ...change, label: `${partName} ${change.label}` }));
  });
}

/** Returns the name of a part of a record; for a link, the record at its other end. */
function nameOf(part: Row, innerFields: Fields): string {
  const [, linkedId] = Object.entries(part).find(([name]) => !Object.hasOwn(innerFields, name)) ?? [];
  return String(linkedId ?? part.name);
}

/**
 * Returns the change of an amount in percent, negative if it decreases. It is undefined if there was no amount before, and
 * -100 if there is none afterwards.
 */
export function percentChange(oldValue: unknown, newValue: unknown): number | undefined {
  const [from, to] = [Number(oldValue ?? Number.NaN), Number(newValue ?? 0)];
  if (!Number.isFinite(from) || !Number.isFinite(to) || from === 0) return undefined;
  return ((to - from) / Math.abs(from)) * 100;
}
