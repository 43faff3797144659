/** The placeholder for secrets in a ledger is never confused with text of users. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../../src/engine/runs/ledger/ledger.ts';
import { type NewRow, secretPlaceholder } from '../../src/engine/runs/ledger/row.ts';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { startService } from './start-service.ts';

function openLedger(...rows: NewRow[]): Ledger {
  const folder = mkdtempSync(join(tmpdir(), 'boh-secret-placeholder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const ledger = new Ledger(join(folder, 'run.sqlite'));
  onTestFinished(() => ledger.close());
  ledger.add(rows);
  return ledger;
}

const row = (resource: string, body: object, values: Partial<NewRow> = {}): NewRow => ({
  line: 2,
  key: 'x',
  state: 'planned',
  action: 'create',
  steps: [{ resource, verb: 'create', ids: [], body: { ...body } }],
  ...values,
});

const user = { name: 'Till', lang: 'en', number: '70' };

test.each([
  ['a name', { name: '$secret' }, false],
  ['a name that looks like its JSON', { name: '{"$secret":true}' }, false],
  ['a PIN', { ...user, pin: secretPlaceholder }, true],
])(
  'ledger with %s: reports whether the remaining rows need secrets from the file',
  (_, body, needsSecrets) => {
    expect(openLedger(row('users', body)).needsSecrets()).toBe(needsSecrets);
  },
);

test('row with a secret: it is read from the file when the row is sent', async () => {
  const ledger = openLedger(row('users', { ...user, name: '$secret', pin: secretPlaceholder }));
  const sentBodies: unknown[] = [];
  const { run } = await startService((body) => {
    if (body !== '') sentBodies.push(JSON.parse(body));
    return undefined;
  });
  const secretsOf = async () => ({ pin: '73519' });
  expect(await run(ledger, { secretsOf })).toMatchObject([{ outcome: 'done' }]);
  expect(sentBodies).toMatchObject([{ name: '$secret', pin: '73519' }]);
});

test('an update of unknown outcome to a name like the placeholder: is found to be done', async () => {
  const bodies: string[] = [];
  const { run } = await startService((body) => {
    if (body !== '') bodies.push(body);
    return undefined;
  });
  const created = await run(openLedger(row('customers', { name: '$secret', phone: '5553', dial_code: 966 })));
  expect(created).toMatchObject([{ outcome: 'done' }]);
  const id = String(created[0]?.id);
  const steps = [{ resource: 'customers', verb: 'update', ids: [id], body: { name: '$secret' } }];
  const otherLedger = openLedger({ line: 2, key: 'x', state: 'unknown', action: 'update', id, steps });
  expect(await run(otherLedger)).toMatchObject([{ outcome: 'done' }]);
  expect(bodies).toHaveLength(1);
});

test('import --dry-run: shows a name that looks like the placeholder, and no secret', async () => {
  const sandbox = openImportSandbox();
  const text = 'name,lang,email,pin\n$secret,en,s@example.com,73519\n';
  const result = await sandbox.import('users.csv', text, 'users --key email --dry-run');
  expect(result.rows).toMatchObject([{ changes: { name: { to: '$secret' }, pin: { to: '••••' } } }]);
  expect(result.stdout + result.stderr).not.toContain('73519');
});
