/** Runs random sequences of operations on the sandbox and compares it after each step with a simple model. */

import { expect, it } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { type Client, openClient, startOfTests } from './client.ts';

interface Kept {
  id: string;
  fields: Record<string, unknown>;
  tags: string[];
  isDeleted: boolean;
  updatedAt: number;
}

/** What should be in the sandbox: records by resource, in the order of creation. */
type Model = Record<Name, Kept[]> & { now: number };

const names = ['tags', 'suppliers', 'customers', 'delivery_zones'] as const;
type Name = (typeof names)[number];

/** Tags of type 1 are for customers. */
const hasTags = (name: Name) => name === 'customers';

/** Few values, so that they repeat: as unique values, and as search texts. */
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
const starting: Record<Name, Record<string, unknown>> = {
  tags: { name_localized: null, type: 1 },
  suppliers: { name: 'x', code: '', phone: '' },
  delivery_zones: { name: 'x', reference: null },
  customers: { name: '', email: null, dial_code: 0, is_blacklisted: false },
};

const moment = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
const pick = (kept: readonly Kept[], choice: number) => kept[choice % Math.max(1, kept.length)];
const activeTags = (model: Model, ids: readonly string[]) =>
  ids.filter((id) => model.tags.some((tag) => tag.id === id && !tag.isDeleted));

/** Returns the status that the model expects for a body. */
function expectedStatus(
  model: Model,
  name: Name,
  body: Record<string, unknown>,
  tags: string[] | undefined,
  own?: Kept,
): number {
  const isTaken =
    name === 'delivery_zones' &&
    Boolean(body.reference) &&
    model.delivery_zones.some((other) => other !== own && other.fields.reference === body.reference);
  const areTagsGood =
    tags === undefined ||
    (activeTags(model, tags).length === tags.length && new Set(tags).size === tags.length);
  if (isTaken || !areTagsGood) return 422;
  return own ? 200 : 201;
}

function expectSame(model: Model, client: Client, name: Name, kept: Kept): void {
  const { status, json } = client.get(`/${name}/${kept.id}`);
  expect(status).toBe(200);
  expect(json.data).toMatchObject({ ...kept.fields, updated_at: moment(kept.updatedAt) });
  expect(json.data.deleted_at === null).toBe(!kept.isDeleted);
  if (hasTags(name))
    expect(json.data.tags.map(({ id }: { id: string }) => id)).toEqual(activeTags(model, kept.tags));
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
    const own = this.isNew ? undefined : pick(model[this.name], this.choice);
    const tags =
      !hasTags(this.name) || this.tagChoices === null
        ? undefined
        : this.tagChoices.map((choice) => pick(model.tags, choice)?.id ?? 'none');
    const least = own ? {} : { name: 'x', ...(this.name === 'tags' && { type: 1 }) };
    const body = { ...least, ...this.fields, ...(tags && { tags: tags.map((id) => ({ id })) }) };
    const target = own ? `/${this.name}/${own.id}` : `/${this.name}`;
    const { status, json } = own ? client.put(target, body) : client.post(target, body);
    const expected = own?.isDeleted ? 404 : expectedStatus(model, this.name, this.fields, tags, own);
    expect(status).toBe(expected);
    if (status >= 400) {
      if (own) expectSame(model, client, this.name, own);
      return;
    }
    const kept: Kept = own ?? {
      id: json.data.id,
      fields: starting[this.name],
      tags: [],
      isDeleted: false,
      updatedAt: 0,
    };
    if (!own) model[this.name].push(kept);
    kept.fields = { ...kept.fields, ...least, ...this.fields };
    kept.tags = tags ?? kept.tags;
    kept.updatedAt = model.now;
    expectSame(model, client, this.name, kept);
  }
}

class Delete extends Step {
  run(model: Model, client: Client): void {
    const kept = pick(model[this.name], this.choice);
    const { status } = client.delete(`/${this.name}/${kept?.id ?? 'none'}`);
    expect(status).toBe(kept && !kept.isDeleted ? 200 : 404);
    if (status === 200 && kept) Object.assign(kept, { isDeleted: true, updatedAt: model.now });
  }
}

class Restore extends Step {
  run(model: Model, client: Client): void {
    const kept = pick(model[this.name], this.choice);
    const { status } = client.put(`/${this.name}/${kept?.id ?? 'none'}/restore`);
    expect(status).toBe(kept?.isDeleted ? 200 : 404);
    if (status === 200 && kept) Object.assign(kept, { isDeleted: false, updatedAt: model.now });
  }
}

class List extends Step {
  run(model: Model, client: Client): void {
    const ids = (query: string) => {
      const { data, meta } = client.get(`/${this.name}?${query}`).json;
      expect(meta.total).toBe(data.length);
      return data.map(({ id }: { id: string }) => id);
    };
    const all = model[this.name];
    const of = (kept: readonly Kept[]) => kept.map(({ id }) => id);
    const active = all.filter(({ isDeleted }) => !isDeleted);
    expect(ids('')).toEqual(of(active));
    expect(ids('filter[is_deleted]=true')).toEqual(of(all));
    for (const text of ['Ab', 'abc']) {
      const holding = active.filter(({ fields }) =>
        String(fields.name).toLowerCase().includes(text.toLowerCase()),
      );
      expect(ids(`filter[name]=${text}`)).toEqual(of(holding));
    }
    const after = active.filter(({ updatedAt }) => updatedAt > model.now - 60_000);
    expect(ids(`filter[updated_after]=${moment(model.now - 60_000)}`).sort()).toEqual(of(after).sort());
    const tag = pick(model.tags, this.choice);
    if (tag && hasTags(this.name)) {
      expect(ids(`filter[tags.id]=${tag.id}`)).toEqual(
        of(active.filter(({ tags }) => !tag.isDeleted && tags.includes(tag.id))),
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
const write = name.chain((chosen) =>
  fc
    .tuple(choice, fieldsOf[chosen], tagChoices, fc.boolean())
    .map(([number, fields, tags, isNew]) => new Write(chosen, number, fields, tags, isNew)),
);
const steps = fc.commands(
  [
    write,
    write,
    fc.tuple(name, choice).map((given) => new Delete(...given)),
    fc.tuple(name, choice).map((given) => new Restore(...given)),
    fc.tuple(name, choice).map((given) => new List(...given)),
    fc.tuple(name, choice).map((given) => new Wait(...given)),
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
        for (const each of names) for (const kept of model[each]) expectSame(model, client, each, kept);
      } finally {
        client.sandbox.close();
      }
    }),
    { numRuns: 60 },
  );
});
