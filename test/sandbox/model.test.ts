/** Tests random sequences of operations: compares the sandbox with a simple model after each step. */

import { expect, it } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { type Client, openClient, startOfTests } from './client.ts';

interface ModelRecord {
  id: string;
  fields: Record<string, unknown>;
  tags: string[];
  isDeleted: boolean;
  updatedAt: number;
}

/** The expected content of the sandbox: records by resource, in the order of creation. */
type Model = Record<Name, ModelRecord[]> & { now: number };

const names = ['tags', 'suppliers', 'customers', 'delivery_zones'] as const;
type Name = (typeof names)[number];

/** Tags of type 1 are for customers. */
const hasTags = (name: Name) => name === 'customers';

/** A small set of values, so that they repeat as unique values and as searched text. */
const letters = fc.constantFrom('ab', 'AB', 'abc', 'ba', 'أب');
const fieldsOf: Record<Name, fc.Arbitrary<Record<string, unknown>>> = {
  tags: fc.record({ name: letters, name_localized: fc.option(letters) }, { requiredKeys: [] }),
  suppliers: fc.record(
    { name: letters, code: fc.constantFrom('A', 'B', ''), phone: letters },
    { requiredKeys: [] },
  ),
  delivery_zones: fc.record(
    { name: letters, reference: fc.constantFrom('A', 'B', '', null) },
    { requiredKeys: [] },
  ),
  customers: fc.record(
    {
      name: letters,
      email: fc.option(letters),
      dial_code: fc.integer({ min: 1, max: 3 }),
      is_blacklisted: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
};
const defaultFields: Record<Name, Record<string, unknown>> = {
  tags: { name_localized: null, type: 1 },
  suppliers: { name: 'x', code: '', phone: '' },
  delivery_zones: { name: 'x', reference: null },
  customers: { name: '', email: null, dial_code: 0, is_blacklisted: false },
};

const timestamp = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
const pick = (records: readonly ModelRecord[], choice: number) =>
  records[choice % Math.max(1, records.length)];
const activeTags = (model: Model, ids: readonly string[]) =>
  ids.filter((id) => model.tags.some((tag) => tag.id === id && !tag.isDeleted));

/** Returns the status that the model expects for a body. */
function expectedStatus(
  model: Model,
  name: Name,
  body: Record<string, unknown>,
  tags: string[] | undefined,
  existing?: ModelRecord,
): number {
  const isTaken =
    name === 'delivery_zones' &&
    Boolean(body.reference) &&
    model.delivery_zones.some((zone) => zone !== existing && zone.fields.reference === body.reference);
  const areTagsValid =
    tags === undefined ||
    (activeTags(model, tags).length === tags.length && new Set(tags).size === tags.length);
  if (isTaken || !areTagsValid) return 422;
  return existing ? 200 : 201;
}

function expectSame(model: Model, client: Client, name: Name, record: ModelRecord): void {
  const { status, json } = client.get(`/${name}/${record.id}`);
  expect(status).toBe(200);
  expect(json.data).toMatchObject({ ...record.fields, updated_at: timestamp(record.updatedAt) });
  expect(json.data.deleted_at === null).toBe(!record.isDeleted);
  if (hasTags(name))
    expect(json.data.tags.map(({ id }: { id: string }) => id)).toEqual(activeTags(model, record.tags));
}

abstract class Step implements fc.Command<Model, Client> {
  readonly name: Name;
  readonly choice: number;

  constructor(name: Name, choice: number) {
    this.name = name;
    this.choice = choice;
  }
  check(_model: Readonly<Model>): boolean {
    return true;
  }
  abstract run(model: Model, client: Client): void;
  toString(): string {
    return `${this.constructor.name}(${this.name}, ${this.choice}, ${JSON.stringify(Object.values(this).slice(2))})`;
  }
}

class Write extends Step {
  readonly fields: Record<string, unknown>;
  readonly tagChoices: readonly number[] | null;
  readonly isNew: boolean;

  constructor(
    name: Name,
    choice: number,
    fields: Record<string, unknown>,
    tagChoices: readonly number[] | null,
    isNew: boolean,
  ) {
    super(name, choice);
    this.fields = fields;
    this.tagChoices = tagChoices;
    this.isNew = isNew;
  }

  run(model: Model, client: Client): void {
    const existing = this.isNew ? undefined : pick(model[this.name], this.choice);
    const tags =
      !hasTags(this.name) || this.tagChoices === null
        ? undefined
        : this.tagChoices.map((choice) => pick(model.tags, choice)?.id ?? 'none');
    const requiredFields = existing ? {} : { name: 'x', ...(this.name === 'tags' && { type: 1 }) };
    const body = { ...requiredFields, ...this.fields, ...(tags && { tags: tags.map((id) => ({ id })) }) };
    const target = existing ? `/${this.name}/${existing.id}` : `/${this.name}`;
    const { status, json } = existing ? client.put(target, body) : client.post(target, body);
    const expected = existing?.isDeleted
      ? 404
      : expectedStatus(model, this.name, this.fields, tags, existing);
    expect(status).toBe(expected);
    if (status >= 400) {
      if (existing) expectSame(model, client, this.name, existing);
      return;
    }
    const record: ModelRecord = existing ?? {
      id: json.data.id,
      fields: defaultFields[this.name],
      tags: [],
      isDeleted: false,
      updatedAt: 0,
    };
    if (!existing) model[this.name].push(record);
    record.fields = { ...record.fields, ...requiredFields, ...this.fields };
    record.tags = tags ?? record.tags;
    record.updatedAt = model.now;
    expectSame(model, client, this.name, record);
  }
}

class Delete extends Step {
  run(model: Model, client: Client): void {
    const record = pick(model[this.name], this.choice);
    const { status } = client.delete(`/${this.name}/${record?.id ?? 'none'}`);
    expect(status).toBe(record && !record.isDeleted ? 200 : 404);
    if (status === 200 && record) Object.assign(record, { isDeleted: true, updatedAt: model.now });
  }
}

class Restore extends Step {
  run(model: Model, client: Client): void {
    const record = pick(model[this.name], this.choice);
    const { status } = client.put(`/${this.name}/${record?.id ?? 'none'}/restore`);
    expect(status).toBe(record?.isDeleted ? 200 : 404);
    if (status === 200 && record) Object.assign(record, { isDeleted: false, updatedAt: model.now });
  }
}

class List extends Step {
  run(model: Model, client: Client): void {
    const ids = (query: string) => {
      const { data, meta } = client.get(`/${this.name}?${query}`).json;
      expect(meta.total).toBe(data.length);
      return data.map(({ id }: { id: string }) => id);
    };
    const modelRecords = model[this.name];
    const idsOf = (records: readonly ModelRecord[]) => records.map(({ id }) => id);
    const active = modelRecords.filter(({ isDeleted }) => !isDeleted);
    expect(ids('')).toEqual(idsOf(active));
    expect(ids('filter[is_deleted]=true')).toEqual(idsOf(modelRecords));
    for (const text of ['Ab', 'abc']) {
      const matches = active.filter(({ fields }) =>
        String(fields.name).toLowerCase().includes(text.toLowerCase()),
      );
      expect(ids(`filter[name]=${text}`)).toEqual(idsOf(matches));
    }
    const after = active.filter(({ updatedAt }) => updatedAt > model.now - 60_000);
    expect(ids(`filter[updated_after]=${timestamp(model.now - 60_000)}`).sort()).toEqual(idsOf(after).sort());
    const tag = pick(model.tags, this.choice);
    if (tag && hasTags(this.name)) {
      expect(ids(`filter[tags.id]=${tag.id}`)).toEqual(
        idsOf(active.filter(({ tags }) => !tag.isDeleted && tags.includes(tag.id))),
      );
    }
  }
}

class Wait extends Step {
  run(model: Model, client: Client): void {
    client.sandbox.clock.advance(30_000);
    model.now += 30_000;
  }
}

const name = fc.constantFrom(...names);
const choice = fc.nat({ max: 20 });
const tagChoices = fc.option(fc.array(choice, { maxLength: 3 }));
const write = name.chain((resourceName) =>
  fc
    .tuple(choice, fieldsOf[resourceName], tagChoices, fc.boolean())
    .map(([number, fields, tags, isNew]) => new Write(resourceName, number, fields, tags, isNew)),
);
const steps = fc.commands(
  [
    write,
    write,
    fc.tuple(name, choice).map((args) => new Delete(...args)),
    fc.tuple(name, choice).map((args) => new Restore(...args)),
    fc.tuple(name, choice).map((args) => new List(...args)),
    fc.tuple(name, choice).map((args) => new Wait(...args)),
  ],
  { size: 'large', maxCommands: 60 },
);

it('sandbox: behaves like a simple model of it', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const client = await openClient({ empty: true, machineClock: () => startOfTests });
      try {
        const model: Model = {
          tags: [],
          suppliers: [],
          customers: [],
          delivery_zones: [],
          now: startOfTests,
        };
        fc.modelRun(() => ({ model, real: client }), sequence);
        for (const resourceName of names)
          for (const record of model[resourceName]) expectSame(model, client, resourceName, record);
      } finally {
        client.sandbox.close();
      }
    }),
    { numRuns: 60 },
  );
});
