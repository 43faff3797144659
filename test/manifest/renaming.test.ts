import { describe, expect, it, test } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { failureOf } from '../harness/run-boh.ts';
import { type Declaring, openDeclaring } from './declaring.ts';

interface Category {
  id: string;
  name: string;
  reference: string;
  deleted_at: string | null;
}

/**
 * The test creates categories under unique references and names them after these, so that it shows which category
 * got which name.
 */
async function withCategories(place: Declaring, references: readonly string[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const reference of references) {
    const made = await place.json<Category>(
      `categories create --name=Once-${reference} --reference=${reference}`,
    );
    ids.set(reference, made.id);
  }
  return ids;
}

const categoriesOf = (place: Declaring) => place.json<Category[]>('categories list --all');

/** Returns the current name of each category that the test created. */
async function referencesOf(place: Declaring): Promise<Record<string, string>> {
  const all = (await categoriesOf(place)).filter(({ name }) => name.startsWith('Once-'));
  return Object.fromEntries(all.map(({ name, reference }) => [name, reference]));
}

const renaming = (pairs: readonly (readonly [from: string, to: string])[]) =>
  `categories:\n${pairs.map(([from, to]) => `  - { reference: ${to}, $renamed_from: ${from} }\n`).join('')}`;

describe('names passed from record to record', () => {
  it('are applied by one plan, in any order of the file, and a second plan is empty', () =>
    fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 1 }),
        fc.integer({ min: 0, max: 5 }),
        async (steps, done) => {
          const place = await openDeclaring({ isEmpty: true });
          const names = ['C0', 'C1', 'C2', 'C3', 'C4', 'C5'];
          // The last records in the chain are already renamed, as after an interrupted apply.
          const last = [...steps].sort((a, b) => b - a).slice(0, done);
          const first = names
            .slice(0, 5)
            .filter((_, at) => steps.includes(at))
            .map((name) => (last.includes(Number(name[1])) ? `C${Number(name[1]) + 1}` : name));
          await withCategories(place, first);
          const before = await referencesOf(place);
          place.write('a.yaml', renaming(steps.map((at) => [`C${at}`, `C${at + 1}`])));
          const changes = await place.changes('@/a.yaml');
          expect(changes.map(({ action }) => action)).toEqual(changes.map(() => 'update'));
          expect(changes).toHaveLength(steps.length - last.length);
          const applied = await place.boh('apply @/a.yaml --yes');
          expect(applied.stderr).not.toContain('failed');
          expect(applied.exitCode).toBe(0);
          const ends = Object.entries(before).map(([name, reference]) => {
            const at = Number(reference[1]);
            return [name, steps.includes(at) && !last.includes(at - 1) ? `C${at + 1}` : reference];
          });
          expect(await referencesOf(place)).toEqual(Object.fromEntries(ends));
          expect(await place.changes('@/a.yaml')).toEqual([]);
        },
      ),
      { numRuns: 8 },
    ));

  it('wait, and are not sent, if the first rename is refused', async () => {
    const place = await openDeclaring({ isEmpty: true });
    await withCategories(place, ['A', 'B']);
    await place.boh('categories create --name=Taken --reference=D');
    await place.boh('categories delete @D --yes');
    // The sandbox refuses a second category with the reference of a deleted one.
    place.write(
      'a.yaml',
      renaming([
        ['A', 'B'],
        ['B', 'D'],
      ]),
    );
    const ran = await place.boh('apply @/a.yaml --yes');
    expect(ran.exitCode).toBe(6);
    expect(ran.stdout).toContain('Not sent: it depends on categories D, which failed.');
    expect(await referencesOf(place)).toEqual({ 'Once-A': 'A', 'Once-B': 'B' });
  });

  it('are refused if the record that has the name keeps it', async () => {
    const place = await openDeclaring({ isEmpty: true });
    await withCategories(place, ['A', 'B']);
    place.write('a.yaml', renaming([['A', 'B']]));
    expect(Object.values(await place.mistakes('plan @/a.yaml')).flat()[0]).toContain('B already exists');
  });

  it('are refused if another record with the old name is declared, until the first is renamed', async () => {
    const place = await openDeclaring({ isEmpty: true });
    await withCategories(place, ['A']);
    const text = `${renaming([['A', 'B']])}  - { reference: A, name: Another }\n`;
    place.write('a.yaml', text);
    expect(await place.mistakes('plan @/a.yaml')).toEqual({
      'a.yaml:2:5': [
        expect.stringMatching(
          /^is renamed from A, which .*a\.yaml:3:5 also declares: apply the rename first/,
        ),
      ],
    });
    place.write('b.yaml', renaming([['A', 'B']]));
    expect((await place.boh('apply @/b.yaml --yes')).exitCode).toBe(0);
    expect((await place.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    expect(await referencesOf(place)).toEqual({ 'Once-A': 'B' });
    expect(await place.changes('@/a.yaml')).toEqual([]);
  });

  it('are applied by a saved plan, too', async () => {
    const place = await openDeclaring({ isEmpty: true });
    await withCategories(place, ['A', 'B']);
    place.write(
      'a.yaml',
      renaming([
        ['A', 'B'],
        ['B', 'C'],
      ]),
    );
    expect((await place.boh('plan @/a.yaml --out @/p.json')).exitCode).toBe(0);
    expect((await place.boh('apply --plan @/p.json --yes')).exitCode).toBe(0);
    expect(await referencesOf(place)).toEqual({ 'Once-A': 'B', 'Once-B': 'C' });
  });
});

