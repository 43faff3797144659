/** Whatever stands in a file that boh reads, its own ones too: it is taken, or told in words, in time. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingNames } from '../../src/settings/setting-list.ts';
import { fc } from '../harness/fast-check.ts';
import { type Recorder, startRecorder } from '../harness/recorder.ts';
import { runBoh } from '../harness/run-boh.ts';

const inherited = ['constructor', '__proto__', 'toString'];
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    null,
    '',
    0,
    -1,
    1e300,
    '0',
    'x',
    [],
    {},
    [[]],
    [null],
    'http://127.0.0.1:1',
    true,
    'json',
  ),
);

function anyObject(names: readonly string[], value: fc.Arbitrary<unknown> = anyValue) {
  return fc.dictionary(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...names) },
      fc.string({ maxLength: 6 }),
      fc.constantFrom(...inherited),
    ),
    value,
    { maxKeys: 6 },
  );
}

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((it) => Buffer.from(it)),
  fc.string({ unit: 'binary', maxLength: 100 }).map((it) => Buffer.from(it)),
  fc
    .constantFrom(
      '',
      '\ufeff',
      '{',
      '[',
      '{}',
      '[]',
      'null',
      '0',
      '"',
      '\0',
      '[[[[',
      '{"a":1,"a":2}',
      '\ufeff{}',
      '"\\ud800"',
    )
    .map((it) => Buffer.from(it)),
  fc.constantFrom('{}', '[1]', 'name\nx\n').map((it) => Buffer.from(`\ufeff${it}`, 'utf16le')),
);
const json = (value: fc.Arbitrary<unknown>) => value.map((it) => Buffer.from(JSON.stringify(it)));

/** A whole file of which some bytes were lost or changed. */
function damaged(whole: Buffer) {
  return fc
    .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255), fc.constantFrom('set', 'cut', 'zero', 'insert')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((changes) => {
      let bytes = Buffer.from(whole);
      for (const [at, byte, how] of changes) {
        if (how === 'cut') bytes = bytes.subarray(0, Math.max(1, at));
        else if (how === 'zero') bytes.fill(0, at, at + byte);
        else if (how === 'insert')
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)]);
        else if (at < bytes.length) bytes[at] = byte;
      }
      return bytes;
    });
}

let service: Recorder;
let folder: string;
beforeAll(async () => {
  service = await startRecorder();
  folder = mkdtempSync(join(tmpdir(), 'boh-files-'));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

function put(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, bytes, { mode: 0o600 });
}

async function expectWords(
  line: string,
  given: { env?: Record<string, string>; stdin?: string } = {},
): Promise<void> {
  const { env = {}, stdin = '' } = given;
  const ran = await runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: folder, ...env }, stdin });
  expect([0, 2, 3, 4, 5, 6, 8, 9, 10], `${line}: ${ran.stderr}`).toContain(ran.exitCode);
  expect(ran.stderr, line).not.toMatch(/has a bug|\n\s+at .*:\d+:\d+/);
}

const account = () => ({ BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl });
const options = { timeout: 15_000 };

