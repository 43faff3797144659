/** The records that a transfer is about into its ledger, with those that they point at where these were not asked for. */
import type { Fields } from '../contract/field.ts';
import { hasTakenEffect } from '../contract/irreversible.ts';
import type { Resource } from '../contract/resource.ts';
import type { NewRow } from '../runs/ledger/row.ts';
import { isDeleted } from '../session/list.ts';
import { isRow, type Row } from '../session/row.ts';
import { rowName, type Transfer, type TransferIntent, titleOf } from './transfer.ts';

/** Rows that are written to the ledger at a time. */
const stretch = 500;

type Pointed = Map<string, Set<string>>;

/** Those that point at others are read first: then it is known which of these are needed. */
export async function readSource(transfer: Transfer): Promise<void> {
  const { session, resources, source, findings } = transfer;
  const order = session.api.dependencyOrder().map(({ resource }) => resource);
  const pointed: Pointed = new Map();
  for (const [place, resource] of [...order.entries()].reverse()) {
    const isChosen = resources.includes(resource);
    if (!source.has(resource) || (!isChosen && transfer.isSameAccount)) continue;
    if (isChosen && !resource.create && !resource.update) {
      for await (const { id } of source.records(resource))
        findings.hold('not_writable', resource, String(id));
    } else if (isChosen) await readOf(transfer, resource, { place, from: 0, pointed });
    else await readPointed(transfer, resource, place, pointed);
  }
}

/** Until nothing is pointed at that wasn’t read: records of one kind may point at each other. */
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
  /** Rows of the resource that are there already. */
  from: number;
  pointed: Pointed;
  /** These alone, as others point at them. */
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
  for await (const record of source.records(resource, ids)) {
    if (isHeldBack(transfer, resource, record)) continue;
    const intent: TransferIntent = { record, isReferenced: ids !== undefined };
    rows.push({
      seq: placeOfRecord(place, count++),
      line: null,
      key: titleOf(resource, record),
      name: rowName(resource.name, String(record.id)),
      resource: resource.name,
      state: 'read',
      intent,
    });
    if (ids === undefined || withReferences) {
      const isResource = (target: string) => session.api.resource(target) !== undefined;
      collect(resource.fields, record, isResource, pointed);
    }
    if (rows.length < stretch) continue;
    ledger.add(rows);
    transfer.onRows?.(rows.length);
    rows = [];
  }
  ledger.add(rows);
  return count;
}

function isHeldBack({ findings, withDeleted }: Transfer, resource: Resource, record: Row): boolean {
  const why =
    isDeleted(record) && !withDeleted ? 'deleted' : hasTakenEffect(resource, record) ? 'settled' : undefined;
  if (why) findings.hold(why, resource, String(record.id));
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

/** More than any account holds of one kind. */
const room = 1_000_000_000;

/** Records of one kind, by its place in the order of dependencies. */
function placeOfRecord(order: number, count: number): number {
  return order * room + count + 1;
}

/** What can be written only once all records of the kind are there. */
export function placeOfLater(order: number, count: number): number {
  return order * room + room / 2 + count + 1;
}

/** Behind all else, what points at others first. */
export function placeOfEnd(order: number, kinds: number, count: number): number {
  return (2 * kinds - order) * room + count + 1;
}
