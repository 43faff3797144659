/** Runs of several processes that could create the same records in one account: they run one after another. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, repetitionsTimeoutMs } from '../harness/repetitions.ts';
import { failureOf } from '../harness/run-boh.ts';
import { runLine } from '../harness/run-line.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';
import { startBoh } from '../harness/start-boh.ts';
import { exitCodeOf, newScene, phones, type Scene } from './locked-scene.ts';

const commandLines: Record<string, (scene: Scene) => string[]> = {
  import: ({ files }) => ['customers', 'import', files.b, '--key', 'phone', '--yes'],
  apply: ({ files }) => ['apply', files.yaml, '--yes'],
  upsert: () => ['customers', 'upsert', '--phone', phones[0] ?? '', '--name', 'U', '--key', 'phone', '--yes'],
  'create --if-missing': () => [
    ...['customers', 'create', '--if-missing', '--key', 'phone'],
    ...['--phone', phones[0] ?? '', '--name', 'C'],
  ],
};

/** Starts an import of the first file. Returns when the import has sent its first rows and waits for the responses. */
async function startImport({ service, start, files }: Scene) {
  const delayed = service.delay(/^POST \/customers/);
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
    delayed.waitForRequests(inFlight),
    first.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  return { delayed, first };
}

test.each(Object.keys(commandLines))(
  '%s: waits for an import of the same resource, and creates nothing twice',
  async (name) => {
    const scene = await newScene();
    const { delayed, first } = await startImport(scene);
    const second = scene.start(...(commandLines[name]?.(scene) ?? []));
    const [message] = await second.waitForStderr(/Waiting for .*/);
    expect(message).toMatch(
      /^Waiting for boh customers import \(process \d+, since \d{4}-.*\), which is writing customers/,
    );
    expect(message).toContain(`process ${first.pid},`);
    delayed.release();
    expect(await exitCodeOf(first)).toBe(0);
    expect(await exitCodeOf(second)).toBe(0);
    expect(await scene.storedPhones()).toEqual([...phones].sort());
  },
);

test('import: waits for an apply of the same resource, and creates nothing twice', async () => {
  const scene = await newScene();
  const delayed = scene.service.delay(/^POST \/customers/);
  const first = scene.start('apply', scene.files.yaml, '--yes');
  await delayed.waitForRequests();
  const second = scene.start(...(commandLines.import?.(scene) ?? []));
  await second.waitForStderr(/Waiting for boh apply/);
  delayed.release();
  expect([await exitCodeOf(first), await exitCodeOf(second)]).toEqual([0, 0]);
  expect(await scene.storedPhones()).toEqual([...phones].sort());
});

test('upsert, five at once: one creates the record', async () => {
  const scene = await newScene();
  const processes = Array.from({ length: 5 }, () => scene.start(...(commandLines.upsert?.(scene) ?? [])));
  expect(await Promise.all(processes.map(exitCodeOf))).toEqual([0, 0, 0, 0, 0]);
  expect(await scene.storedPhones()).toEqual([phones[0]]);
});

test.each(Object.keys(commandLines))(
  '%s --no-wait: fails instead of waiting, and sends nothing',
  async (name) => {
    const scene = await newScene();
    const { delayed, first } = await startImport(scene);
    const before = scene.service.requests.length;
    const concurrentResult = await scene.boh(...(commandLines[name]?.(scene) ?? []), '--no-wait');
    expect(concurrentResult).toMatchObject({ exitCode: 8, stdout: '' });
    expect(concurrentResult.stderr).toContain('Not waiting for boh customers import (process ');
    expect(concurrentResult.stderr).toContain('nothing was sent');
    expect(
      scene.service.requests.slice(before).filter((requestLine) => !requestLine.startsWith('GET /whoami')),
    ).toEqual([]);
    delayed.release();
    expect(await exitCodeOf(first)).toBe(0);
  },
);

