/** Runs of several processes that could create the same records in one account: they run one after another. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockFile } from '../../src/storage/file-lock.ts';
import { draws } from '../harness/draws.ts';
import { rounds, roundsTimeoutMs } from '../harness/rounds.ts';
import { failureOf } from '../harness/run-boh.ts';
import { runLine } from '../harness/run-line.ts';
import { needsRoot, smallDisk } from '../harness/small-disk.ts';
import { startBoh } from '../harness/start-boh.ts';
import { endOf, phones, type Scene, scene } from './locked-scene.ts';
import { serveBoh } from './served-boh.ts';

const lines: Record<string, (scene: Scene) => string[]> = {
  import: ({ files }) => ['customers', 'import', files.b, '--key', 'phone', '--yes'],
  apply: ({ files }) => ['apply', files.yaml, '--yes'],
  upsert: () => ['customers', 'upsert', '--phone', phones[0] ?? '', '--name', 'U', '--key', 'phone', '--yes'],
  'create --if-missing': () => [
    ...['customers', 'create', '--if-missing', '--key', 'phone'],
    ...['--phone', phones[0] ?? '', '--name', 'C'],
  ],
};

/** Starts an import of the first file that has sent its first rows and waits for their answers. */
async function runningImport({ service, start, files }: Scene) {
  const held = service.delay(/^POST \/customers/);
  const inFlight = 4;
  const first = start(
    'customers',
    'import',
    files.a,
    '--key',
    'phone',
    '--yes',
    '--concurrency',
    `${inFlight}`,
  );
  await Promise.race([
    held.waiting(inFlight),
    first.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  return { held, first };
}

test.each(Object.keys(lines))(
  '%s: waits for an import of the same resource, and creates nothing twice',
  async (name) => {
    const stage = await scene();
    const { held, first } = await runningImport(stage);
    const second = stage.start(...(lines[name]?.(stage) ?? []));
    const [said] = await second.says(/Waiting for .*/);
    expect(said).toMatch(
      /^Waiting for boh customers import \(process \d+, since \d{4}-.*\), which is writing customers/,
    );
    expect(said).toContain(`process ${first.pid},`);
    held.release();
    expect(await endOf(first)).toBe(0);
    expect(await endOf(second)).toBe(0);
    expect(await stage.found()).toEqual([...phones].sort());
  },
);

test('import: waits for an apply of the same resource, and creates nothing twice', async () => {
  const stage = await scene();
  const held = stage.service.delay(/^POST \/customers/);
  const first = stage.start('apply', stage.files.yaml, '--yes');
  await held.waiting();
  const second = stage.start(...(lines.import?.(stage) ?? []));
  await second.says(/Waiting for boh apply/);
  held.release();
  expect([await endOf(first), await endOf(second)]).toEqual([0, 0]);
  expect(await stage.found()).toEqual([...phones].sort());
});

test('upsert, five at once: one creates the record', async () => {
  const stage = await scene();
  const all = Array.from({ length: 5 }, () => stage.start(...(lines.upsert?.(stage) ?? [])));
  expect(await Promise.all(all.map(endOf))).toEqual([0, 0, 0, 0, 0]);
  expect(await stage.found()).toEqual([phones[0]]);
});

test.each(Object.keys(lines))('%s --no-wait: fails instead of waiting, and sends nothing', async (name) => {
  const stage = await scene();
  const { held, first } = await runningImport(stage);
  const before = stage.service.requests.length;
  const beside = await stage.boh(...(lines[name]?.(stage) ?? []), '--no-wait');
  expect(beside).toMatchObject({ exitCode: 8, stdout: '' });
  expect(beside.stderr).toContain('Not waiting for boh customers import (process ');
  expect(beside.stderr).toContain('nothing was sent');
  expect(stage.service.requests.slice(before).filter((what) => !what.startsWith('GET /whoami'))).toEqual([]);
  held.release();
  expect(await endOf(first)).toBe(0);
});

test.for(['import', 'apply', 'upsert', 'create --if-missing'])(
  '%s on a disk without room for its lock: sends nothing during an import of the same resource',
  async (name, { skip }) => {
    const disk = smallDisk(6 * 1024);
    if (disk === undefined) return skip(needsRoot);
    const stage = await scene(join(disk.path, 'boh'));
    const { held, first } = await runningImport(stage);
    disk.fill();
    const before = stage.service.requests.length;
    const beside = await stage.boh(
      ...(lines[name]?.(stage) ?? []),
      ...(name === 'import' || name === 'apply' ? ['--no-ledger'] : []),
    );
    expect([beside.exitCode, beside.stdout], beside.stderr).toEqual([8, '']);
    expect(failureOf(beside)).toMatchObject({
      message: expect.stringMatching(/^The lock .* can't grow: the disk is full\.$/),
      hint: 'Free some space, then try again.',
      outcome: 'not_sent',
    });
    expect(stage.service.requests.slice(before).filter((what) => !what.startsWith('GET '))).toEqual([]);
    disk.empty();
    held.release();
    expect(await endOf(first)).toBe(0);
    expect(await stage.found()).toEqual([...phones].sort());
    expect(readdirSync(join(stage.env.BOH_CONFIG_DIR, 'locks'))).toEqual(['gate-hold']);
  },
);

/** Creates and deletes a customer with the first phone number, and returns its id. */
async function deletedCustomer({ boh }: Scene): Promise<string> {
  const made = await boh('customers', 'create', '--name', 'R', '--phone', phones[0] ?? '', '--json');
  const { id } = JSON.parse(made.stdout);
  await boh('customers', 'delete', id, '--yes');
  return id;
}

test('restore: waits for an import that looks for deleted records, and creates no duplicate key', async () => {
  const stage = await scene();
  const id = await deletedCustomer(stage);
  // The import reads two lists: a record that is restored in between is in neither of them.
  const held = stage.service.delay(/^GET \/customers.*is_deleted/);
  const first = stage.start(...(lines.import?.(stage) ?? []), '--on-deleted', 'restore');
  await held.waiting();
  const second = stage.start('customers', 'restore', id);
  await Promise.race([second.says(/Waiting for boh customers import/), second.ended]);
  expect((await stage.boh('customers', 'restore', id, '--no-wait')).exitCode).toBe(8);
  held.release();
  expect(await endOf(first)).toBe(0);
  // The import has restored the record by then.
  expect((await second.ended).exitCode).toBe(5);
  expect(await stage.found()).toEqual([...phones].sort());
});

test.each([
  ['one record', [], 0],
  ['several records', ['another'], 9],
])('import: waits for a running restore of %s', async (_, others, exitCode) => {
  const stage = await scene();
  const id = await deletedCustomer(stage);
  const held = stage.service.delay(/^PUT .*restore/);
  const first = stage.start('customers', 'restore', id, ...others, '--yes');
  await held.waiting();
  const second = stage.start(...(lines.import?.(stage) ?? []), '--on-deleted', 'restore');
  await second.says(/Waiting for boh customers restore/);
  held.release();
  expect([await endOf(first), await endOf(second)]).toEqual([exitCode, 0]);
  expect(await stage.found()).toEqual([...phones].sort());
});

test('upsert when another process blocks the locks: sends nothing', async () => {
  const stage = await scene();
  const gate = join(stage.env.BOH_CONFIG_DIR, 'locks', 'gate');
  const held = lockFile({ file: gate, label: 'The lock', remedy: '' });
  const kept = await stage.boh(...(lines.upsert?.(stage) ?? []));
  held.release();
  expect([kept.exitCode, stage.service.requests], kept.stderr).toEqual([8, []]);
  expect(failureOf(kept)).toMatchObject({ hint: 'Try again.', outcome: 'not_sent' });
});

test('a run: does not wait for another resource or another account; a dry run never waits', async () => {
  const stage = await scene();
  const { held, first } = await runningImport(stage);
  const tags = stage.write('tags.yaml', 'tags:\n  - {name: Regular, type: customer}\n');
  expect(await stage.boh('apply', tags, '--yes')).toMatchObject({ exitCode: 0 });
  const dry = await stage.boh(...(lines.import?.(stage) ?? []), '--dry-run');
  expect(dry).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Waiting for') });
  const other = await serveBoh(['--memory']);
  const env = { ...stage.env, BOH_BASE_URL: other.base_url, BOH_TOKEN: other.token };
  const elsewhere = await runLine(lines.import?.(stage) ?? [], { env });
  expect(elsewhere).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Waiting for') });
  held.release();
  expect(await endOf(first)).toBe(0);
});

test('a waiting run: ends at Ctrl-C and at its deadline, and sends nothing', async () => {
  const stage = await scene();
  const { held, first } = await runningImport(stage);
  const waiting = stage.start(...(lines.import?.(stage) ?? []));
  await waiting.says(/Waiting for/);
  waiting.kill('SIGINT');
  expect(await endOf(waiting)).toBe(130);
  const late = stage.start(...(lines.upsert?.(stage) ?? []), '--deadline', '1');
  await late.says(/Waiting for/);
  expect(await endOf(late)).toBe(8);
  held.release();
  expect(await endOf(first)).toBe(0);
  expect(await stage.found()).toEqual([...phones].sort());
  expect(readdirSync(join(stage.env.BOH_CONFIG_DIR, 'locks'))).toEqual(['gate-hold']);
});

test('a run after a killed one: waits only as long as sent requests may still arrive', async () => {
  const stage = await scene();
  const { held, first } = await runningImport(stage);
  const second = stage.start(...(lines.import?.(stage) ?? []));
  await second.says(/Waiting for boh customers import/);
  first.kill('SIGKILL');
  await first.ended;
  await second.says(/boh customers import was interrupted: waiting for/);
  // Requests of the killed process reach the service after its end.
  held.release();
  expect(await endOf(second)).toBe(0);
  expect(await stage.found()).toEqual([...phones].sort());
});

test('runs resume: waits for a run of the same resource, and skips records which that run created', async () => {
  const stage = await scene();
  const { held, first } = await runningImport(stage);
  first.kill('SIGINT');
  expect(await endOf(first)).toBe(130);
  held.release();
  const [run] = JSON.parse((await stage.boh('runs', 'list', '--json')).stdout);
  const again = stage.service.delay(/^POST \/customers/);
  const second = stage.start('apply', stage.files.yaml, '--yes');
  await again.waiting();
  const resumed = stage.start('runs', 'resume', run.id, '--yes');
  await resumed.says(/Waiting for boh apply/);
  again.release();
  expect(await endOf(second)).toBe(0);
  // Rows whose records exist by now are reported as skipped.
  expect([0, 9]).toContainEqual(await endOf(resumed));
  expect(await stage.found()).toEqual([...phones].sort());
});

test.each(['import', 'apply', 'upsert', 'create --if-missing'])(
  '%s on two machines at once: reports duplicate records, however short it was',
  async (name) => {
    const stage = await scene();
    const line = [
      ...(lines[name]?.(stage) ?? []),
      ...(name === 'import' || name === 'apply' ? ['--concurrency', '1'] : []),
    ];
    const held = stage.service.delay(/^POST \/customers/);
    const machines = ['one', 'other'].map((machine) =>
      startBoh([...line, '--quiet'], { ...stage.env, BOH_CONFIG_DIR: join(stage.folder, machine) }),
    );
    await held.waiting(2);
    held.release();
    const ended = await Promise.all(machines.map(({ ended }) => ended));
    const messages = ended.map(({ stderr }) => stderr).join('');
    expect(messages).toMatch(
      /now exists? twice: someone else created the same|2 customers now have this key/,
    );
  },
);

test(
  'three runs at once, one of them killed: create each record once',
  async () => {
    const draw = draws(33);
    const stage = await scene();
    for (let round = 0; round < rounds(3, 60); round++) {
      // The records exist after the first round, but are deleted: an apply that comes first restores them.
      const held = stage.service.delay(/^(POST|PUT) \/customers/);
      const runs = ['import', 'apply', 'upsert'].map((name) => stage.start(...(lines[name]?.(stage) ?? [])));
      await held.waiting();
      runs[Math.floor(draw() * runs.length)]?.kill('SIGKILL');
      held.release();
      await Promise.all(runs.map(({ ended }) => ended));
      expect((await stage.boh(...(lines.import?.(stage) ?? []))).exitCode).toBe(0);
      expect(await stage.found(), `round ${round}`).toEqual([...phones].sort());
      const all = JSON.parse((await stage.boh('customers', 'list', '--all', '--json')).stdout);
      const ids = all.filter(({ phone }: { phone: string | null }) => phone?.startsWith('99888'));
      await stage.boh('customers', 'delete', ...ids.map(({ id }: { id: string }) => id), '--yes');
    }
  },
  roundsTimeoutMs,
);
