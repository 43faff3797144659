import { describe, expect, it } from 'vitest';
import { type Declaring, openDeclaring } from './declaring.ts';

interface Category {
  id: string;
  name: string;
  reference: string | null;
}

/** Creates categories whose references must be unique, each with a name that stays. */
async function openWith(references: readonly string[]) {
  const place = await openDeclaring({ isEmpty: true });
  const ids: Record<string, string> = {};
  for (const reference of references) {
    const { id } = await place.json<Category>(
      `categories create --name=Once-${reference} --reference=${reference}`,
    );
    ids[reference] = id;
  }
  return { place, ids };
}

async function referencesOf(place: Declaring): Promise<Record<string, string | null>> {
  const all = await place.json<Category[]>('categories list --all');
  return Object.fromEntries(all.map(({ name, reference }) => [name, reference]));
}

/** Returns a manifest that gives each category the next reference, and the last one the first. */
const circle = (references: readonly string[], more: (from: string) => string = () => '') =>
  `categories:\n${references
    .map((from, at) => {
      const to = references[(at + 1) % references.length];
      return `  - { reference: ${to}, $renamed_from: ${from}${more(from)} }\n`;
    })
    .join('')}`;
const withNames = (from: string) => `, name: Once-${from}`;

describe('records that exchange unique names in one plan', () => {
  it.each([
    [['A', 'B'], { 'Once-A': 'B', 'Once-B': 'A' }],
    [['A', 'B', 'C'], { 'Once-A': 'B', 'Once-B': 'C', 'Once-C': 'A' }],
  ])('%j: each gets its new name, and a second plan is empty', async (references, swapped) => {
    const { place } = await openWith(references);
    place.write('a.yaml', circle(references, withNames));
    const changes = await place.changes('@/a.yaml');
    expect(changes.map(({ action, fields }) => [action, Object.keys(fields)])).toEqual(
      references.map(() => ['update', ['reference']]),
    );
    const applied = await place.boh('apply @/a.yaml --yes');
    expect([applied.exitCode, applied.stderr]).toEqual([0, expect.not.stringContaining('failed')]);
    expect(await referencesOf(place)).toEqual(swapped);
    expect(await place.changes('@/a.yaml')).toEqual([]);
  });

  it('that no other value tells apart: are named by their ids', async () => {
    const { place, ids } = await openWith(['A', 'B']);
    place.write('a.yaml', circle(['A', 'B']));
    const mistakes = await place.mistakes('plan @/a.yaml');
    expect(mistakes['a.yaml:2:5']).toEqual([
      expect.stringContaining(`as in $renamed_from: { id: ${ids.A} }`),
    ]);
    expect(mistakes['a.yaml:3:5']).toEqual([expect.stringContaining(`{ id: ${ids.B} }`)]);
    place.write(
      'b.yaml',
      `categories:\n  - { reference: B, $renamed_from: { id: ${ids.A} } }\n  - { reference: A, $renamed_from: { id: ${ids.B} } }\n`,
    );
    expect((await place.boh('apply @/b.yaml --yes')).exitCode).toBe(0);
    expect(await referencesOf(place)).toEqual({ 'Once-A': 'B', 'Once-B': 'A' });
    expect(await place.changes('@/b.yaml')).toEqual([]);
  });

  it.each([0, 1, 2, 3])('after an interruption behind request %i: apply again continues', async (done) => {
    const { place, ids } = await openWith(['A', 'B']);
    const steps = [
      [ids.A, 'B~boh'],
      [ids.B, 'A'],
      [ids.A, 'B'],
    ];
    for (const [id, reference] of steps.slice(0, done))
      expect((await place.boh(`categories update ${id} --reference=${reference}`)).exitCode).toBe(0);
    place.write('a.yaml', circle(['A', 'B'], withNames));
    expect((await place.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    expect(await referencesOf(place)).toEqual({ 'Once-A': 'B', 'Once-B': 'A' });
    expect(await place.changes('@/a.yaml')).toEqual([]);
  });

  it('by a saved plan', async () => {
    const { place } = await openWith(['A', 'B']);
    place.write('a.yaml', circle(['A', 'B'], withNames));
    expect((await place.boh('plan @/a.yaml --out @/p.plan')).exitCode).toBe(0);
    expect((await place.boh('apply --plan @/p.plan --yes')).exitCode).toBe(0);
    expect(await referencesOf(place)).toEqual({ 'Once-A': 'B', 'Once-B': 'A' });
  });
});

it('records that exchange names which need not be unique: two requests, without a temporary name', async () => {
  const place = await openDeclaring({ isEmpty: true });
  for (const name of ['One', 'Two'])
    await place.boh(`tags create --name=${name} --type=customer --name-localized=was-${name}`);
  place.write(
    'a.yaml',
    `tags:
  - { name: Two, $renamed_from: One, name_localized: was-One, type: customer }
  - { name: One, $renamed_from: Two, name_localized: was-Two, type: customer }
`,
  );
  const applied = await place.boh('apply @/a.yaml --yes -v');
  expect(applied.stderr.match(/^PUT .*: 200/gm)).toHaveLength(2);
  const tags = await place.json<{ name: string; name_localized: string }[]>('tags list --all');
  expect(Object.fromEntries(tags.map((tag) => [tag.name, tag.name_localized]))).toMatchObject({
    Two: 'was-One',
    One: 'was-Two',
  });
  expect(await place.changes('@/a.yaml')).toEqual([]);
});
