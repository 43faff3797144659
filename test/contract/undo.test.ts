/** Every write of the contract, sent to the sandbox and undone: the old state is restored, or the write was announced as irreversible. */
import { describe, expect, test } from 'vitest';
import { irreversibleFields } from '../../src/contract/irreversible.ts';
import { isWrite, type Operation, operation, operations } from '../../src/contract/operation.ts';
import type { Resource } from '../../src/contract/resource.ts';
import { flagName } from '../../src/contract/value-text.ts';
import { exampleArguments } from '../../src/reference/examples.ts';
import { api } from '../../src/resources/index.ts';
import { bodyFrom, relationsToInclude } from '../../src/session/record-body.ts';
import { sandboxState } from '../harness/sandbox-state.ts';
import { newWorkspace, type Workspace } from '../history/boh-in-sandbox.ts';

const writes = api.collections.flatMap(operations).filter(isWrite);

/** The words of its example, without `--sandbox`. */
const lineOf = (write: Operation) => exampleArguments(write).slice(1);

/** What it takes for the example to be possible. */
async function prepare({ boh }: Workspace, { effect, inverse }: Operation): Promise<void> {
  if (effect === 'restore' && inverse) await boh(...lineOf(inverse));
  if (effect === 'unlink' && inverse) await boh(...lineOf(inverse));
}

/** All that an update of a record may send, links in no order; as it is shown where there is no update. */
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
  if (result.exitCode !== 0) return 'gone';
  const { updated_at: _, deleted_at: deleted = null, ...record } = JSON.parse(result.stdout);
  if (deleted !== null) return 'gone';
  const body = update ? bodyFrom(update, record).body : record;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, withoutOrder(resource.fields[name]?.kind, value)]),
  );
}

/** A part that was gone comes back as a new one, with another id. */
function withoutOrder(kind: string | undefined, value: unknown) {
  if (!Array.isArray(value)) return value;
  if (kind !== 'objects') return [...value].sort(byText);
  return value.map(({ id: _, ...part }) => part);
}

const byText = (one: unknown, other: unknown) => JSON.stringify(one).localeCompare(JSON.stringify(other));

/** The example of a write, and others like it whose effect may be irreversible: `values` by the names of requests. */
interface Case {
  write: Operation;
  values: Record<string, unknown>;
}

/** With every value of each field that decides, as far as an example can be made of it. */
function casesOf(write: Operation): Case[] {
  const others = irreversibleFields(write).flatMap(({ name, field: { kind, traits } }) => {
    const target = api.resource(traits.target ?? '');
    const values: unknown[] = Object.values(traits.words ?? {});
    if (kind === 'many' && target) values.push([{ id: target.exampleId }]);
    if (traits.secret) values.push('59038271');
    return values.map((value) => ({ write, values: { [name]: value } }));
  });
  return [{ write, values: {} }, ...others];
}

const cases = writes
  .flatMap(casesOf)
  .map((one) => [`${one.write.command} ${JSON.stringify(one.values)}`, one] as const);

const irreversible = /can.t be (undone|restored|deleted)/;

describe.each(cases)('%s', (_, { write, values }) => {
  test('is undone completely, or is announced as irreversible and its undo is refused', async () => {
    const workspace = newWorkspace();
    await prepare(workspace, write);
    const line = [
      ...lineOf(write).slice(0, 2),
      ...(await idsOf(workspace, write)),
      ...flagsOf(write, values),
    ];
    const before = sandboxState(workspace.config);
    const planned = await workspace.boh(...line, '--dry-run');
    const sent = await workspace.boh(...line, '-o', 'json');
    expect([sent.exitCode, sent.stderr]).toEqual([0, expect.any(String)]);
    const [entry] = await workspace.json('history', '--limit', '1');
    expect(entry).toMatchObject({ resource: write.resource.name, verb: write.verb, outcome: 'done' });
    if (write.effect !== 'create') expect(entry.before).toMatchObject({ id: entry.ids[0] });
    const written = sandboxState(workspace.config);
    const undone = await workspace.boh('undo', String(entry.number), '--yes');
    const isUndone = undone.exitCode === 0;
    const promise = sent.stderr.includes('To undo this: boh --sandbox ');
    expect([line.join(' '), promise, undone.exitCode, undone.stderr]).toEqual([
      line.join(' '),
      isUndone,
      isUndone ? 0 : 9,
      isUndone ? expect.any(String) : expect.stringMatching(irreversible),
    ]);
    expect(sandboxState(workspace.config)).toEqual(isUndone ? before : written);
    if (isUndone) return;
    const [said = ''] = sent.stderr.split('\n').filter((text) => irreversible.test(text));
    expect(undone.stderr).toContain(said);
    expect([planned.exitCode, planned.stderr]).toEqual([0, expect.stringContaining(said)]);
  });
});

/** The words of its example behind the ids; with values, those alone and what it can't do without. */
function flagsOf(write: Operation, values: Record<string, unknown>): string[] {
  const flags = lineOf(write).slice(2 + write.params.length);
  if (Object.keys(values).length === 0) return flags;
  const given = ['--data', JSON.stringify(values)];
  if (write.effect !== 'create') return given;
  const names = Object.keys(values).map((name) => `--${flagName(name)}`);
  return [
    ...flags.filter((word, at) => ![word, flags[at - 1]].some((one) => names.includes(one ?? ''))),
    ...given,
  ];
}

/** Names that stand in the example, as ids. */
async function idsOf(workspace: Workspace, write: Operation): Promise<string[]> {
  const words = lineOf(write).slice(2, 2 + write.params.length);
  return Promise.all(
    words.map(async (word, at) => {
      if (!word.startsWith('@')) return word;
      const target = api.resource(write.params[at]?.target ?? '');
      // A prepared record may no longer be found by its name.
      if (write.params[at]?.exampleKey === undefined) return target?.exampleId ?? word;
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
    const workspace = newWorkspace();
    const id = update.resource.exampleId;
    const before = await recordOf(workspace, update.resource, id);
    const sent = await workspace.boh(command, 'update', id, '--data', JSON.stringify(values));
    expect([sent.exitCode, sent.stderr]).toEqual([0, expect.any(String)]);
    const undone = await workspace.boh('undo', '--last', '--yes');
    expect([undone.exitCode, undone.stderr]).toEqual([0, expect.any(String)]);
    expect(await recordOf(workspace, update.resource, id)).toEqual(before);
  });
});
