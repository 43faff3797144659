/** Tests files of sandboxes: they are created once, shared by processes, and never overwritten if they can't be used. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { openFile } from '../../src/base/storage/open.ts';
import { openSandbox, resetSandbox } from '../../src/sandbox/service.ts';
import { sandboxFormat } from '../../src/sandbox/store/open.ts';
import { sandboxFile } from '../../src/sandbox/store/sandbox-files.ts';
import { fingerprintOf, schemaOf } from '../../src/sandbox/store/schema.ts';
import { Tables } from '../../src/sandbox/store/tables.ts';
import { hintContaining } from '../harness/hint.ts';
import { Client } from './client.ts';

/** The demo business, created once for the tests that don't create it themselves. */
const templates = mkdtempSync(join(tmpdir(), 'boh-template-'));
const template = join(templates, 'demo.sqlite');
beforeAll(async () => (await openSandbox({ api, file: template })).close());
afterAll(() => rmSync(templates, { recursive: true, force: true, maxRetries: 10 }));

function useTemplate(): void {
  mkdirSync(join(folder, 'inside'));
  copyFileSync(template, file);
}

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-sandbox-'));
  file = join(folder, 'inside', 'demo.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const script = fileURLToPath(new URL('open-once.ts', import.meta.url));
const run = async (name: string, count: number): Promise<number[]> => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, file, name, String(count)]);
  return JSON.parse(stdout);
};

async function withSandbox<T>(work: (client: Client) => T | Promise<T>): Promise<T> {
  const sandbox = await openSandbox({ api, file });
  try {
    return await work(new Client(sandbox));
  } finally {
    sandbox.close();
  }
}

