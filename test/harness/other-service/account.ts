/** The stored records of an account, and a new account: an owner and the records that the API document names only by ID. */
import type { Kind, ResourceData } from './declaration.ts';
import type { Facts } from './facts.ts';
import { lookups, resources } from './resources.ts';

export type Value = unknown;

/** A stored record: scalars, and each relation that it stores as a list of links. */
export interface StoredRecord {
  [field: string]: Value;
  id: string;
}

/** A link to a record. The values beside its ID are those of the link. */
export interface Link {
  [field: string]: Value;
  id: string;
}

/** Records by path, in the order of their creation. */
export type Records = Map<string, Map<string, StoredRecord>>;

/** The owner of each account, who is also the user of its token. */
export const ownerEmail = 'owner@example.com';

/** Returns the records of a new account: an owner and lookups, which are the same in each account. */
export function emptyAccount(facts: Facts): Records {
  const records: Records = new Map([...Object.keys(resources), ...lookups].map((path) => [path, new Map()]));
  const ids = new IdSource(facts.ids);
  for (const path of lookups)
    for (let number = 1; number <= 4; number++) {
      const id = ids.next(path);
      records.get(path)?.set(id, { id, name: `${path} ${number}`, ...timesOf(number) });
    }
  const id = ids.next('users');
  const { fields } = resources.users as ResourceData;
  const empty = Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, emptyValue(kind)]));
  records.get('users')?.set(id, {
    ...empty,
    id,
    is_owner: true,
    name: 'Owner',
    lang: 'en',
    number: '1',
    email: ownerEmail,
    phone: '550000001',
    ...timesOf(1),
    roles: [],
    branches: [],
    tags: [],
  });
  return records;
}

/** The empty value of a field. */
export function emptyValue(kind: Kind): Value {
  if (['ids', 'authorities', 'notifications', 'emails', 'numbers'].includes(kind)) return [];
  return kind === 'boolean' ? false : null;
}

/** Returns a time of the service's own clock as text. */
export function timeText(second: number): string {
  return new Date(Date.UTC(2026, 10, 19, 8, 0, second)).toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns the times of a record that was created then. */
export function timesOf(second: number) {
  return { created_at: timeText(second), updated_at: timeText(second), deleted_at: null };
}

/** Assigns IDs in the style of the service. */
export class IdSource {
  readonly #style: Facts['ids'];
  #count: number;

  constructor(style: Facts['ids'], start = 0) {
    this.#style = style;
    this.#count = start;
  }

  next(path: string): string {
    const number = ++this.#count;
    const hex = (Math.imul(number, 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
    const tail = number.toString(16).padStart(12, '0');
    if (this.#style === 'hex') return hex;
    if (this.#style === 'uuid') return `${hex}-0000-4000-8000-${tail}`;
    return this.#style === 'underscore' ? `_${hex}` : `${path}-${number}`;
  }
}
