import { describe, expect, it, test } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { failureOf } from '../harness/run-boh.ts';
import { type ManifestWorkspace, openManifestWorkspace } from './workspace.ts';

interface Category {
  id: string;
  name: string;
  reference: string;
  deleted_at: string | null;
}

/** Creates categories with unique references. Each name contains the original reference of its category. */
async function createCategories(
  workspace: ManifestWorkspace,
  references: readonly string[],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const reference of references) {
    const created = await workspace.json<Category>(
      `categories create --name=Once-${reference} --reference=${reference}`,
    );
    ids.set(reference, created.id);
  }
  return ids;
}

const categoriesOf = (workspace: ManifestWorkspace) => workspace.json<Category[]>('categories list --all');

/** Returns the current references of the created categories, by name. */
async function referencesOf(workspace: ManifestWorkspace): Promise<Record<string, string>> {
  const categories = (await categoriesOf(workspace)).filter(({ name }) => name.startsWith('Once-'));
  return Object.fromEntries(categories.map(({ name, reference }) => [name, reference]));
}

const renameManifest = (pairs: readonly (readonly [from: string, to: string])[]) =>
  `categories:\n${pairs.map(([from, to]) => `  - { reference: ${to}, $renamed_from: ${from} }\n`).join('')}`;

describe('a chain of renames, in which a record takes the old name of the next', () => {
  it('is applied by one plan, in any order of the file, and a second plan is empty', () =>
    fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 1 }),
        fc.integer({ min: 0, max: 5 }),
        async (steps, renamed) => {
          const workspace = await openManifestWorkspace({ isEmpty: true });
          const names = ['C0', 'C1', 'C2', 'C3', 'C4', 'C5'];
          // The last records of the chain are already renamed, as after an interrupted apply.
          const last = [...steps].sort((a, b) => b - a).slice(0, renamed);
          const first = names
            .slice(0, 5)
            .filter((_, index) => steps.includes(index))
            .map((name) => (last.includes(Number(name[1])) ? `C${Number(name[1]) + 1}` : name));
          await createCategories(workspace, first);
          const referencesBefore = await referencesOf(workspace);
          workspace.write('a.yaml', renameManifest(steps.map((index) => [`C${index}`, `C${index + 1}`])));
          const changes = await workspace.changes('@/a.yaml');
          expect(changes.map(({ action }) => action)).toEqual(changes.map(() => 'update'));
          expect(changes).toHaveLength(steps.length - last.length);
          const applyResult = await workspace.boh('apply @/a.yaml --yes');
          expect(applyResult.stderr).not.toContain('failed');
          expect(applyResult.exitCode).toBe(0);
          const ends = Object.entries(referencesBefore).map(([name, reference]) => {
            const index = Number(reference[1]);
            return [name, steps.includes(index) && !last.includes(index - 1) ? `C${index + 1}` : reference];
          });
          expect(await referencesOf(workspace)).toEqual(Object.fromEntries(ends));
          expect(await workspace.changes('@/a.yaml')).toEqual([]);
        },
      ),
      { numRuns: 8 },
    ));

  it("isn't sent if the first rename is refused", async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    await createCategories(workspace, ['A', 'B']);
    await workspace.boh('categories create --name=Taken --reference=D');
    await workspace.boh('categories delete @D --yes');
    // The sandbox refuses a second category with the reference of a deleted one.
    workspace.write(
      'a.yaml',
      renameManifest([
        ['A', 'B'],
        ['B', 'D'],
      ]),
    );
    const result = await workspace.boh('apply @/a.yaml --yes');
    expect(result.exitCode).toBe(6);
    expect(result.stdout).toContain('Not sent: it depends on categories D, which failed.');
    expect(await referencesOf(workspace)).toEqual({ 'Once-A': 'A', 'Once-B': 'B' });
  });

  it('is refused if the last record keeps its name', async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    await createCategories(workspace, ['A', 'B']);
    workspace.write('a.yaml', renameManifest([['A', 'B']]));
    expect(Object.values(await workspace.mistakes('plan @/a.yaml')).flat()[0]).toContain('B already exists');
  });

  it('is refused if a new record with the old name is declared, until the rename is applied', async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    await createCategories(workspace, ['A']);
    const text = `${renameManifest([['A', 'B']])}  - { reference: A, name: Another }\n`;
    workspace.write('a.yaml', text);
    expect(await workspace.mistakes('plan @/a.yaml')).toEqual({
      'a.yaml:2:5': [
        expect.stringMatching(
          /^is renamed from A, which .*a\.yaml:3:5 also declares: apply the rename first/,
        ),
      ],
    });
    workspace.write('b.yaml', renameManifest([['A', 'B']]));
    expect((await workspace.boh('apply @/b.yaml --yes')).exitCode).toBe(0);
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    expect(await referencesOf(workspace)).toEqual({ 'Once-A': 'B' });
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
  });

  it('is applied by a saved plan', async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    await createCategories(workspace, ['A', 'B']);
    workspace.write(
      'a.yaml',
      renameManifest([
        ['A', 'B'],
        ['B', 'C'],
      ]),
    );
    expect((await workspace.boh('plan @/a.yaml --out @/p.json')).exitCode).toBe(0);
    expect((await workspace.boh('apply --plan @/p.json --yes')).exitCode).toBe(0);
    expect(await referencesOf(workspace)).toEqual({ 'Once-A': 'B', 'Once-B': 'C' });
  });
});