test.for(['import', 'apply', 'upsert', 'create --if-missing'])(
  '%s on a disk without space for its lock: sends nothing',
  async (name, { skip }) => {
    const disk = mountSmallDisk(6 * 1024);
    if (disk === undefined) return skip(needsRoot);
    const scene = await newScene(join(disk.path, 'boh'));
    expect(
      (await scene.boh('customers', 'upsert', '--phone', '1', '--name', 'U', '--key', 'phone')).exitCode,
    ).toBe(0);
    disk.fill();
    const before = scene.service.requests.length;
    const concurrentResult = await scene.boh(
      ...(commandLines[name]?.(scene) ?? []),
      ...(name === 'import' || name === 'apply' ? ['--no-ledger'] : []),
    );
    expect([concurrentResult.exitCode, concurrentResult.stdout], concurrentResult.stderr).toEqual([8, '']);
    expect(failureOf(concurrentResult)).toMatchObject({
      message: expect.stringMatching(/^The lock .* can't grow: the disk is full\.$/),
      hint: 'Free some space, then try again.',
      outcome: 'not_sent',
    });
    expect(
      scene.service.requests.slice(before).filter((requestLine) => !requestLine.startsWith('GET ')),
    ).toEqual([]);
    disk.empty();
    expect(readdirSync(join(scene.env.BOH_CONFIG_DIR, 'locks'))).toEqual([]);
  },
);

/** Creates and deletes a customer with the first phone number, and returns its ID. */
async function createDeletedCustomer({ boh }: Scene): Promise<string> {
  const createResult = await boh('customers', 'create', '--name', 'R', '--phone', phones[0] ?? '', '--json');
  const { id } = JSON.parse(createResult.stdout);
  await boh('customers', 'delete', id, '--yes');
  return id;
}

test('restore: waits for an import that looks for deleted records, and creates no duplicate key', async () => {
  const scene = await newScene();
  const id = await createDeletedCustomer(scene);
  // The import reads two lists: a record that is restored in between is in neither of them.
  const delayed = scene.service.delay(/^GET \/customers.*is_deleted/);
  const first = scene.start(...(commandLines.import?.(scene) ?? []), '--on-deleted', 'restore');
  await delayed.waitForRequests();
  const second = scene.start('customers', 'restore', id);
  await Promise.race([second.waitForStderr(/Waiting for boh customers import/), second.ended]);
  expect((await scene.boh('customers', 'restore', id, '--no-wait')).exitCode).toBe(8);
  delayed.release();
  expect(await exitCodeOf(first)).toBe(0);
  // The import has restored the record by then.
  expect((await second.ended).exitCode).toBe(5);
  expect(await scene.storedPhones()).toEqual([...phones].sort());
});

test.each([
  ['one record', [], 0],
  ['several records', ['another'], 9],
])('import: waits for a running restore of %s', async (_, otherIds, exitCode) => {
  const scene = await newScene();
  const id = await createDeletedCustomer(scene);
  const delayed = scene.service.delay(/^PUT .*restore/);
  const first = scene.start('customers', 'restore', id, ...otherIds, '--yes');
  await delayed.waitForRequests();
  const second = scene.start(...(commandLines.import?.(scene) ?? []), '--on-deleted', 'restore');
  await second.waitForStderr(/Waiting for boh customers restore/);
  delayed.release();
  expect([await exitCodeOf(first), await exitCodeOf(second)]).toEqual([exitCode, 0]);
  expect(await scene.storedPhones()).toEqual([...phones].sort());
});

test('a run: does not wait for another resource or another account; a dry run never waits', async () => {
  const scene = await newScene();
  const { delayed, first } = await startImport(scene);
  const tags = scene.write('tags.yaml', 'tags:\n  - {name: Regular, type: customer}\n');
  expect(await scene.boh('apply', tags, '--yes')).toMatchObject({ exitCode: 0 });
  const dryRunResult = await scene.boh(...(commandLines.import?.(scene) ?? []), '--dry-run');
  expect(dryRunResult).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Waiting for') });
  const { baseUrl, token } = await serveSandbox();
  const env = { ...scene.env, BOH_BASE_URL: baseUrl, BOH_TOKEN: token };
  const otherAccount = await runLine(commandLines.import?.(scene) ?? [], { env });
  expect(otherAccount).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Waiting for') });
  delayed.release();
  expect(await exitCodeOf(first)).toBe(0);
});

test('a waiting run: ends at Ctrl-C and at its deadline, and sends nothing', async () => {
  const scene = await newScene();
  const { delayed, first } = await startImport(scene);
  const waitingRun = scene.start(...(commandLines.import?.(scene) ?? []));
  await waitingRun.waitForStderr(/Waiting for/);
  waitingRun.kill('SIGINT');
  expect(await exitCodeOf(waitingRun)).toBe(130);
  const runWithDeadline = scene.start(...(commandLines.upsert?.(scene) ?? []), '--deadline', '1');
  await runWithDeadline.waitForStderr(/Waiting for/);
  expect(await exitCodeOf(runWithDeadline)).toBe(8);
  delayed.release();
  expect(await exitCodeOf(first)).toBe(0);
  expect(await scene.storedPhones()).toEqual([...phones].sort());
  expect(readdirSync(join(scene.env.BOH_CONFIG_DIR, 'locks'))).toEqual([]);
});

test('a run after a killed run: waits only as long as sent requests may still arrive', async () => {
  const scene = await newScene();
  const { delayed, first } = await startImport(scene);
  const second = scene.start(...(commandLines.import?.(scene) ?? []));
  await second.waitForStderr(/Waiting for boh customers import/);
  first.kill('SIGKILL');
  await first.ended;
  await second.waitForStderr(/boh customers import was interrupted: waiting for/);
  // Requests of the killed process reach the service after its end.
  delayed.release();
  expect(await exitCodeOf(second)).toBe(0);
  expect(await scene.storedPhones()).toEqual([...phones].sort());
});

test('runs resume: waits for a run of the same resource, and skips records which that run created', async () => {
  const scene = await newScene();
  const { delayed, first } = await startImport(scene);
  first.kill('SIGINT');
  expect(await exitCodeOf(first)).toBe(130);
  delayed.release();
  const [run] = JSON.parse((await scene.boh('runs', 'list', '--json')).stdout);
  const secondDelay = scene.service.delay(/^POST \/customers/);
  const second = scene.start('apply', scene.files.yaml, '--yes');
  await secondDelay.waitForRequests();
  const resume = scene.start('runs', 'resume', run.id, '--yes');
  await resume.waitForStderr(/Waiting for boh apply/);
  secondDelay.release();
  expect(await exitCodeOf(second)).toBe(0);
  // Rows whose records exist by now are reported as skipped.
  expect([0, 9]).toContainEqual(await exitCodeOf(resume));
  expect(await scene.storedPhones()).toEqual([...phones].sort());
});

test.each(['import', 'apply', 'upsert', 'create --if-missing'])(
  '%s on two machines at once: reports duplicate records, even after a short run',
  async (name) => {
    const scene = await newScene();
    const line = [
      ...(commandLines[name]?.(scene) ?? []),
      ...(name === 'import' || name === 'apply' ? ['--concurrency', '1'] : []),
    ];
    const delayed = scene.service.delay(/^POST \/customers/);
    const processes = ['first', 'second'].map((machine) =>
      startBoh([...line, '--quiet'], { ...scene.env, BOH_CONFIG_DIR: join(scene.folder, machine) }),
    );
    await delayed.waitForRequests(2);
    delayed.release();
    const results = await Promise.all(processes.map(({ ended }) => ended));
    const messages = results.map(({ stderr }) => stderr).join('');
    expect(messages).toMatch(
      /now exists? twice: someone else created the same|2 customers now have this key/,
    );
  },
);

test(
  'three runs at once, one of them killed: create each record once',
  async () => {
    const draw = randomNumbers(33);
    const scene = await newScene();
    for (let round = 0; round < repetitions(3, 60); round++) {
      // After the first round the records exist but are deleted. If the apply is first, it restores them.
      const delayed = scene.service.delay(/^(POST|PUT) \/customers/);
      const runs = ['import', 'apply', 'upsert'].map((name) =>
        scene.start(...(commandLines[name]?.(scene) ?? [])),
      );
      await delayed.waitForRequests();
      runs[Math.floor(draw() * runs.length)]?.kill('SIGKILL');
      delayed.release();
      await Promise.all(runs.map(({ ended }) => ended));
      expect((await scene.boh(...(commandLines.import?.(scene) ?? []))).exitCode).toBe(0);
      expect(await scene.storedPhones(), `round ${round}`).toEqual([...phones].sort());
      const customers = JSON.parse((await scene.boh('customers', 'list', '--all', '--json')).stdout);
      const createdCustomers = customers.filter(({ phone }: { phone: string | null }) =>
        phone?.startsWith('99888'),
      );
      await scene.boh(
        'customers',
        'delete',
        ...createdCustomers.map(({ id }: { id: string }) => id),
        '--yes',
      );
    }
  },
  repetitionsTimeoutMs,
);
