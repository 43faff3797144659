/** Sends and undoes every write of the contract in the sandbox: the old state must be restored, or boh must have announced that it can't. */
import { describe, expect, test } from 'vitest';
import { bodyFrom, relationsToInclude } from '../../src/account/session/record-body.ts';
import { irreversibleFields } from '../../src/api/contract/irreversible.ts';
import { isWrite, type Operation, operation, operations } from '../../src/api/contract/operation.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { flagName } from '../../src/api/contract/value-text.ts';
import { exampleArguments } from '../../src/api/reference/examples.ts';
import { api } from '../../src/api/resources/index.ts';
import { sandboxState } from '../harness/sandbox-state.ts';
import { createWorkspace, type Workspace } from '../history/sandbox-workspace.ts';

const writes = api.collections.flatMap(operations).filter(isWrite);

/** Returns the words of the write's example, without `--sandbox`. */
const exampleWords = (write: Operation) => exampleArguments(write).slice(1);

/** Runs the command that the example depends on: a delete before a restore, a link before an unlink. */
async function prepare({ boh }: Workspace, { effect, inverse }: Operation): Promise<void> {
  if (effect === 'restore' && inverse) await boh(...exampleWords(inverse));
  if (effect === 'unlink' && inverse) await boh(...exampleWords(inverse));
}

/** Returns the record as an update would send it, with sorted links; without an update, as `get` prints it. */
async function recordOf(workspace: Workspace, resource: Resource, id: string) {
  const update = operation(resource, 'update');
  const include = update ? relationsToInclude(update) : [];
  const result = await workspace.boh(
    resource.command,
    'get',
    id,
    '--include',
    include.join(','),
    '-o',
    'json',
  );
  if (result.exitCode !== 0) return 'deleted';
  const { updated_at: _, deleted_at: deleted = null, ...record } = JSON.parse(result.stdout);
  if (deleted !== null) return 'deleted';
  const body = update ? bodyFrom(update, record).body : record;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, normalizeList(resource.fields[name]?.kind, value)]),
  );
}

/** Sorts links, and removes the IDs of nested objects, because a restored object has a new ID. */
function normalizeList(kind: string | undefined, value: unknown) {
  if (!Array.isArray(value)) return value;
  if (kind !== 'objects') return [...value].sort(compareJson);
  return value.map(({ id: _, ...part }) => part);
}

const compareJson = (a: unknown, b: unknown) => JSON.stringify(a).localeCompare(JSON.stringify(b));

/** A write with the values that replace those of its example, by their names in requests. */
interface Case {
  write: Operation;
  values: Record<string, unknown>;
}

/** Returns the example, and a variant for each value that may make the write irreversible. */
function casesOf(write: Operation): Case[] {
  const variants = irreversibleFields(write).flatMap(({ name, field: { kind, traits } }) => {
    const target = api.resource(traits.target ?? '');
    const values: unknown[] = Object.values(traits.words ?? {});
    if (kind === 'many' && target) values.push([{ id: target.exampleId }]);
    if (traits.secret) values.push('59038271');
    return values.map((value) => ({ write, values: { [name]: value } }));
  });
  return [{ write, values: {} }, ...variants];
}

const cases = writes
  .flatMap(casesOf)
  .map((testCase) => [`${testCase.write.command} ${JSON.stringify(testCase.values)}`, testCase] as const);

const irreversible = /can.t be (undone|restored|deleted)/;

describe.each(cases)('%s', (_, { write, values }) => {
  test('undo: restores the old state, or is refused as announced', async () => {
    const workspace = createWorkspace();
    await prepare(workspace, write);
    const line = [
      ...exampleWords(write).slice(0, 2),
      ...(await idsOf(workspace, write)),
      ...flagsOf(write, values),
    ];
    const stateBefore = sandboxState(workspace.config);
    const dryRunResult = await workspace.boh(...line, '--dry-run');
    const writeResult = await workspace.boh(...line, '-o', 'json', '--yes');
    expect([writeResult.exitCode, writeResult.stderr]).toEqual([0, expect.any(String)]);
    const [entry] = await workspace.json('history', '--limit', '1');
    expect(entry).toMatchObject({ resource: write.resource.name, verb: write.verb, outcome: 'done' });
    if (write.effect !== 'create') expect(entry.before).toMatchObject({ id: entry.ids[0] });
    const stateAfterWrite = sandboxState(workspace.config);
    const undoResult = await workspace.boh('undo', String(entry.number), '--yes');
    const isUndone = undoResult.exitCode === 0;
    const announcesUndo = writeResult.stderr.includes('To undo this: boh --sandbox ');
    expect([line.join(' '), announcesUndo, undoResult.exitCode, undoResult.stderr]).toEqual([
      line.join(' '),
      isUndone,
      isUndone ? 0 : 9,
      isUndone ? expect.any(String) : expect.stringMatching(irreversible),
    ]);
    expect(sandboxState(workspace.config)).toEqual(isUndone ? stateBefore : stateAfterWrite);
    if (isUndone) return;
    const [warning = ''] = writeResult.stderr.split('\n').filter((text) => irreversible.test(text));
    expect(undoResult.stderr).toContain(warning);
    expect([dryRunResult.exitCode, dryRunResult.stderr]).toEqual([0, expect.stringContaining(warning)]);
  });
});

/** Returns the flags of the example. With values, an update has only these, and a creation also the flags of other fields. */
function flagsOf(write: Operation, values: Record<string, unknown>): string[] {
  const flags = exampleWords(write).slice(2 + write.params.length);
  if (Object.keys(values).length === 0) return flags;
  const dataFlags = ['--data', JSON.stringify(values)];
  if (write.effect !== 'create') return dataFlags;
  const names = Object.keys(values).map((name) => `--${flagName(name)}`);
  return [
    ...flags.filter((word, index) => ![word, flags[index - 1]].some((flag) => names.includes(flag ?? ''))),
    ...dataFlags,
  ];
}

/** Returns the IDs of the records in the example. */
async function idsOf(workspace: Workspace, write: Operation): Promise<string[]> {
  const words = exampleWords(write).slice(2, 2 + write.params.length);
  return Promise.all(
    words.map(async (word, index) => {
      if (!word.startsWith('@')) return word;
      const target = api.resource(write.params[index]?.target ?? '');
      // A prepared record may no longer be found by its name.
      if (write.params[index]?.exampleKey === undefined) return target?.exampleId ?? word;
      return (await workspace.json(target?.command ?? '', 'get', word)).id;
    }),
  );
}

const updates = writes.filter(({ effect }) => effect === 'update');

describe.each(updates.map((write) => [write.resource.command, write] as const))('%s', (command, update) => {
  const values = Object.fromEntries(
    update.body.flatMap(({ name, field: { traits } }) =>
      traits.example === undefined ||
      traits.secret ||
      update.resource.effectiveWhen?.[name] ||
      traits.unique ||
      traits.ignored
        ? []
        : [[name, traits.example]],
    ),
  );

  test('undo of an update of all fields: restores every field', async () => {
    const workspace = createWorkspace();
    const id = update.resource.exampleId;
    const stateBefore = await recordOf(workspace, update.resource, id);
    const writeResult = await workspace.boh(command, 'update', id, '--data', JSON.stringify(values));
    expect([writeResult.exitCode, writeResult.stderr]).toEqual([0, expect.any(String)]);
    const undoResult = await workspace.boh('undo', '--last', '--yes');
    expect([undoResult.exitCode, undoResult.stderr]).toEqual([0, expect.any(String)]);
    expect(await recordOf(workspace, update.resource, id)).toEqual(stateBefore);
  });
});
