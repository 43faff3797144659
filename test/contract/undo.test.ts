/** Every write of the contract, sent to the sandbox and taken back: what was there is there again, or it was said before that it can't be. */
import { describe, expect, test } from 'vitest';
import { lastingOf } from '../../src/contract/lasting.ts';
import { isWrite, type Operation, operation, operations } from '../../src/contract/operation.ts';
import type { Resource } from '../../src/contract/resource.ts';
import { exampleArguments } from '../../src/reference/examples.ts';
import { api } from '../../src/resources/index.ts';
import { bodyFrom, relationsNeeded } from '../../src/session/record-body.ts';
import { newPlace, type Place } from '../unit/history/boh-in-sandbox.ts';

const writes = api.collections.flatMap(operations).filter(isWrite);

/** The words of its example, without `--sandbox`. */
const lineOf = (write: Operation) => exampleArguments(write).slice(1);

/** What it takes for the example to be possible. */
async function prepare({ boh }: Place, { effect, inverse }: Operation): Promise<void> {
  if (effect === 'restore' && inverse) await boh(...lineOf(inverse));
  if (effect === 'unlink' && inverse) await boh(...lineOf(inverse));
}

/** All that an update of a record may send, links in no order; as it is shown where there is no update. */
async function recordOf(place: Place, resource: Resource, id: string) {
  const update = operation(resource, 'update');
  const include = update ? relationsNeeded(update) : [];
  const ran = await place.boh(resource.command, 'get', id, '--include', include.join(','), '-o', 'json');
  if (ran.exitCode !== 0) return 'gone';
  const { updated_at: _, deleted_at: deleted = null, ...record } = JSON.parse(ran.stdout);
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

const idIn = async (place: Place) => (await place.json('history', '--limit', '1'))[0];

describe.each(writes.map((write) => [write.command, write] as const))('%s', (_, write) => {
  test('is kept, and taken back or told before that it can’t be', async () => {
    const place = newPlace();
    await prepare(place, write);
    const { resource, effect } = write;
    const ids = effect === 'create' ? [] : await idsOf(place, write);
    const before = ids[0] === undefined ? 'gone' : await recordOf(place, resource, ids[0]);
    const sent = await place.boh(...lineOf(write), '-o', 'json');
    expect([sent.exitCode, sent.stderr]).toEqual([0, expect.any(String)]);
    const entry = await idIn(place);
    expect(entry).toMatchObject({ resource: resource.name, verb: write.verb, outcome: 'done' });
    if (effect !== 'create') expect(entry.before).toMatchObject({ id: ids[0] });
    const lasting = lastingOf(write, entry.request.body ?? {});
    for (const sentence of lasting) expect(sent.stderr).toContain(sentence);
    const undone = await place.boh('undo', String(entry.number), '--yes');
    const isUndone = undone.exitCode === 0;
    expect([undone.exitCode, isUndone || lasting.length > 0]).toEqual([isUndone ? 0 : 9, true]);
    if (isUndone) expect(await recordOf(place, resource, entry.ids[0])).toEqual(before);
    if (isUndone && lasting.length === 0) expect(sent.stderr).toMatch(/To undo this: boh --sandbox /);
  });
});

/** Names that stand in the example, as ids. */
async function idsOf(place: Place, write: Operation): Promise<string[]> {
  const { resource } = write;
  const [, , word = ''] = lineOf(write);
  if (!word.startsWith('@')) return [word];
  // By its name it may not be found any more.
  return [
    write.params[0]?.known === undefined
      ? resource.knownId
      : (await place.json(resource.command, 'get', word)).id,
  ];
}

const updates = writes.filter(({ effect }) => effect === 'update');

describe.each(updates.map((write) => [write.resource.command, write] as const))('%s', (command, update) => {
  const values = Object.fromEntries(
    update.body.flatMap(({ name, field: { traits } }) =>
      traits.example === undefined ||
      traits.secret ||
      update.resource.settled?.[name] ||
      traits.unique ||
      traits.leftAside
        ? []
        : [[name, traits.example]],
    ),
  );

  test('has every field back after an update of all of them', async () => {
    const place = newPlace();
    const id = update.resource.knownId;
    const before = await recordOf(place, update.resource, id);
    const sent = await place.boh(command, 'update', id, '--data', JSON.stringify(values));
    expect([sent.exitCode, sent.stderr]).toEqual([0, expect.any(String)]);
    const undone = await place.boh('undo', '--last', '--yes');
    expect([undone.exitCode, undone.stderr]).toEqual([0, expect.any(String)]);
    expect(await recordOf(place, update.resource, id)).toEqual(before);
  });
});
