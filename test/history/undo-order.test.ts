/** Undoing writes to records that reference each other: requests are sent in an order that the service accepts. */
import { expect, test } from 'vitest';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions } from '../harness/repetitions.ts';
import { sandboxState } from '../harness/sandbox-state.ts';
import { createWorkspace, type Workspace } from './sandbox-workspace.ts';

/** Creates the first records without the history, so that an undo of everything keeps them. */
const withoutHistory = { BOH_HISTORY_JOURNAL: 'off' };

async function createUnrecorded(workspace: Workspace, line: string): Promise<string> {
  const result = await workspace.bohWith(withoutHistory, ...line.split(' '), '-o', 'json');
  return JSON.parse(result.stdout).id;
}

async function runLines(workspace: Workspace, ...lines: string[]): Promise<void> {
  for (const line of lines) {
    const result = await workspace.boh(...line.split(' '));
    expect([line, result.exitCode, result.stderr]).toEqual([line, 0, expect.any(String)]);
  }
}

async function createRecord(workspace: Workspace, line: string): Promise<string> {
  return (await workspace.json(...line.split(' '))).id;
}

/** Undoes and redoes everything, and compares the records with those before and after. */
async function expectUndoAndRedo(workspace: Workspace, before: object): Promise<void> {
  const after = sandboxState(workspace.config);
  await runLines(workspace, 'undo --since 1h --yes');
  expect(sandboxState(workspace.config)).toEqual(before);
  await runLines(workspace, 'redo --yes');
  expect(sandboxState(workspace.config)).toEqual(after);
}

test('undo --since: restores a tag before the supplier is tagged with it again', async () => {
  const workspace = createWorkspace();
  const [firstId, secondId] = [
    await createUnrecorded(workspace, 'tags create --name One --type supplier'),
    await createUnrecorded(workspace, 'tags create --name Other --type supplier'),
  ];
  await createUnrecorded(workspace, `suppliers update supplier-1 --tags ${firstId}`);
  const before = sandboxState(workspace.config);
  await runLines(workspace, `suppliers update supplier-1 --tags ${secondId}`, `tags delete ${firstId} --yes`);
  const undoResult = await workspace.boh('undo', '--since', '1h', '--yes', '-v');
  expect([undoResult.exitCode, undoResult.stderr.match(/^PUT [^:]*/gm)]).toEqual([
    0,
    [`PUT /tags/${firstId}/restore`, 'PUT /suppliers/supplier-1'],
  ]);
  expect(sandboxState(workspace.config)).toEqual(before);
});

test('undo --since: deletes a new tag after the supplier has its old tag again, in any order of the writes', async () => {
  const workspace = createWorkspace();
  const before = sandboxState(workspace.config);
  const tag = await createRecord(workspace, 'tags create --name One --type supplier');
  await runLines(workspace, `suppliers update supplier-1 --tags ${tag}`, `tags update ${tag} --name Two`);
  await expectUndoAndRedo(workspace, before);
});

test('undo --since: restores records that refer to each other', async () => {
  const workspace = createWorkspace();
  const [firstId, secondId] = [
    await createUnrecorded(workspace, 'groups create --name One'),
    await createUnrecorded(workspace, 'groups create --name Other'),
  ];
  await createUnrecorded(workspace, `groups update ${firstId} --subgroups ${secondId}`);
  await createUnrecorded(workspace, `groups update ${secondId} --subgroups ${firstId}`);
  const before = sandboxState(workspace.config);
  await runLines(
    workspace,
    `groups update ${firstId} --data {"subgroups":[]}`,
    `groups update ${secondId} --data {"subgroups":[]}`,
  );
  await runLines(workspace, `groups delete ${firstId} ${secondId} --yes`);
  const after = sandboxState(workspace.config);
  await runLines(workspace, 'undo --since 1h --yes');
  expect(sandboxState(workspace.config)).toEqual(before);
  await runLines(workspace, 'redo --yes');
  expect(sandboxState(workspace.config)).toEqual(after);
});

test('undo --since: restores a code after the new supplier that uses it is deleted', async () => {
  const workspace = createWorkspace();
  await createUnrecorded(workspace, 'suppliers update supplier-1 --code FIRST');
  const before = sandboxState(workspace.config);
  await runLines(
    workspace,
    'suppliers update supplier-1 --code SECOND',
    'suppliers create --name New --code FIRST',
  );
  await runLines(workspace, 'undo --since 1h --yes');
  expect(sandboxState(workspace.config)).toEqual(before);
});

