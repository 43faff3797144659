/** Generates the records of an account from a seed. Relations are stored as links to IDs, on one side. */
import { randomNumbers } from '../random-numbers.ts';
import {
  emptyAccount,
  IdSource,
  type Link,
  type Records,
  type StoredRecord,
  timesOf,
  timeText,
  type Value,
} from './account.ts';
import type { Kind, Relation, ResourceData } from './declaration.ts';
import type { Facts } from './facts.ts';
import { resources } from './resources.ts';

export interface GeneratorOptions {
  seed: number;
  facts: Facts;
  /** The maximum number of records in a list. */
  size: number;
}

/** Returns an account with random records. */
export function generateAccount(options: GeneratorOptions): Records {
  const records = emptyAccount(options.facts);
  const generator = new Generator(records, options);
  for (const path of Object.keys(resources)) generator.fill(path);
  generator.linkLater();
  return records;
}

const kindsOfTags: Readonly<Record<string, number>> = {
  customers: 1,
  'timed_events.customer_tags': 1,
  inventory_items: 3,
  suppliers: 5,
  users: 6,
  gift_card_products: 7,
  timed_events: 7,
};

class Generator {
  readonly #records: Records;
  readonly #options: GeneratorOptions;
  readonly #random: () => number;
  readonly #ids: IdSource;
  #count = 0;

  constructor(records: Records, options: GeneratorOptions) {
    this.#records = records;
    this.#options = options;
    this.#random = randomNumbers(options.seed);
    // The numbers of the IDs begin after those of the empty account.
    this.#ids = new IdSource(options.facts.ids, 1000 + (options.seed % 1000) * 1000);
  }