describe('an undo of names passed from record to record', () => {
  const handedOn = async () => {
    const place = await openDeclaring({ isEmpty: true });
    await withCategories(place, ['A', 'B', 'C']);
    const steps = [
      ['A', 'B'],
      ['B', 'C'],
      ['C', 'D'],
    ] as const;
    place.write('a.yaml', renaming(steps));
    expect((await place.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    const [run] = await place.json<{ id: string }[]>('runs list');
    return { place, undo: () => place.boh(`undo ${run?.id} --yes -v -o json`) };
  };

  it('restores the names', async () => {
    const { place, undo } = await handedOn();
    const undone = await undo();
    expect(undone.stderr).not.toContain(': 422');
    expect(undone.exitCode).toBe(0);
    expect(await referencesOf(place)).toEqual({ 'Once-A': 'A', 'Once-B': 'B', 'Once-C': 'C' });
  });

  it('sends no rename before the record that has the name has released it', async () => {
    const { place, undo } = await handedOn();
    // The sandbox refuses a second category with the reference of a deleted one.
    await place.boh('categories create --name=Another --reference=A');
    await place.boh('categories delete @A --yes');
    const undone = await undo();
    expect(undone.exitCode).toBe(6);
    expect(undone.stderr.match(/^PUT /gm)).toHaveLength(1);
    const failed = JSON.parse(undone.stdout) as { error: { message: string } | null }[];
    expect(failed.filter(({ error }) => error?.message.includes('it depends on'))).toHaveLength(2);
  });
});

describe('a renamed record that was deleted', () => {
  it('is restored and renamed', async () => {
    const place = await openDeclaring({ isEmpty: true });
    const ids = await withCategories(place, ['A']);
    await place.boh('categories delete @A --yes');
    place.write('a.yaml', 'categories:\n  - { reference: B, name: Again, $renamed_from: A }\n');
    const [change, ...others] = await place.changes('@/a.yaml');
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      action: 'update',
      fields: {
        deleted_at: { old: expect.any(String), new: null },
        reference: { old: 'A', new: 'B' },
      },
    });
    expect((await place.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    expect((await categoriesOf(place)).map(({ id, reference }) => [id, reference])).toEqual([
      [ids.get('A'), 'B'],
    ]);
    expect(await place.changes('@/a.yaml')).toEqual([]);
  });

  it('is reported if several deleted records had the old name', async () => {
    const place = await openDeclaring({ isEmpty: true });
    for (const name of ['Old', 'Old']) {
      const { id } = await place.json<Category>(`categories create --name=${name}`);
      await place.boh(`categories delete ${id} --yes`);
    }
    place.write('a.yaml', 'categories:\n  - { name: New, $renamed_from: Old }\n');
    const [what] = Object.values(await place.mistakes('plan @/a.yaml')).flat();
    expect(what).toMatch(/^\$renamed_from matches 2 categories: .*, all deleted: restore the right one/);
    place.write('a.yaml', 'categories:\n  - { name: Old }\n');
    const ran = await place.boh('plan @/a.yaml');
    expect(ran.stderr).toContain(
      'Old would be a new category, because several deleted records have this key',
    );
  });
});

describe('a name that a record releases', () => {
  test('is reported with the record that takes it', async () => {
    const place = await openDeclaring();
    place.write(
      'a.yaml',
      `categories:
  - { reference: R-2, name: First }
  - { reference: R-3, name: Second }
`,
    );
    expect((await place.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    place.write(
      'a.yaml',
      `categories:
  - { reference: R-3, $renamed_from: R-2 }
  - { reference: R-4, $renamed_from: R-3 }
gift-card-products:
  - { sku: GIFT-9, name: Gift, pricing_method: 1, price: 5, category: R-3 }
`,
    );
    expect((await place.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    const [gift] = await place.json<{ category: { name: string } }[]>(
      'gift-card-products list --filter sku=GIFT-9 --include category',
    );
    expect(gift?.category.name).toBe('First');
    expect(await place.changes('@/a.yaml')).toEqual([]);
  });

  test("is a mistake if no record takes it, because the next plan wouldn't find the record", async () => {
    const place = await openDeclaring();
    await place.boh('categories create --name=Old --reference=R-2');
    const text = (category: string) => `categories:
  - { reference: R-2, name: New }
gift-card-products:
  - { sku: GIFT-9, name: Gift, pricing_method: 1, price: 5, category: ${category} }
`;
    place.write('a.yaml', text('Old'));
    const ran = await place.boh('plan @/a.yaml -o json');
    expect(JSON.stringify(failureOf(ran).fields)).toContain('Old is the old key of the category');
    place.write('a.yaml', text('New'));
    expect((await place.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    expect(await place.changes('@/a.yaml')).toEqual([]);
  });
});
