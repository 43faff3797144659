/** Writes arbitrary content to every kind of file that boh reads: it must be read or refused with a message, in time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { settingNames } from '../../src/account/settings/setting-definitions.ts';
import { fc } from '../harness/fast-check.ts';
import { type Recorder, startRecorder } from '../harness/recorder.ts';
import {
  anyBytes,
  anyJson,
  anyObject,
  anyValue,
  expectResultOrMessage,
  prototypeNames,
  writePrivateFile,
} from './any-content.ts';

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

const account = () => ({ BOH_CONFIG_DIR: folder, BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl });

describe('file with any content', () => {
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
      profiles: fc.oneof(
        fc.dictionary(fc.constantFrom('a', 'a', 'b', ...prototypeNames, ''), profile),
        anyValue,
      ),
      defaults: fc.oneof(profile, anyValue),
    }),
  );

  it('settings: are read or refused with a message', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 6, arbitrary: anyJson(config) }, anyBytes),
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
          writePrivateFile(join(folder, 'config.json'), bytes);
          await expectResultOrMessage(line, { BOH_CONFIG_DIR: folder });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('input of a request: is read or refused with a message', async () => {
    const path = () => join(folder, 'input');
    const body = anyObject(['id', 'name', 'code', 'tags', 'items', 'phone']);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 2, arbitrary: anyJson(fc.oneof(body, fc.array(body))) }, anyBytes),
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
          writePrivateFile(path(), bytes);
          await expectResultOrMessage(line.replace('FILE', path()), account());
        },
      ),
      { numRuns: 200 },
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
      ...prototypeNames,
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
          ...prototypeNames,
        ),
        { minLength: 1, maxLength: 4 },
      ),
      fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 4 }),
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('\n', '\r\n', '\r', '\n\n'),
    )
    .map(([header, rows, delimiter, lineBreak]) =>
      Buffer.from([header, ...rows].map((row) => row.join(delimiter)).join(lineBreak)),
    );

  it('rows of an import: are read or refused with a message', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          { weight: 3, arbitrary: csv },
          anyJson(fc.array(anyObject(['id', 'name', 'tags', '_command']))),
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
        async (bytes, extension, flags) => {
          const file = join(folder, `rows.${extension}`);
          writePrivateFile(file, bytes);
          await expectResultOrMessage(`suppliers import ${file}${flags} --yes`, account());
        },
      ),
      { numRuns: 150 },
    );
  });

  it('cached files: are read or refused with a message', async () => {
    const cacheContent = anyObject(
      ['at', 'scopes', 'key', 'a'],
      anyObject(['at', 'scopes', 'id', 'name', 'title', 'names', 'status']),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(anyJson(cacheContent), anyJson(anyValue), anyBytes),
        fc.constantFrom('whoami.json', 'refused.json', 'references.json', 'sign-in.json'),
        fc.constantFrom(
          'suppliers list',
          'auth scopes',
          'suppliers create --name x',
          'auth status',
          'auth login --no-input',
        ),
        async (bytes, name, line) => {
          writePrivateFile(join(folder, 'cache', name), bytes);
          await expectResultOrMessage(line, account());
        },
      ),
      { numRuns: 100 },
    );
  });
});