  fill(path: string): void {
    const data = resources[path] as ResourceData;
    const count = Math.floor(this.#random() * (this.#options.size + 1));
    const numbers = Array.from({ length: Math.max(count, path === 'tags' ? 8 : 1) }, (_, index) => index);
    for (const number of numbers) this.#add(path, data, number);
  }

  /** Adds links to records that are generated later than those that store them. */
  linkLater(): void {
    for (const item of this.#active('inventory_items').slice(1)) {
      const ingredients = this.#active('inventory_items').slice(0, 1);
      if (this.#chance(0.4))
        item.ingredients = ingredients.map(({ id }) => ({ id, quantity: 2, yield_percentage: null }));
    }
    const [parent, ...groups] = this.#active('groups');
    if (parent) parent.subgroups = groups.slice(0, 2).map(({ id }) => ({ id }));
  }

  #add(path: string, data: ResourceData, number: number): void {
    const { facts } = this.#options;
    const record: StoredRecord = { id: this.#ids.next(path) };
    const fields = { ...data.fields, ...(facts.hasUnlistedFields && data.unlisted) };
    for (const [name, kind] of Object.entries(fields)) record[name] = this.#value(kind, number, path);
    for (const [name, relation] of Object.entries(data.relations ?? {}))
      if (!relation.inverse) record[name] = this.#links(path, name, relation, number);
    // Each kind of tag exists, and is active.
    if (path === 'tags' && number < 7) record.type = number + 1;
    if (path === 'tags' && number === 7 && facts.hasUnlistedValues) record.type = 8;
    if (path === 'payment_methods' && number === 0 && facts.hasUnlistedValues) record.type = 8;
    if (record.maximum_level !== undefined) orderLevels(record);
    if (typeof record.from_date === 'string') record.to_date = `2027${record.from_date.slice(4)}`;
    if (record.from_time !== undefined) record.to_time = Number(record.from_time) + 2;
    this.#count++;
    Object.assign(record, timesOf(this.#count));
    const isDeleted =
      data.deletes === 'softly' && number > 7 - 7 * Number(path !== 'tags') && this.#chance(0.25);
    if (path === 'users') record.is_owner = false;
    record.deleted_at = isDeleted ? timeText(this.#count + 1000) : null;
    if (isDeleted && this.#chance(0.3)) this.#repeatKey(path, data, record);
    this.#records.get(path)?.set(record.id, record);
  }

  /** Gives a deleted record the names of an active one, as if it had been created again after its deletion. */
  #repeatKey(path: string, data: ResourceData, record: StoredRecord): void {
    const [active] = this.#active(path);
    if (!active) return;
    for (const [name, kind] of Object.entries(data.fields))
      if (['name', 'unique', 'phone', 'email'].includes(kind)) record[name] = active[name];
  }

  #active(path: string): StoredRecord[] {
    return [...(this.#records.get(path)?.values() ?? [])].filter((record) => !record.deleted_at);
  }

  #links(path: string, name: string, { to, isOne, pivot, isRequired }: Relation, number: number): Link[] {
    if (to === '') return this.#newOptions(number);
    const tagType = kindsOfTags[`${path}.${name}`] ?? kindsOfTags[path];
    const targets = this.#active(to).filter(({ type }) => to !== 'tags' || type === tagType);
    const maxLinks = isOne ? 1 : 3;
    const start = Math.floor(this.#random() * targets.length);
    const count = isRequired
      ? Math.ceil(this.#random() * maxLinks) || 1
      : Math.round(this.#random() * maxLinks);
    return targets.slice(start, start + count).map(({ id }) => {
      const values = Object.entries(pivot ?? {}).map(([field, kind]) => [field, this.#value(kind, number)]);
      const link: Link = { id, ...Object.fromEntries(values) };
      if (link.maximum_level !== undefined) orderLevels(link);
      return link;
    });
  }

  /** The options of a modifier are stored in it. */
  #newOptions(number: number): Link[] {
    const count = Math.round(this.#random() * 2) + 1;
    return Array.from({ length: count }, (_, index) => ({
      id: this.#ids.next('options'),
      name: `Option ${number}-${index}`,
      name_localized: null,
      sku: `OPT-${number}-${index}`,
      is_active: this.#chance(0.5),
      costing_method: 1,
      price: this.#value('number', index),
      cost: this.#chance(0.5) ? this.#value('number', index) : null,
      calories: null,
    }));
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #pick<Choice>(choices: readonly Choice[]): Choice {
    return choices[Math.floor(this.#random() * choices.length)] as Choice;
  }

  #value(kind: Kind, number: number, path = ''): Value {
    const { facts } = this.#options;
    if (kind.startsWith('choice')) return this.#choice(kind, path);
    switch (kind) {
      case 'name':
        return `${this.#pick(words)} ${number}`;
      case 'text':
        return this.#pick(texts);
      case 'code':
        return String(this.#pick([100, 7, 5000]) + number);
      case 'unique':
        return `${path.slice(0, 3).toUpperCase()}-${number}`;
      case 'phone':
        return `55${String(1_000_000 + number + this.#count * 1000)}`;
      case 'email':
        return `${path}.${number}@example.com`;
      case 'calling code':
        return this.#pick([966, 971, 20]);
      case 'boolean':
        return this.#chance(0.5);
      case 'number':
        return this.#pick([1, 2.5, 12, 0.125, 1000]);
      case 'percent':
        return this.#pick([5, 15, 2.5]);
      case 'integer':
        return this.#pick([1, 10, 500]);
      case 'level':
        return facts.hasNullLevels && this.#chance(0.5) ? null : this.#pick(['5', '30', '12.5']);
      case 'degrees':
        return this.#pick(['24.7136', '46.6753', null]);
      case 'date':
        return this.#pick(['2026-11-01', '2026-10-15', '2026-03-29']);
      case 'time':
        return this.#pick(['2026-11-01 08:00:00', '2026-11-15 20:30:00']);
      case 'hour':
        return this.#pick([8, 9, 20]);
      case 'ring':
        return this.#pick([null, ring]);
      case 'numbers':
        return this.#pick([[1], [1, 2], [3]]);
      case 'ids':
        return this.#active('products')
          .slice(number % 3)
          .map(({ id }) => id);
      case 'pin':
        return `48${number}`;
      case 'emails':
        return this.#pick([['a@example.com'], ['a@example.com', 'b@example.com'], []]);
      case 'authorities':
        return this.#pick([
          ['menu:read'],
          ['menu:read', facts.hasUnlistedValues ? 'orders:manage' : 'menu:manage'],
        ]);
      case 'notifications':
        return this.#pick([[], [facts.hasUnlistedValues ? 'new_spot_check' : 'new_transfer_order']]);
      default:
        return null;
    }
  }

  #choice(kind: string, path: string): number {
    const numbers = kind.split(' ').slice(1).map(Number);
    const hasUnlisted = this.#options.facts.hasUnlistedValues && unlistedTypes.includes(path);
    return this.#pick(hasUnlisted ? [...numbers, 8] : numbers);
  }
}

const unlistedTypes = ['payment_methods', 'timed_events'];
const words = ['Mint', 'Fresh Farms', "O'Neill", 'قهوة', 'A, B', '00', 'Été', 'Rice "long"'];
const texts = ['kg', 'Ask for Huda', 'x, y', 'قهوة', '007'];
const ring = [
  [46.67, 24.7],
  [46.69, 24.7],
  [46.69, 24.72],
  [46.67, 24.7],
];

function orderLevels(record: Record<string, Value>): void {
  if (record.minimum_level !== null) record.minimum_level = '2';
  if (record.par_level !== null) record.par_level = '30';
  if (record.maximum_level !== null) record.maximum_level = '90';
}
