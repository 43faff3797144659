/** Puts secrets into data (a cell, a manifest, a flag), and checks that they are sent but neither shown nor stored by boh. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { accountFile } from '../harness/account-folder.ts';
import { copyDemoBusiness } from '../harness/demo-business.ts';
import { sampleOf } from '../harness/repetitions.ts';
import { runLine } from '../harness/run-line.ts';
import { readSandboxRecords } from '../harness/sandbox-records.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';
import { startBoh } from '../harness/start-boh.ts';

const root = mkdtempSync(join(tmpdir(), 'boh-data-'));
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));

const secrets = {
  BOH_TOKEN: 'Canary-Token.0c61d7e2f4/with+signs=',
  PGPASSWORD: 'canary "pg", 8831',
  mirror: 'canary-mirror-55071',
  profile: 'canary-profile-e18aa7',
};

/** Returns every form in which a secret could be visible: plain, folded, in JSON, in CSV and in a URL. */
const traces = Object.values(secrets).flatMap((secret) => [
  secret,
  secret.toLowerCase(),
  JSON.stringify(secret).slice(1, -1),
  secret.replaceAll('"', '""'),
  encodeURIComponent(secret),
]);

/** Creates a home folder with a sandbox as the service, and a folder for input files. Both may contain the secrets. */
function newHome() {
  const folder = mkdtempSync(join(root, 'home-'));
  const config = join(folder, 'config');
  copyDemoBusiness(config);
  const profiles = {
    shop: { base_url: 'https://shop.example', token: secrets.profile },
    source: { sandbox: 'default' },
    target: { sandbox: 'other' },
  };
  const settings = { version: 1, active: 'shop', profiles, defaults: {} };
  writeFileSync(join(config, 'config.json'), JSON.stringify(settings), { mode: 0o600 });
  const env = {
    BOH_CONFIG_DIR: config,
    TMPDIR: folder,
    BOH_TOKEN: secrets.BOH_TOKEN,
    PGPASSWORD: secrets.PGPASSWORD,
    BOH_MIRROR: `postgres://reader:${secrets.mirror}@db.example/copy`,
    BOH_SANDBOX: 'default',
    STORE_NOTE: 'ring twice',
  };
  const inputFolder = join(root, `input-${folder.slice(-6)}`);
  mkdirSync(inputFolder);
  return { folder, env, inputFolder };
}

/** Returns the files in a folder that contain a secret, except for the sandbox and the settings. */
function filesWithSecrets(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !file.includes('/sandboxes/') && !file.endsWith('config.json'))
    .filter((file) => {
      const content = readFileSync(file);
      return traces.some((trace) => content.includes(trace));
    });
}

function expectNoSecrets(text: string, label: string): void {
  for (const trace of traces) expect(text, label).not.toContain(trace);
}