describe("a sandbox's file", () => {
  it('is created when first opened, and keeps what was written', async () => {
    const id = await withSandbox((client) => client.post('/tags', { name: 'Kept', type: 1 }).json.data.id);
    expect(await withSandbox((client) => client.get(`/tags/${id}`).json.data.name)).toBe('Kept');
    expect(readdirSync(join(folder, 'inside'))).toEqual(['demo.sqlite']);
  });

  it('is created once by concurrent processes, without losing writes', async () => {
    const statuses = await Promise.all(['a', 'b', 'c'].map((name) => run(name, 20)));
    expect(statuses.flat()).toEqual(Array(60).fill(201));
    await withSandbox((client) => {
      expect(client.sandbox.status().records.tags?.active).toBe(16 + 60);
      expect(client.sandbox.database.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    });
    expect(readdirSync(join(folder, 'inside'))).toEqual(['demo.sqlite']);
  });

  it('is opened with PRAGMA synchronous FULL if isDurable, otherwise NORMAL', async () => {
    const synchronous = async (isDurable: boolean) => {
      const sandbox = await openSandbox({ api, file, isDurable });
      const mode = sandbox.database.get('PRAGMA synchronous')?.synchronous;
      sandbox.close();
      return mode;
    };
    // SQLite's FULL and NORMAL.
    expect([await synchronous(true), await synchronous(false)]).toEqual([2, 1]);
  });

  it('returns writes of another connection immediately', async () => {
    useTemplate();
    await withSandbox(async (client) => {
      await withSandbox((otherClient) => otherClient.post('/tags', { name: 'From the other', type: 1 }));
      expect(client.get('/tags?filter[name]=from the other').json.data).toHaveLength(1);
    });
  });
});

describe('tokens', () => {
  beforeEach(useTemplate);

  it("from createToken work after reopening the file; the temporary owner token doesn't", async () => {
    const tokens = await withSandbox(({ sandbox }) => [
      sandbox.createToken({ scopes: ['general.read'] }),
      sandbox.ownerToken(),
    ]);
    const statuses = await withSandbox(({ sandbox }) =>
      tokens.map((token) => new Client(sandbox, token).get('/tags').status),
    );
    expect(statuses).toEqual([200, 401]);
  });
});

describe('a reset', () => {
  beforeEach(useTemplate);

  it('replaces the data with the demo business, or with an empty sandbox', async () => {
    await withSandbox((client) => client.post('/tags', { name: 'Gone soon', type: 1 }));
    expect(await resetSandbox({ api, file, empty: true })).toBeUndefined();
    const countRecords = () => withSandbox(({ sandbox }) => sandbox.status().records);
    expect(await countRecords()).toMatchObject({ tags: { active: 0 }, customers: { active: 0 } });
    await resetSandbox({ api, file });
    expect(await countRecords()).toMatchObject({ tags: { active: 16 }, customers: { active: 200 } });
    await withSandbox((client) => {
      expect(client.get('/tags?filter[name]=gone').json.data).toEqual([]);
      expect(client.get('/customers?filter[name]=Huda').json.data).toHaveLength(1);
    });
  });

  it('changes the same number of rows, independent of the amount of data', async () => {
    const changes = await withSandbox(async ({ sandbox }) => {
      const { database } = sandbox;
      const totalChanges = () => Number(database.get('SELECT total_changes() AS number')?.number);
      const reset = async () => {
        const before = totalChanges();
        await sandbox.reset({ empty: true });
        return totalChanges() - before;
      };
      const changesOfFirstReset = await reset();
      database.run(
        `INSERT INTO customers (id, name) WITH RECURSIVE numbers (number) AS (
           SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 5000
         ) SELECT 'c' || number, 'C' FROM numbers`,
      );
      return [changesOfFirstReset, await reset()];
    });
    expect(changes[1]).toBe(changes[0]);
  });

  it('is visible to connections that have the sandbox open', async () => {
    await withSandbox(async (client) => {
      await resetSandbox({ api, file, empty: true });
      expect(client.get('/customers').json.data).toEqual([]);
    });
  });
});

describe("a file that can't be used", () => {
  const damages: [string, () => void][] = [
    ['a text file', () => writeFileSync(file, 'This is a text file. '.repeat(100))],
    ['truncated', () => truncateSync(file, 10_000)],
    ['truncated within the header', () => truncateSync(file, 50)],
    ['from another version', () => pragma('user_version = 2')],
    ['from another program', () => pragma('application_id = 7')],
  ];
  const pragma = (setting: string) => {
    const database = new DatabaseSync(file);
    database.exec(`PRAGMA ${setting}`);
    database.close();
  };

  it.each(damages)('that is %s is not changed, until a reset renames it', async (_, damage) => {
    useTemplate();
    damage();
    const bytes = readFileSync(file);
    const listing = withSandbox((client) => client.get('/customers'));
    await expect(listing).rejects.toMatchObject({
      category: 'unavailable',
      message: expect.stringContaining(file),
      details: { hint: hintContaining('boh sandbox reset') },
    });
    expect(readFileSync(file).equals(bytes)).toBe(true);
    const renamedFile = await resetSandbox({ api, file });
    expect(readFileSync(String(renamedFile)).equals(bytes)).toBe(true);
    expect(await withSandbox((client) => client.get('/customers').json.meta.total)).toBe(200);
  });

  it('whose folder is a regular file is reported', async () => {
    writeFileSync(join(folder, 'inside'), 'A file where a folder should be');
    await expect(openSandbox({ api, file })).rejects.toMatchObject({ category: 'unavailable' });
  });
});

describe('the name of a sandbox', () => {
  it('is a file in the folder of sandboxes', () => {
    expect(sandboxFile({ BOH_CONFIG_DIR: '/somewhere' }, 'demo')).toBe('/somewhere/sandboxes/demo.sqlite');
    expect(sandboxFile({}, 'branch-2')).toMatch(/boh.sandboxes.branch-2\.sqlite$/);
  });

  it.each(['', '.', '..', '../x', 'a/b', 'a\\b', 'a\0', '-x', 'x'.repeat(65)])('is refused: %j', (name) => {
    expect(() => sandboxFile({}, name)).toThrow("isn't a valid name");
  });
});

it('a file with the current fingerprint: is opened without deriving the schema of its tables', () => {
  const { all } = new Tables(api);
  openFile(
    file,
    sandboxFormat(file, () => all),
  ).close();
  const failIfCalled = (): never => {
    throw new Error('the tables were derived');
  };
  openFile(file, sandboxFormat(file, failIfCalled, fingerprintOf(schemaOf(all)))).close();
  expect(() => openFile(file, sandboxFormat(file, failIfCalled, 'of another API'))).toThrow(
    'the tables were derived',
  );
});