describe('any file', () => {
  const profile = anyObject([
    ...settingNames,
    'token',
    'client_secret',
    'business_id',
    'business_name',
    'user_name',
    'token_scopes',
    'protected',
  ]);
  const config = fc.oneof(
    anyObject(['version', 'active', 'profiles', 'defaults']),
    fc.record({
      version: fc.constantFrom<unknown>(1, 1, 1, 2, '1', null),
      active: fc.constantFrom<unknown>('a', 'a', 'b', 'constructor', '__proto__', 1, undefined),
      profiles: fc.oneof(fc.dictionary(fc.constantFrom('a', 'a', 'b', ...inherited, ''), profile), anyValue),
      defaults: fc.oneof(profile, anyValue),
    }),
  );

  it('of settings', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 6, arbitrary: json(config) }, anyBytes),
        fc.constantFrom(
          'config list',
          'profiles list',
          'profiles show',
          'auth status',
          'customers list --dry-run --offline',
          'config set output json',
          'profiles use a',
          'auth logout',
          'doctor --dry-run',
          '--profile a whoami --dry-run',
          'profiles add c --base-url http://127.0.0.1:9',
        ),
        async (bytes, line) => {
          rmSync(folder, { recursive: true });
          put(join(folder, 'config.json'), bytes);
          await expectWords(line);
        },
      ),
      { ...options, numRuns: 200 },
    );
  });

  it('of input', async () => {
    const path = () => join(folder, 'input');
    const body = anyObject(['id', 'name', 'code', 'tags', 'items', 'phone']);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 2, arbitrary: json(fc.oneof(body, fc.array(body))) }, anyBytes),
        fc.constantFrom(
          'suppliers create --data @FILE',
          'suppliers update 1 --data @FILE --unchecked',
          'inventory-items update 1 --data @FILE',
          'users create --data @FILE',
          'api POST /suppliers --data @FILE',
          'suppliers create --data @FILE --encoding windows-1256',
          'suppliers create --data @FILE --encoding utf-16le',
          'inventory-items create --data @FILE --dry-run --offline',
        ),
        async (bytes, line) => {
          put(path(), bytes);
          await expectWords(line.replace('FILE', path()), { env: account() });
        },
      ),
      { ...options, numRuns: 200 },
    );
  });

  const cell = fc.oneof(
    fc.constantFrom(
      '',
      'x',
      '1',
      '-1',
      '"',
      '""',
      '=1',
      '\\N',
      'null',
      '@x',
      'true',
      '1e999',
      '2026-02-30',
      '٥',
      '1.000,5',
      ...inherited,
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const csv = fc
    .tuple(
      fc.array(
        fc.constantFrom(
          'id',
          'name',
          'code',
          'tags.name',
          'tags',
          'updated_at',
          '_command',
          'phone',
          '',
          ...inherited,
        ),
        { minLength: 1, maxLength: 4 },
      ),
      fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 4 }),
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('\n', '\r\n', '\r', '\n\n'),
    )
    .map(([header, rows, delimiter, end]) =>
      Buffer.from([header, ...rows].map((row) => row.join(delimiter)).join(end)),
    );

  it('of rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          { weight: 3, arbitrary: csv },
          json(fc.array(anyObject(['id', 'name', 'tags', '_command']))),
          anyBytes,
        ),
        fc.constantFrom('csv', 'ndjson', 'json'),
        fc.constantFrom(
          '',
          ' --mode create',
          ' --mode update --key name',
          ' --mode delete --key id',
          ' --key name --list-mode add',
          ' --dry-run',
          ' --skip-invalid',
          ' --encoding windows-1256',
          ' --delimiter semicolon --decimal comma',
        ),
        async (bytes, ending, flags) => {
          const file = join(folder, `rows.${ending}`);
          put(file, bytes);
          await expectWords(`suppliers import ${file}${flags} --yes`, { env: account() });
        },
      ),
      { ...options, numRuns: 150 },
    );
  });

  it('of names among what boh keeps for itself', async () => {
    const kept = anyObject(
      ['at', 'scopes', 'key', 'a'],
      anyObject(['at', 'scopes', 'id', 'name', 'title', 'names', 'status']),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(json(kept), json(anyValue), anyBytes),
        fc.constantFrom('whoami.json', 'refused.json', 'references.json', 'sign-in.json'),
        fc.constantFrom(
          'suppliers list',
          'auth scopes',
          'suppliers create --name x',
          'auth status',
          'auth login --no-input',
        ),
        async (bytes, name, line) => {
          put(join(folder, 'cache', name), bytes);
          await expectWords(line, { env: account() });
        },
      ),
      { ...options, numRuns: 100 },
    );
  });
});

describe('a sandbox’s files, damaged in any way', () => {
  let whole: Buffer;
  let database: string;
  let snapshot: string;
  beforeAll(async () => {
    const own = mkdtempSync(join(tmpdir(), 'boh-whole-'));
    const env = { BOH_CONFIG_DIR: own };
    await runBoh(['sandbox', 'reset', '--empty', '--yes'], { env });
    await runBoh(['--sandbox', 'suppliers', 'create', '--name', 'One'], { env });
    await runBoh(['sandbox', 'snapshot', 'save', 'one'], { env });
    whole = readFileSync(join(own, 'sandboxes', 'snapshots', 'one.sqlite'));
    rmSync(own, { recursive: true });
    database = join(folder, 'sandboxes', 'default.sqlite');
    snapshot = join(folder, 'sandboxes', 'snapshots', 'one.sqlite');
  });

  const lines = [
    '--sandbox suppliers list',
    '--sandbox suppliers create --name Two',
    'sandbox status',
    'sandbox check',
    'sandbox reset --yes --empty',
    'sandbox events',
    'sandbox settings',
    'sandbox snapshot save two',
    'doctor --dry-run',
    'sandbox clock',
    'sandbox faults show',
    'sandbox token',
  ];

  it('are used, or told to be damaged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 8, arbitrary: fc.constant(0).chain(() => damaged(whole)) }, anyBytes),
        fc.constantFrom('database', 'snapshot', 'wal'),
        fc.constantFrom(...lines),
        async (bytes, which, line) => {
          rmSync(join(folder, 'sandboxes'), { recursive: true, force: true });
          put(database, which === 'database' ? bytes : whole);
          if (which === 'wal') put(`${database}-wal`, bytes);
          if (which === 'snapshot') put(snapshot, bytes);
          await expectWords(which === 'snapshot' ? 'sandbox snapshot restore one --yes' : line);
          if (which === 'snapshot') await expectWords('sandbox snapshot list');
        },
      ),
      { ...options, numRuns: 60 },
    );
  });

  const rule = anyObject([
    'route',
    'fault',
    'probability',
    'nth',
    'status',
    'milliseconds',
    'after_commit',
    'limit',
    'body',
  ]);
  const plan = fc.oneof(
    anyObject(['seed', 'rules'], fc.oneof(fc.array(rule), anyValue)),
    fc.record({ seed: fc.nat(), rules: fc.array(rule, { minLength: 1 }) }),
  );

  it('of faults are taken, or told to be none', async () => {
    rmSync(join(folder, 'sandboxes'), { recursive: true, force: true });
    put(database, whole);
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: json(plan) }, anyBytes), async (bytes) => {
        const file = join(folder, 'faults.yaml');
        put(file, bytes);
        await expectWords(`sandbox faults set ${file}`);
      }),
      { ...options, numRuns: 100 },
    );
  });
});