describe.each(Object.entries(secrets))('the secret %s inside data', (name, secret) => {
  const formats = sampleOf(
    ['table', 'json', 'ndjson', 'csv', 'yaml', 'id'],
    Object.keys(secrets).indexOf(name),
  );

  async function runSafe(argv: string[], { env, folder }: ReturnType<typeof newHome>, stdin = '') {
    const result = await runLine([...argv, '--sandbox'], { env, stdin });
    expectNoSecrets(result.stdout + result.stderr, argv.join(' '));
    expect(filesWithSecrets(folder), argv.join(' ')).toEqual([]);
    return result;
  }

  test('create and update: send it, and no output, history or file shows it', async () => {
    const home = newHome();
    const body = JSON.stringify({ name: 'Body', contact_name: `a ${secret} b` });
    for (const format of formats) {
      await runSafe(['suppliers', 'create', '--name', secret, '--dry-run', '-v', '-o', format], home);
      await runSafe(['suppliers', 'create', '--data', body, '-v', '-o', format], home);
    }
    await runSafe(['suppliers', 'create', '--name', secret, '--phone', '1'], home);
    for (const format of formats) {
      await runSafe(['suppliers', 'list', '--contact-name', secret, '-v', '-o', format], home);
      await runSafe(['history', 'list', '-o', format], home);
    }
    await runSafe(['suppliers', 'update', `@${secret}`, '--contact-name', secret, '-v'], home);
    await runSafe(['suppliers', 'get', `@${secret}`, '-v', '-o', 'table'], home);
    await runSafe(['suppliers', 'get', `@no ${secret}`, '-v'], home);
    await runSafe(['suppliers', 'create', '--email', secret, '--is-active', secret], home);
    await runSafe(['history', 'show', '1', '-o', 'json'], home);
    await runSafe(['history', 'show', '1', '-o', 'table'], home);
    await runSafe(['undo', '--yes'], home);
    const refusedResult = await runSafe(['suppliers', 'create', '--name', 'Dots ••••', '--yes'], home);
    expect(refusedResult).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('placeholder for') });
    await runSafe(['api', 'POST', '/suppliers', '--data', body, '--yes', '-v'], home);
    const suppliers = await readSandboxRecords(home.env.BOH_CONFIG_DIR, '/suppliers');
    const sentSuppliers = suppliers.filter((supplier) => supplier.contact_name === `a ${secret} b`);
    expect(sentSuppliers, name).toHaveLength(formats.length + 1);
  });

  test('import: sends it from cells, and no plan, ledger or file of failed rows contains it', async () => {
    const home = newHome();
    const csvCell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const file = join(home.inputFolder, 'suppliers.csv');
    writeFileSync(
      file,
      `name,contact_name,email\nOne,${csvCell(secret)},a@b.example\n${csvCell(`x ${secret}`)},Two,c@d.example\n` +
        `Three,${csvCell(secret)},${csvCell(secret)}\n`,
    );
    for (const format of formats)
      await runSafe(['suppliers', 'import', file, '--dry-run', '--key', 'name', '-o', format], home);
    const failed = join(home.folder, 'failed.csv');
    const flags = ['--key', 'name', '--yes', '--skip-invalid', '--failed', failed];
    await runSafe(['suppliers', 'import', file, ...flags, '-v'], home);
    const [run] = JSON.parse((await runSafe(['runs', 'list', '-o', 'json'], home)).stdout);
    for (const format of formats) await runSafe(['runs', 'show', run.id, '-o', format], home);
    const repeatResult = await runSafe(['suppliers', 'import', file, ...flags], home);
    expect(repeatResult.stdout).not.toContain('"action":"create"');
  });

  test('apply: sends it from manifests and saved plans, and no plan or ledger contains it', async () => {
    const home = newHome();
    const manifest = join(home.inputFolder, 'suppliers.yaml');
    const supplier = { name: 'Fresh', contact_name: `x ${secret}`, phone: '555' };
    writeFileSync(manifest, JSON.stringify({ suppliers: [supplier, { name: secret, phone: '556' }] }));
    for (const format of formats) await runSafe(['plan', manifest, '-o', format], home);
    const plan = join(home.folder, 'saved.plan');
    await runSafe(['plan', manifest, '--out', plan], home);
    expect((await runSafe(['apply', '--plan', plan, '--yes'], home)).exitCode).toBe(0);
    expect(await readSandboxRecords(home.env.BOH_CONFIG_DIR, '/suppliers')).toContainEqual(
      expect.objectContaining({ name: 'Fresh', contact_name: `x ${secret}` }),
    );
    const repeatResult = await runSafe(['plan', manifest, '-o', 'json'], home);
    expect(JSON.parse(repeatResult.stdout).changes).toEqual([]);
    await runSafe(['diff', manifest, '-o', 'table'], home);
    await runSafe(['pull', 'suppliers', '--out', join(home.folder, 'pulled')], home);
  });
});

