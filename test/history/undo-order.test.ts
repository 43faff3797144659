/** Undos of records that reference each other are sent in an order that the service accepts. */
import { expect, test } from 'vitest';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions } from '../harness/repetitions.ts';
import { sandboxState } from '../harness/sandbox-state.ts';
import { newWorkspace, type Workspace } from './boh-in-sandbox.ts';

/** Creates the first records without the history, so that an undo of everything keeps them. */
const unkept = { BOH_HISTORY_JOURNAL: 'off' };

async function given(workspace: Workspace, line: string): Promise<string> {
  const result = await workspace.bohWith(unkept, ...line.split(' '), '-o', 'json');
  return JSON.parse(result.stdout).id;
}

async function done(workspace: Workspace, ...lines: string[]): Promise<void> {
  for (const line of lines) {
    const result = await workspace.boh(...line.split(' '));
    expect([line, result.exitCode, result.stderr]).toEqual([line, 0, expect.any(String)]);
  }
}

async function made(workspace: Workspace, line: string): Promise<string> {
  return (await workspace.json(...line.split(' '))).id;
}

/** Undoes and redoes everything, and compares the records with those before and after. */
async function goesBackAndForth(workspace: Workspace, before: object): Promise<void> {
  const after = sandboxState(workspace.config);
  await done(workspace, 'undo --since 1h --yes');
  expect(sandboxState(workspace.config)).toEqual(before);
  await done(workspace, 'redo --yes');
  expect(sandboxState(workspace.config)).toEqual(after);
}

test('undo --since: restores a tag before the supplier is tagged with it again', async () => {
  const workspace = newWorkspace();
  const [one, other] = [
    await given(workspace, 'tags create --name One --type supplier'),
    await given(workspace, 'tags create --name Other --type supplier'),
  ];
  await given(workspace, `suppliers update supplier-1 --tags ${one}`);
  const before = sandboxState(workspace.config);
  await done(workspace, `suppliers update supplier-1 --tags ${other}`, `tags delete ${one} --yes`);
  const undone = await workspace.boh('undo', '--since', '1h', '--yes', '-v');
  expect([undone.exitCode, undone.stderr.match(/^PUT [^:]*/gm)]).toEqual([
    0,
    [`PUT /tags/${one}/restore`, 'PUT /suppliers/supplier-1'],
  ]);
  expect(sandboxState(workspace.config)).toEqual(before);
});

test('undo --since: deletes a new tag after the supplier has its old tag again, in any order of the writes', async () => {
  const workspace = newWorkspace();
  const before = sandboxState(workspace.config);
  const tag = await made(workspace, 'tags create --name One --type supplier');
  await done(workspace, `suppliers update supplier-1 --tags ${tag}`, `tags update ${tag} --name Two`);
  await goesBackAndForth(workspace, before);
});

test('undo --since: restores records that refer to each other', async () => {
  const workspace = newWorkspace();
  const [one, other] = [
    await given(workspace, 'groups create --name One'),
    await given(workspace, 'groups create --name Other'),
  ];
  await given(workspace, `groups update ${one} --subgroups ${other}`);
  await given(workspace, `groups update ${other} --subgroups ${one}`);
  const before = sandboxState(workspace.config);
  await done(
    workspace,
    `groups update ${one} --data {"subgroups":[]}`,
    `groups update ${other} --data {"subgroups":[]}`,
  );
  await done(workspace, `groups delete ${one} ${other} --yes`);
  const after = sandboxState(workspace.config);
  await done(workspace, 'undo --since 1h --yes');
  expect(sandboxState(workspace.config)).toEqual(before);
  await done(workspace, 'redo --yes');
  expect(sandboxState(workspace.config)).toEqual(after);
});

test('undo --since: restores a code after the new supplier that uses it is deleted', async () => {
  const workspace = newWorkspace();
  await given(workspace, 'suppliers update supplier-1 --code FIRST');
  const before = sandboxState(workspace.config);
  await done(
    workspace,
    'suppliers update supplier-1 --code SECOND',
    'suppliers create --name New --code FIRST',
  );
  await done(workspace, 'undo --since 1h --yes');
  expect(sandboxState(workspace.config)).toEqual(before);
});

