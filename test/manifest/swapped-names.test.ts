import { describe, expect, it } from 'vitest';
import { type ManifestWorkspace, openManifestWorkspace } from './workspace.ts';

interface Category {
  id: string;
  name: string;
  reference: string | null;
}

/** Creates categories with unique references, and with names that don't change. */
async function openWith(references: readonly string[]) {
  const workspace = await openManifestWorkspace({ isEmpty: true });
  const ids: Record<string, string> = {};
  for (const reference of references) {
    const { id } = await workspace.json<Category>(
      `categories create --name=Once-${reference} --reference=${reference}`,
    );
    ids[reference] = id;
  }
  return { workspace, ids };
}

async function referencesOf(workspace: ManifestWorkspace): Promise<Record<string, string | null>> {
  const categories = await workspace.json<Category[]>('categories list --all');
  return Object.fromEntries(categories.map(({ name, reference }) => [name, reference]));
}

/** Returns a manifest that gives each category the next reference, and the last category the first reference. */
const cycleManifest = (references: readonly string[], otherFields: (from: string) => string = () => '') =>
  `categories:\n${references
    .map((from, index) => {
      const to = references[(index + 1) % references.length];
      return `  - { reference: ${to}, $renamed_from: ${from}${otherFields(from)} }\n`;
    })
    .join('')}`;
const withNames = (from: string) => `, name: Once-${from}`;

describe('records that swap unique names in one plan', () => {
  it.each([
    [['A', 'B'], { 'Once-A': 'B', 'Once-B': 'A' }],
    [['A', 'B', 'C'], { 'Once-A': 'B', 'Once-B': 'C', 'Once-C': 'A' }],
  ])('%j: each gets its new name, and a second plan is empty', async (references, expectedReferences) => {
    const { workspace } = await openWith(references);
    workspace.write('a.yaml', cycleManifest(references, withNames));
    const changes = await workspace.changes('@/a.yaml');
    expect(changes.map(({ action, fields }) => [action, Object.keys(fields)])).toEqual(
      references.map(() => ['update', ['reference']]),
    );
    const applyResult = await workspace.boh('apply @/a.yaml --yes');
    expect([applyResult.exitCode, applyResult.stderr]).toEqual([0, expect.not.stringContaining('failed')]);
    expect(await referencesOf(workspace)).toEqual(expectedReferences);
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
  });

  it('without other values that identify them: need their ids in $renamed_from', async () => {
    const { workspace, ids } = await openWith(['A', 'B']);
    workspace.write('a.yaml', cycleManifest(['A', 'B']));
    const mistakes = await workspace.mistakes('plan @/a.yaml');
    expect(mistakes['a.yaml:2:5']).toEqual([
      expect.stringContaining(`as in $renamed_from: { id: ${ids.A} }`),
    ]);
    expect(mistakes['a.yaml:3:5']).toEqual([expect.stringContaining(`{ id: ${ids.B} }`)]);
    workspace.write(
      'b.yaml',
      `categories:\n  - { reference: B, $renamed_from: { id: ${ids.A} } }\n  - { reference: A, $renamed_from: { id: ${ids.B} } }\n`,
    );
    expect((await workspace.boh('apply @/b.yaml --yes')).exitCode).toBe(0);
    expect(await referencesOf(workspace)).toEqual({ 'Once-A': 'B', 'Once-B': 'A' });
    expect(await workspace.changes('@/b.yaml')).toEqual([]);
  });

  it.each([0, 1, 2, 3])(
    'after an interruption after %i requests: a second apply continues',
    async (requestCount) => {
      const { workspace, ids } = await openWith(['A', 'B']);
      const steps = [
        [ids.A, 'B~boh'],
        [ids.B, 'A'],
        [ids.A, 'B'],
      ];
      for (const [id, reference] of steps.slice(0, requestCount))
        expect((await workspace.boh(`categories update ${id} --reference=${reference}`)).exitCode).toBe(0);
      workspace.write('a.yaml', cycleManifest(['A', 'B'], withNames));
      expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
      expect(await referencesOf(workspace)).toEqual({ 'Once-A': 'B', 'Once-B': 'A' });
      expect(await workspace.changes('@/a.yaml')).toEqual([]);
    },
  );

  it('are swapped by a saved plan', async () => {
    const { workspace } = await openWith(['A', 'B']);
    workspace.write('a.yaml', cycleManifest(['A', 'B'], withNames));
    expect((await workspace.boh('plan @/a.yaml --out @/p.plan')).exitCode).toBe(0);
    expect((await workspace.boh('apply --plan @/p.plan --yes')).exitCode).toBe(0);
    expect(await referencesOf(workspace)).toEqual({ 'Once-A': 'B', 'Once-B': 'A' });
  });
});

it('records that swap names that may be duplicate: two requests, without a temporary name', async () => {
  const workspace = await openManifestWorkspace({ isEmpty: true });
  for (const name of ['One', 'Two'])
    await workspace.boh(`tags create --name=${name} --type=customer --name-localized=was-${name}`);
  workspace.write(
    'a.yaml',
    `tags:
  - { name: Two, $renamed_from: One, name_localized: was-One, type: customer }
  - { name: One, $renamed_from: Two, name_localized: was-Two, type: customer }
`,
  );
  const applyResult = await workspace.boh('apply @/a.yaml --yes -v');
  expect(applyResult.stderr.match(/^PUT .*: 200/gm)).toHaveLength(2);
  const tags = await workspace.json<{ name: string; name_localized: string }[]>('tags list --all');
  expect(Object.fromEntries(tags.map((tag) => [tag.name, tag.name_localized]))).toMatchObject({
    Two: 'was-One',
    One: 'was-Two',
  });
  expect(await workspace.changes('@/a.yaml')).toEqual([]);
});