describe('the undo of a chain of renames', () => {
  const applyChain = async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    await createCategories(workspace, ['A', 'B', 'C']);
    const steps = [
      ['A', 'B'],
      ['B', 'C'],
      ['C', 'D'],
    ] as const;
    workspace.write('a.yaml', renameManifest(steps));
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    const [run] = await workspace.json<{ id: string }[]>('runs list');
    return { workspace, undo: () => workspace.boh(`undo ${run?.id} --yes -v -o json`) };
  };

  it('restores the names', async () => {
    const { workspace, undo } = await applyChain();
    const undoResult = await undo();
    expect(undoResult.stderr).not.toContain(': 422');
    expect(undoResult.exitCode).toBe(0);
    expect(await referencesOf(workspace)).toEqual({ 'Once-A': 'A', 'Once-B': 'B', 'Once-C': 'C' });
  });

  it('sends each rename only after the name is free', async () => {
    const { workspace, undo } = await applyChain();
    // The sandbox refuses a second category with the reference of a deleted one.
    await workspace.boh('categories create --name=Another --reference=A');
    await workspace.boh('categories delete @A --yes');
    const undoResult = await undo();
    expect(undoResult.exitCode).toBe(6);
    expect(undoResult.stderr.match(/^PUT /gm)).toHaveLength(1);
    const failed = JSON.parse(undoResult.stdout) as { error: { message: string } | null }[];
    expect(failed.filter(({ error }) => error?.message.includes('it depends on'))).toHaveLength(2);
  });
});

describe('a renamed record that was deleted', () => {
  it('is restored and renamed', async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    const ids = await createCategories(workspace, ['A']);
    await workspace.boh('categories delete @A --yes');
    workspace.write('a.yaml', 'categories:\n  - { reference: B, name: Again, $renamed_from: A }\n');
    const [change, ...otherChanges] = await workspace.changes('@/a.yaml');
    expect(otherChanges).toEqual([]);
    expect(change).toMatchObject({
      action: 'update',
      fields: {
        deleted_at: { old: expect.any(String), new: null },
        reference: { old: 'A', new: 'B' },
      },
    });
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    expect((await categoriesOf(workspace)).map(({ id, reference }) => [id, reference])).toEqual([
      [ids.get('A'), 'B'],
    ]);
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
  });

  it('is reported if several deleted records have the old name', async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    for (const name of ['Old', 'Old']) {
      const { id } = await workspace.json<Category>(`categories create --name=${name}`);
      await workspace.boh(`categories delete ${id} --yes`);
    }
    workspace.write('a.yaml', 'categories:\n  - { name: New, $renamed_from: Old }\n');
    const [message] = Object.values(await workspace.mistakes('plan @/a.yaml')).flat();
    expect(message).toMatch(/^\$renamed_from matches 2 categories: .*, all deleted: restore the right one/);
    workspace.write('a.yaml', 'categories:\n  - { name: Old }\n');
    const result = await workspace.boh('plan @/a.yaml');
    expect(result.stderr).toContain(
      'Old would be a new category, because several deleted records have this key',
    );
  });
});

describe('a reference to the old name of a renamed record', () => {
  test('refers to the record that takes the name', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      `categories:
  - { reference: R-2, name: First }
  - { reference: R-3, name: Second }
`,
    );
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    workspace.write(
      'a.yaml',
      `categories:
  - { reference: R-3, $renamed_from: R-2 }
  - { reference: R-4, $renamed_from: R-3 }
gift-card-products:
  - { sku: GIFT-9, name: Gift, pricing_method: 1, price: 5, category: R-3 }
`,
    );
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    const [gift] = await workspace.json<{ category: { name: string } }[]>(
      'gift-card-products list --filter sku=GIFT-9 --include category',
    );
    expect(gift?.category.name).toBe('First');
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
  });

  test("is a mistake if no record takes the name, because the next plan wouldn't find the record", async () => {
    const workspace = await openManifestWorkspace();
    await workspace.boh('categories create --name=Old --reference=R-2');
    const text = (category: string) => `categories:
  - { reference: R-2, name: New }
gift-card-products:
  - { sku: GIFT-9, name: Gift, pricing_method: 1, price: 5, category: ${category} }
`;
    workspace.write('a.yaml', text('Old'));
    const result = await workspace.boh('plan @/a.yaml -o json');
    expect(JSON.stringify(failureOf(result).fields)).toContain('Old is the old key of the category');
    workspace.write('a.yaml', text('New'));
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
  });
});
