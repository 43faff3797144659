/** The placeholder of a secret in a ledger: texts of users are never mistaken for it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../../src/runs/ledger/ledger.ts';
import type { NewRow } from '../../src/runs/ledger/row.ts';
import { secretPlaceholder } from '../../src/runs/ledger/secret-placeholder.ts';
import { openImportSandbox } from '../bulk/importing.ts';
import { service } from './carrying-out.ts';

function open(...rows: NewRow[]): Ledger {
  const folder = mkdtempSync(join(tmpdir(), 'boh-secret-mark-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const ledger = new Ledger(join(folder, 'run.sqlite'));
  onTestFinished(() => ledger.close());
  ledger.add(rows);
  return ledger;
}

const row = (resource: string, body: object, more: Partial<NewRow> = {}): NewRow => ({
  line: 2,
  key: 'x',
  state: 'planned',
  action: 'create',
  steps: [{ resource, verb: 'create', ids: [], body: { ...body } }],
  ...more,
});

const user = { name: 'Till', lang: 'en', number: '70' };

test.each([
  ['a name', { name: '$secret' }, false],
  ['a name that looks like its JSON', { name: '{"$secret":true}' }, false],
  ['a PIN', { ...user, pin: secretPlaceholder }, true],
])('a ledger knows if the remaining rows have secrets that only the file contains: %s', (_, body, is) => {
  expect(open(row('users', body)).needsSecrets(['pin'])).toBe(is);
});

test.each([
  ['as it is written', secretPlaceholder],
  ['as ledgers of earlier versions have it', '$secret'],
])('a secret is read again when its row is sent: %s', async (_, pin) => {
  const ledger = open(row('users', { ...user, name: '$secret', pin }));
  expect(ledger.needsSecrets(['pin'])).toBe(true);
  const sent: unknown[] = [];
  const { run } = await service((body) => {
    if (body !== '') sent.push(JSON.parse(body));
    return undefined;
  });
  const secretsOf = async () => ({ pin: '73519' });
  expect(await run(ledger, { secretsOf })).toMatchObject([{ outcome: 'done' }]);
  expect(sent).toMatchObject([{ name: '$secret', pin: '73519' }]);
});

test('an update that was carried out without a response is found to be done, even if the record is named like the placeholder', async () => {
  const bodies: string[] = [];
  const { run } = await service((body) => {
    if (body !== '') bodies.push(body);
    return undefined;
  });
  const made = await run(open(row('customers', { name: '$secret', phone: '5553', dial_code: 966 })));
  expect(made).toMatchObject([{ outcome: 'done' }]);
  const id = String(made[0]?.id);
  const steps = [{ resource: 'customers', verb: 'update', ids: [id], body: { name: '$secret' } }];
  const again = open({ line: 2, key: 'x', state: 'unknown', action: 'update', id, steps });
  expect(await run(again)).toMatchObject([{ outcome: 'done' }]);
  expect(bodies).toHaveLength(1);
});

test('a plan shows a name that looks like the placeholder, and never shows a secret', async () => {
  const sandbox = openImportSandbox();
  const text = 'name,lang,email,pin\n$secret,en,s@example.com,73519\n';
  const result = await sandbox.import('users.csv', text, 'users --key email --dry-run');
  expect(result.rows).toMatchObject([{ changes: { name: { to: '$secret' }, pin: { to: '••••' } } }]);
  expect(result.stdout + result.stderr).not.toContain('73519');
});