test('an unlink of an invisible link: is announced as irreversible, and its undo is rejected', async () => {
  const workspace = createWorkspace();
  const [{ id: item }] = (await workspace.json('suppliers', 'get', 'supplier-1', '--include', 'items')).items;
  await workspace.bohWith(withoutHistory, 'inventory-items', 'delete', item, '--yes');
  const result = await workspace.boh('suppliers', 'unlink-item', 'supplier-1', item, '--yes', '-v');
  expect([result.exitCode, result.stderr]).toEqual([
    0,
    expect.stringMatching(/Removing it can't be undone\.\n[\s\S]*DELETE/),
  ]);
  expect(result.stderr).not.toContain('To undo this');
  const undoResult = await workspace.boh('undo', '--last', '--yes');
  expect([undoResult.exitCode, undoResult.stderr]).toEqual([
    9,
    expect.stringContaining("didn't return the values of the link"),
  ]);
});

/** Returns a random number below a limit. */
type Draw = (below: number) => number;
type Ids = Record<'tags' | 'suppliers' | 'groups' | 'items' | 'categories' | 'cards' | 'kinds', string[]>;

/** Functions that return the command line of a reversible write to random records that reference each other. */
const writes: ((ids: Ids, draw: Draw) => string)[] = [
  (_, draw) => `tags create --name T${draw(99)} --type supplier`,
  ({ tags }, draw) => `tags delete ${randomId(tags, draw)} --yes`,
  ({ tags }, draw) => `tags restore ${randomId(tags, draw)}`,
  ({ tags }, draw) => `tags update ${randomId(tags, draw)} --name T${draw(99)}`,
  ({ tags }, draw) =>
    `suppliers create --name S${draw(99)} --code C${draw(9)} --tags ${randomId(tags, draw)}`,
  ({ suppliers, tags }, draw) =>
    `suppliers update ${randomId(suppliers, draw)} --tags ${randomId(tags, draw)}`,
  ({ suppliers }, draw) =>
    `suppliers update ${randomId(suppliers, draw)} --code C${draw(9)} --phone ${draw(99)}`,
  ({ suppliers }, draw) => `suppliers delete ${randomId(suppliers, draw)} --yes`,
  ({ suppliers }, draw) => `suppliers restore ${randomId(suppliers, draw)}`,
  ({ suppliers, items }, draw) =>
    `suppliers link-item ${randomId(suppliers, draw)} ${randomId(items, draw)} --order-unit box --order-to-storage-factor ${1 + draw(9)}`,
  ({ suppliers, items }, draw) =>
    `suppliers unlink-item ${randomId(suppliers, draw)} ${randomId(items, draw)} --yes`,
  ({ items }, draw) => `inventory-items delete ${randomId(items, draw)} --yes`,
  ({ items }, draw) => `inventory-items restore ${randomId(items, draw)}`,
  ({ items, kinds }, draw) =>
    `inventory-items update ${randomId(items, draw)} --category-id ${randomId(kinds, draw)} --cost ${draw(99)}`,
  ({ kinds }, draw) => `inventory-item-categories delete ${randomId(kinds, draw)} --yes`,
  (_, draw) => `inventory-item-categories create --name K${draw(99)} --reference K${draw(99)}`,
  ({ groups }, draw) => `groups update ${randomId(groups, draw)} --subgroups ${randomId(groups, draw)}`,
  (_, draw) => `groups create --name G${draw(99)}`,
  ({ groups }, draw) => `groups delete ${randomId(groups, draw)} --yes`,
  ({ categories }, draw) => `categories delete ${randomId(categories, draw)} --yes`,
  (_, draw) => `categories create --name C${draw(99)}`,
  ({ cards, categories }, draw) =>
    `gift-card-products update ${randomId(cards, draw)} --category-id ${randomId(categories, draw)}`,
  ({ cards, groups }, draw) =>
    `gift-card-products update ${randomId(cards, draw)} --groups ${randomId(groups, draw)}`,
  ({ cards }, draw) => `gift-card-products delete ${randomId(cards, draw)} --yes`,
];

const randomId = (ids: readonly string[], draw: Draw): string => ids[draw(ids.length)] ?? '';

const commands = {
  tags: 'tags list --type supplier',
  suppliers: 'suppliers list',
  groups: 'groups list',
  items: 'inventory-items list',
  categories: 'categories list',
  cards: 'gift-card-products list',
  kinds: 'inventory-item-categories list',
} as const;

async function listIds(workspace: Workspace): Promise<Ids> {
  const lists = Object.entries(commands).map(async ([name, line]) => {
    const rows = (await workspace.json(...line.split(' '), '--limit', '3')) as { id: string }[];
    return [name, rows.map(({ id }) => id)] as const;
  });
  return Object.fromEntries(await Promise.all(lists)) as Ids;
}

const seeds = Array.from({ length: repetitions(8, 200) }, (_, seed) => seed + 1);

test.each(seeds)(
  'random writes with seed %i: undo and redo restore the earlier and the later state',
  async (seed) => {
    const workspace = createWorkspace();
    const random = randomNumbers(seed * 7919);
    const draw: Draw = (below) => Math.floor(random() * below);
    const ids = await listIds(workspace);
    const before = sandboxState(workspace.config);
    const sentLines: string[] = [];
    for (let count = 0; count < 14; count++) {
      const line = (writes[draw(writes.length)] ?? (() => ''))(ids, draw);
      // No response contains references to a deleted record, so their earlier values are unknown.
      const isReplacing = / --(tags|groups|subgroups) | unlink-/.test(line) && !line.includes(' create ');
      if (isReplacing && sentLines.some((sentLine) => sentLine.includes(' delete '))) continue;
      const result = await workspace.boh(...line.split(' '), '-o', 'json');
      if (result.exitCode !== 0) continue;
      sentLines.push(line);
      const name = Object.keys(commands).find((candidate) =>
        commands[candidate as keyof Ids].startsWith(line.split(' ')[0] ?? ''),
      );
      // New records are drawn as often as existing ones.
      if (line.includes(' create ')) ids[name as keyof Ids].push(JSON.parse(result.stdout).id);
    }
    const after = sandboxState(workspace.config);
    for (const [line, expectedState] of [
      ['undo --since 1h --yes', before],
      ['redo --yes', after],
      ['undo --last --yes', before],
    ] as const) {
      const result = await workspace.boh(...line.split(' '));
      expect([sentLines, line, result.exitCode, result.stderr, result.stdout]).toEqual([
        sentLines,
        line,
        0,
        result.stderr,
        result.stdout,
      ]);
      expect([sentLines, line, sandboxState(workspace.config)]).toEqual([sentLines, line, expectedState]);
    }
  },
);
