/** Reads the records of a transfer into its ledger, with the records that they reference. */
import type { Fields } from '../contract/field.ts';
import { hasTakenEffect } from '../contract/irreversible.ts';
import type { Resource } from '../contract/resource.ts';
import type { NewRow } from '../runs/ledger/row.ts';
import { rowError } from '../runs/row-error.ts';
import { isDeleted } from '../session/list.ts';
import { titleOf } from '../session/record-key.ts';
import { isRow, type Row } from '../session/row.ts';
import { rowName, type Transfer, type TransferIntent } from './transfer.ts';

/** The number of rows that are written to the ledger at a time. */
const batchRows = 500;

type Pointed = Map<string, Set<string>>;

/** Reads referencing resources first, so that it is known which referenced records are needed. */
export async function readSource(transfer: Transfer): Promise<void> {
  const { session, resources, source, findings } = transfer;
  const order = session.api.dependencyOrder().map(({ resource }) => resource);
  const pointed: Pointed = new Map();
  for (const [place, resource] of [...order.entries()].reverse()) {
    const isChosen = resources.includes(resource);
    if (!source.has(resource) || (!isChosen && transfer.isSameAccount)) continue;
    if (isChosen && !resource.create && !resource.update) {
      for await (const { record } of source.records(resource))
        findings.addHeldBack('not_writable', resource, String(record.id));
    } else if (isChosen) await readOf(transfer, resource, { place, from: 0, pointed });
    else await readPointed(transfer, resource, place, pointed);
  }
}

/** Repeats until all referenced records are read: records of one resource may reference each other. */
async function readPointed(transfer: Transfer, resource: Resource, place: number, pointed: Pointed) {
  const read = new Set<string>();
  for (let from = 0; ; ) {
    const ids = new Set([...(pointed.get(resource.name) ?? [])].filter((id) => !read.has(id)));
    if (ids.size === 0) return;
    from = await readOf(transfer, resource, { place, from, pointed, ids });
    for (const id of ids) read.add(id);
  }
}

interface Part {
  place: number;
  /** The number of rows of the resource that exist already. */
  from: number;
  pointed: Pointed;
  /** Limits the read to these ids, because others reference them. */
  ids?: ReadonlySet<string>;
}

async function readOf(
  transfer: Transfer,
  resource: Resource,
  { place, from, pointed, ids }: Part,
): Promise<number> {
  const { ledger, source, session, withReferences } = transfer;
  let count = from;
  let rows: NewRow[] = [];
  for await (const { record, line = null, problems = [], ...edited } of source.records(resource, ids)) {
    if (problems.length === 0 && isHeldBack(transfer, resource, record)) continue;
    const intent: TransferIntent = { record, isReferenced: ids !== undefined, ...edited };
    const row: NewRow = {
      seq: placeOfRecord(place, count++),
      line,
      key: titleOf(resource, record),
      name: rowName(resource.name, String(record.id)),
      resource: resource.name,
      state: 'read',
      intent,
    };
    if (problems.length > 0) {
      rows.push({ ...row, state: 'bad', action: 'skip', error: rowError(problems) });
      continue;
    }
    rows.push(row);
    if (ids === undefined || withReferences) {
      const isResource = (target: string) => session.api.resource(target) !== undefined;
      collect(resource.fields, record, isResource, pointed);
    }
    if (rows.length < batchRows) continue;
    ledger.add(rows);
    transfer.onRows?.(rows.length);
    rows = [];
  }
  ledger.add(rows);
  return count;
}

function isHeldBack(transfer: Transfer, resource: Resource, record: Row): boolean {
  const { findings, withDeleted, edited, isSameAccount } = transfer;
  // An edited file may say that a draft of the account is to take effect: its record decides.
  const isSettled = hasTakenEffect(resource, record) && !(edited && isSameAccount);
  const why = isDeleted(record) && !withDeleted ? 'deleted' : isSettled ? 'settled' : undefined;
  if (why) findings.addHeldBack(why, resource, String(record.id));
  return why !== undefined;
}

function collect(fields: Fields, row: Row, isResource: (target: string) => boolean, pointed: Pointed): void {
  for (const [name, { traits }] of Object.entries(fields)) {
    const value = row[name];
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!isRow(item)) continue;
      if (traits.fields) collect(traits.fields, item, isResource, pointed);
      else if (traits.target !== undefined && isResource(traits.target)) {
        const ids = pointed.get(traits.target) ?? new Set();
        pointed.set(traits.target, ids.add(String(item.id)));
      }
    }
  }
}

/** More than any account has of one resource. */
const placesPerResource = 1_000_000_000;

/** Returns the place of a record, by the position of its resource in dependency order. */
function placeOfRecord(order: number, count: number): number {
  return order * placesPerResource + count + 1;
}

/** Returns the place of a write that needs all records of the resource. */
export function placeOfLater(order: number, count: number): number {
  return order * placesPerResource + placesPerResource / 2 + count + 1;
}

/** Returns the place of a write after everything else, referencing records first. */
export function placeOfEnd(order: number, kinds: number, count: number): number {
  return (2 * kinds - order) * placesPerResource + count + 1;
}
