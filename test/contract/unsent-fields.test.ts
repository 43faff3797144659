/** Checks fields that an update doesn't send: a sandbox that merges causes no warning; a sandbox that replaces causes one when a field is emptied. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { bodyFrom, relationsToInclude } from '../../src/account/session/record-body.ts';
import type { Row } from '../../src/account/session/row.ts';
import { Session } from '../../src/account/session/session.ts';
import { isUndocumentedInclude } from '../../src/api/contract/include.ts';
import { type Operation, operation } from '../../src/api/contract/operation.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { api } from '../../src/api/resources/index.ts';
import { Failure } from '../../src/base/errors.ts';
import { formatHint } from '../../src/base/hint.ts';
import type { Variant } from '../../src/sandbox/business/settings.ts';
import { openClient } from '../sandbox/client.ts';
import { settings } from '../session/test-session.ts';

const updates = api.collections.flatMap((resource) => operation(resource, 'update') ?? []);

/** Opens a demo business, and returns functions that read, update and restore one record of the resource. */
async function openUpdateTest(resource: Resource, variant: Partial<Variant>) {
  const { sandbox, get, put } = await openClient({ variant });
  onTestFinished(() => sandbox.close());
  const update = operation(resource, 'update') ?? expect.fail();
  const relations = relationsToInclude(update)
    .filter((path) => !isUndocumentedInclude(resource, path))
    .join(',');
  const path = `${resource.path}/${resource.exampleId}`;
  const target = relations === '' ? path : `${path}?include=${relations}`;
  const readBody = (): Row => bodyFrom(update, get(target).json.data).body;
  /** Sends an update as the first of several writes in a new session, and returns its outcome. */
  const send = async (body: Row, put: 'merge' | 'replace' = 'merge'): Promise<Failure | 'done'> => {
    const session = new Session({
      api,
      settings: { ...settings, wire: { ...settings.wire, put } },
      env: {},
      embedded: async () => ({
        handle: (request) => sandbox.handle(request),
        ownerToken: () => sandbox.ownerToken(),
      }),
    });
    const call = { operation: update, ids: [resource.exampleId], body };
    return session.write(call, { hasMoreWrites: true }).then(
      () => 'done',
      (error) => (error instanceof Failure ? error : expect.fail(String(error))),
    );
  };
  return { update, readBody, send, restore: (body: Row) => put(path, body) };
}

const isEmpty = (value: unknown) =>
  Array.isArray(value) ? value.length === 0 : [null, undefined, '', 0, false].includes(value as null);

/** Returns the bodies to test: the required fields, and each other field with the required fields. */
function updateBodies({ body: fields }: Operation, currentBody: Row): Row[] {
  const requiredNames = fields.filter(({ field }) => field.traits.required).map(({ name }) => name);
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => name in currentBody).map((name) => [name, currentBody[name]]));
  const optionalNames = Object.keys(currentBody).filter((name) => !requiredNames.includes(name));
  const candidates = [pick(requiredNames), ...optionalNames.map((name) => pick([...requiredNames, name]))];
  return candidates.filter((body) => Object.keys(body).length > 0);
}

/** Returns the body in the hint, which restores the emptied fields. */
function restoreBodyFrom(outcome: Failure | 'done'): Row {
  const [, json] =
    /--data '(.*)'$/m.exec(outcome === 'done' ? '' : formatHint(outcome.details.hint ?? '')) ?? expect.fail();
  return JSON.parse(String(json).replaceAll("'\\''", "'"));
}

const warnedCommands = new Set<string>();

describe.each(updates.map((update) => [update.resource.command, update.resource] as const))(
  "fields that an update doesn't send: %s",
  (command, resource) => {
    test.each(['ids', 'absent'] as const)(
      'service that merges, wire.relations=%s: no warning',
      async (relations) => {
        const { update, readBody, send } = await openUpdateTest(resource, { 'wire.relations': relations });
        const examples = update.body.flatMap(({ name, field: { traits } }) =>
          traits.secret || traits.example === undefined ? [] : [{ [name]: traits.example }],
        );
        const bodies = updateBodies(update, readBody());
        for (const body of bodies) expect([body, await send(body)]).toEqual([body, 'done']);
        for (const body of examples) {
          const outcome = await send(body);
          // A refusal has a reason that is unrelated to the unsent fields.
          expect([body, outcome === 'done' || outcome.category]).toEqual([
            body,
            outcome === 'done' || 'refused',
          ]);
        }
      },
    );

    test.each(['ids', 'absent'] as const)(
      'service that replaces, wire.relations=%s: the warning names the emptied fields, and its hint restores them',
      async (relations) => {
        const workspace = await openUpdateTest(resource, {
          'wire.relations': relations,
          'wire.put': 'replace',
        });
        const { update, readBody, send, restore } = workspace;
        const before = readBody();
        for (const body of updateBodies(update, before)) {
          const outcome = await send(body);
          const after = readBody();
          const emptiedFields = Object.keys(before).filter(
            (name) => !isEmpty(before[name]) && isEmpty(after[name]),
          );
          const warning = outcome === 'done' || outcome.details.outcome !== 'done' ? '' : outcome.message;
          expect([body, emptiedFields.filter((name) => warning.includes(name)), warning !== '']).toEqual([
            body,
            emptiedFields,
            emptiedFields.length > 0,
          ]);
          if (emptiedFields.length === 0) continue;
          warnedCommands.add(command);
          expect(restore(restoreBodyFrom(outcome)).status).toBe(200);
          const restoredBody = readBody();
          expect(emptiedFields.filter((name) => isEmpty(restoredBody[name]))).toEqual([]);
        }
      },
    );

    test.each(['ids', 'absent'] as const)(
      'service that replaces, wire.relations=%s, wire.put=replace: no field is emptied',
      async (relations) => {
        const workspace = await openUpdateTest(resource, {
          'wire.relations': relations,
          'wire.put': 'replace',
        });
        const { update, readBody, send } = workspace;
        const before = readBody();
        const secrets = update.body.flatMap(({ name, field: { traits } }) =>
          traits.secret ? [[name, traits.example]] : [],
        );
        for (const name of Object.keys(before)) {
          const body = { [name]: before[name], ...Object.fromEntries(secrets) };
          expect([name, await send(body, 'replace')]).toEqual([name, 'done']);
          expect([name, readBody()]).toEqual([name, before]);
        }
      },
    );
  },
);

test('service that replaces: causes a warning for most resources', () => {
  expect(warnedCommands.size).toBeGreaterThan(updates.length / 2);
});