test('runs resume with a token in the rows: works with the token and is refused without it', async () => {
  const faults = 'rules: [{ route: "POST /suppliers", fault: latency, milliseconds: 60 }]';
  const served = await serveSandbox({ faults });
  const { config } = served;
  const secret = 'canary-pg-password-77';
  const env = { ...served.env, PGPASSWORD: secret };
  const dataFolder = mkdtempSync(join(root, 'outside-'));
  const rows = Array.from({ length: 60 }, (_, index) => ({
    name: `Kept ${index}`,
    contact_name: `${secret} ${served.token} \ufdd00p\ufdd1 ${index}`,
  }));
  const csv = join(dataFolder, 'suppliers.csv');
  writeFileSync(
    csv,
    `name,contact_name\n${rows.map(({ name, contact_name }) => `${name},${contact_name}`).join('\n')}\n`,
  );
  const yaml = join(dataFolder, 'apply.yaml');
  const appliedRows = rows.map(({ name, contact_name }) => ({
    name: name.replace('Kept', 'Applied'),
    contact_name: contact_name.replace(served.token, `\${BOH_TOKEN}`),
  }));
  writeFileSync(yaml, JSON.stringify({ suppliers: appliedRows }));
  for (const argv of [
    ['suppliers', 'import', csv, '--key', 'name', '--yes'],
    ['apply', yaml, '--yes'],
  ]) {
    const running = startBoh(argv, env);
    await running.waitForStdout(argv[0] === 'apply' ? /"key":"Applied 9"/ : /"line":9,/);
    running.kill('SIGINT');
    await running.ended;
    const [run] = JSON.parse((await runLine(['runs', 'list', '--json'], { env })).stdout);
    const ledger = readFileSync(accountFile(config, 'history.sqlite')).toString('latin1');
    expect(ledger).not.toContain(secret);
    expect(ledger).not.toContain(served.token);
    const { PGPASSWORD: _, ...withoutSecret } = env;
    const refusedResult = await runLine(['runs', 'resume', run.id], { env: withoutSecret });
    expect(refusedResult).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('PGPASSWORD') });
    const otherResult = await runLine(['runs', 'resume', run.id], { env: { ...env, PGPASSWORD: 'other' } });
    expect(otherResult).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('PGPASSWORD') });
    expect(await runLine(['runs', 'resume', run.id], { env })).toMatchObject({ exitCode: 0 });
  }
  const suppliers = await readSandboxRecords(config, '/suppliers', 'served');
  for (const group of ['Kept', 'Applied']) {
    const matches = suppliers.filter(({ name = '' }) => name.startsWith(`${group} `));
    expect(matches.map((supplier) => supplier.contact_name).sort()).toEqual(
      rows.map((row) => row.contact_name).sort(),
    );
  }
});

test('plan and apply --plan: name variables that were expanded into fields, and redact secret values', async () => {
  const home = newHome();
  const manifest = join(home.inputFolder, 'suppliers.yaml');
  writeFileSync(
    manifest,
    `suppliers:\n  - name: Fresh\n    contact_name: "\${STORE_NOTE}"\n    code: "\${BOH_TOKEN}"\n    phone: \${UNSET_PHONE:-555}\n`,
  );
  const tableResult = await runLine(['plan', manifest, '--sandbox', '-o', 'table'], { env: home.env });
  expect(tableResult.stdout).toMatch(/contact_name +ring twice \(from \$STORE_NOTE\)/);
  expect(tableResult.stdout).toMatch(/code +•••• \(from \$BOH_TOKEN\)/);
  expect(tableResult.stdout).not.toContain('$UNSET_PHONE');
  const { changes } = JSON.parse(
    (await runLine(['plan', manifest, '--sandbox', '-o', 'json'], { env: home.env })).stdout,
  );
  expect(changes[0].expanded).toEqual({ contact_name: ['STORE_NOTE'], code: ['BOH_TOKEN'] });
  expect(changes[0].fields.contact_name.new).toBe('ring twice');
  const plan = join(home.folder, 'saved.plan');
  await runLine(['plan', manifest, '--sandbox', '--out', plan], { env: home.env });
  const dryRunResult = await runLine(['apply', '--plan', plan, '--sandbox', '--dry-run', '-o', 'json'], home);
  expect(JSON.parse(dryRunResult.stdout).changes[0].expanded).toEqual(changes[0].expanded);
  const { BOH_TOKEN: _, ...withoutSecret } = home.env;
  const result = await runLine(['apply', '--plan', plan, '--sandbox', '--yes'], { env: withoutSecret });
  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('BOH_TOKEN') });
});