test('an unlink of an invisible link: is announced as irreversible, and its undo is rejected', async () => {
  const workspace = newWorkspace();
  const [{ id: item }] = (await workspace.json('suppliers', 'get', 'supplier-1', '--include', 'items')).items;
  await workspace.bohWith(unkept, 'inventory-items', 'delete', item, '--yes');
  const result = await workspace.boh('suppliers', 'unlink-item', 'supplier-1', item, '--yes', '-v');
  expect([result.exitCode, result.stderr]).toEqual([
    0,
    expect.stringMatching(/Removing it can't be undone\.\n[\s\S]*DELETE/),
  ]);
  expect(result.stderr).not.toContain('To undo this');
  const undone = await workspace.boh('undo', '--last', '--yes');
  expect([undone.exitCode, undone.stderr]).toEqual([
    9,
    expect.stringContaining("didn't return the values of the link"),
  ]);
});

/** Returns random reversible writes to records that reference each other. */
type Draw = (below: number) => number;
type Ids = Record<'tags' | 'suppliers' | 'groups' | 'items' | 'categories' | 'cards' | 'kinds', string[]>;

const writes: ((ids: Ids, draw: Draw) => string)[] = [
  (_, draw) => `tags create --name T${draw(99)} --type supplier`,
  ({ tags }, draw) => `tags delete ${any(tags, draw)} --yes`,
  ({ tags }, draw) => `tags restore ${any(tags, draw)}`,
  ({ tags }, draw) => `tags update ${any(tags, draw)} --name T${draw(99)}`,
  ({ tags }, draw) => `suppliers create --name S${draw(99)} --code C${draw(9)} --tags ${any(tags, draw)}`,
  ({ suppliers, tags }, draw) => `suppliers update ${any(suppliers, draw)} --tags ${any(tags, draw)}`,
  ({ suppliers }, draw) => `suppliers update ${any(suppliers, draw)} --code C${draw(9)} --phone ${draw(99)}`,
  ({ suppliers }, draw) => `suppliers delete ${any(suppliers, draw)} --yes`,
  ({ suppliers }, draw) => `suppliers restore ${any(suppliers, draw)}`,
  ({ suppliers, items }, draw) =>
    `suppliers link-item ${any(suppliers, draw)} ${any(items, draw)} --order-unit box --order-to-storage-factor ${1 + draw(9)}`,
  ({ suppliers, items }, draw) => `suppliers unlink-item ${any(suppliers, draw)} ${any(items, draw)} --yes`,
  ({ items }, draw) => `inventory-items delete ${any(items, draw)} --yes`,
  ({ items }, draw) => `inventory-items restore ${any(items, draw)}`,
  ({ items, kinds }, draw) =>
    `inventory-items update ${any(items, draw)} --category-id ${any(kinds, draw)} --cost ${draw(99)}`,
  ({ kinds }, draw) => `inventory-item-categories delete ${any(kinds, draw)} --yes`,
  (_, draw) => `inventory-item-categories create --name K${draw(99)} --reference K${draw(99)}`,
  ({ groups }, draw) => `groups update ${any(groups, draw)} --subgroups ${any(groups, draw)}`,
  (_, draw) => `groups create --name G${draw(99)}`,
  ({ groups }, draw) => `groups delete ${any(groups, draw)} --yes`,
  ({ categories }, draw) => `categories delete ${any(categories, draw)} --yes`,
  (_, draw) => `categories create --name C${draw(99)}`,
  ({ cards, categories }, draw) =>
    `gift-card-products update ${any(cards, draw)} --category-id ${any(categories, draw)}`,
  ({ cards, groups }, draw) => `gift-card-products update ${any(cards, draw)} --groups ${any(groups, draw)}`,
  ({ cards }, draw) => `gift-card-products delete ${any(cards, draw)} --yes`,
];

const any = (ids: readonly string[], draw: Draw): string => ids[draw(ids.length)] ?? '';

const commands = {
  tags: 'tags list --type supplier',
  suppliers: 'suppliers list',
  groups: 'groups list',
  items: 'inventory-items list',
  categories: 'categories list',
  cards: 'gift-card-products list',
  kinds: 'inventory-item-categories list',
} as const;

async function idsIn(workspace: Workspace): Promise<Ids> {
  const found = Object.entries(commands).map(async ([name, line]) => {
    const rows = (await workspace.json(...line.split(' '), '--limit', '3')) as { id: string }[];
    return [name, rows.map(({ id }) => id)] as const;
  });
  return Object.fromEntries(await Promise.all(found)) as Ids;
}

const seeds = Array.from({ length: repetitions(8, 200) }, (_, seed) => seed + 1);

test.each(seeds)(
  'random writes with seed %i: undo and redo restore the earlier and the later state',
  async (seed) => {
    const workspace = newWorkspace();
    const drawn = randomNumbers(seed * 7919);
    const draw: Draw = (below) => Math.floor(drawn() * below);
    const ids = await idsIn(workspace);
    const before = sandboxState(workspace.config);
    const sent: string[] = [];
    for (let count = 0; count < 14; count++) {
      const line = (writes[draw(writes.length)] ?? (() => ''))(ids, draw);
      // No response shows references to a deleted record, so their earlier values are unknown.
      const isReplacing = / --(tags|groups|subgroups) | unlink-/.test(line) && !line.includes(' create ');
      if (isReplacing && sent.some((other) => other.includes(' delete '))) continue;
      const result = await workspace.boh(...line.split(' '), '-o', 'json');
      if (result.exitCode !== 0) continue;
      sent.push(line);
      const name = Object.keys(commands).find((each) =>
        commands[each as keyof Ids].startsWith(line.split(' ')[0] ?? ''),
      );
      // New records are drawn as often as existing ones.
      if (line.includes(' create ')) ids[name as keyof Ids].push(JSON.parse(result.stdout).id);
    }
    const after = sandboxState(workspace.config);
    for (const [line, wanted] of [
      ['undo --since 1h --yes', before],
      ['redo --yes', after],
      ['undo --last --yes', before],
    ] as const) {
      const result = await workspace.boh(...line.split(' '));
      expect([sent, line, result.exitCode, result.stderr, result.stdout]).toEqual([
        sent,
        line,
        0,
        result.stderr,
        result.stdout,
      ]);
      expect([sent, line, sandboxState(workspace.config)]).toEqual([sent, line, wanted]);
    }
  },
);