describe('copies of records that hold a known secret', () => {
  const supplier = (name: string, contact: string) => JSON.stringify({ name, contact_name: contact });

  async function accountWith(...contacts: string[]) {
    const home = newHome();
    for (const [index, contact] of contacts.entries()) {
      const data = supplier(`Kept ${index}`, contact);
      await runLine(['suppliers', 'create', '--data', data, '--sandbox'], { env: home.env });
    }
    return home;
  }

  test('export, backup, mirror, copy and pull: report values that were redacted', async () => {
    const { env, folder } = await accountWith(`a ${secrets.BOH_TOKEN}`, secrets.PGPASSWORD, 'plain');
    const mirror = `sqlite:${join(folder, 'mirror.sqlite')}`;
    for (const argv of [
      ['suppliers', 'export', '--to', join(folder, 'suppliers.csv')],
      ['suppliers', 'export', '-o', 'json'],
      ['export', '--to', join(folder, 'book.xlsx'), '--resource', 'suppliers'],
      ['backup', join(folder, 'backup'), '--resource', 'suppliers'],
      ['mirror', 'sync', '--to', mirror, '--resource', 'suppliers'],
      ['pull', join(folder, 'pulled'), '--resource', 'suppliers'],
    ]) {
      const result = await runLine([...argv, '--sandbox', '--quiet'], { env });
      const warnings = result.stderr.split('\n').filter((line) => line.includes('redacted'));
      expect(warnings, argv.join(' ')).toEqual([
        expect.stringContaining('2 values contain a known secret and were redacted'),
      ]);
      const unredactedResult = await runLine([...argv, '--sandbox'], {
        env: { ...env, BOH_TOKEN: '', PGPASSWORD: '' },
      });
      expect(unredactedResult.stderr, argv.join(' ')).not.toContain('redacted');
    }
    const { BOH_SANDBOX: _, ...envWithoutSandbox } = env;
    const copyResult = await runLine(['copy', 'suppliers', '--from', 'source', '--to', 'target', '--yes'], {
      env: envWithoutSandbox,
    });
    expect(copyResult).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('2 values contain a known secret and were redacted'),
    });
  });

  test.each(['postgres', 'password', 'hunter-2222'])(
    'the common word %s as a database password: is not redacted',
    async (word) => {
      const { env, folder } = await accountWith(`our ${word} database`, `${word.toUpperCase()}`);
      const ownEnv = { ...env, PGPASSWORD: word, BOH_MIRROR: `postgres://reader:${word}@db.example/copy` };
      const file = join(folder, 'suppliers.csv');
      const result = await runLine(['suppliers', 'export', '--to', file, '--sandbox'], { env: ownEnv });
      expect(result.stderr).not.toContain('redacted');
      expect(readFileSync(file, 'utf8')).toContain(`our ${word} database`);
      expect(readFileSync(file, 'utf8')).toContain(word.toUpperCase());
      const data = supplier('Address', ownEnv.BOH_MIRROR);
      const showResult = await runLine(['suppliers', 'create', '--data', data, '--sandbox', '-o', 'json'], {
        env: ownEnv,
      });
      expect(showResult.stdout).not.toContain(`:${word}@`);
    },
  );

  test('a token that is a plain word: is redacted from 8 characters', async () => {
    const { env } = await accountWith('our postgres database');
    const result = await runLine(['suppliers', 'export', '-o', 'json', '--sandbox'], {
      env: { ...env, BOH_TOKEN: 'postgres' },
    });
    expect(result.stdout).toContain('our •••• database');
  });
});
