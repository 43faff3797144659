/** Damages the files of a sandbox: commands must use them or report the damage, in time. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { runBoh } from '../harness/run-boh.ts';
import {
  anyBytes,
  anyJson,
  anyObject,
  anyValue,
  expectResultOrMessage,
  writePrivateFile,
} from './any-content.ts';

/** The page size of SQLite in bytes. */
const pageBytes = 4096;

/** The kinds of damage: bytes or pages are lost, changed or replaced. A change has two positions, a byte and a kind. */
const damageKinds = ['set', 'cut', 'zero', 'insert', 'zero page', 'other page'] as const;
type Change = [number, number, number, (typeof damageKinds)[number]];

const position = fc.oneof(fc.nat(1_000_000), fc.nat(200), fc.nat(3 * pageBytes));
const changes = fc.array(fc.tuple(position, position, fc.nat(255), fc.constantFrom(...damageKinds)), {
  minLength: 1,
  maxLength: 4,
});

function applyDamage(bytes: Buffer, [firstPosition, secondPosition, byte, kind]: Change): Buffer {
  const [offset, otherOffset] = [firstPosition % bytes.length, secondPosition % bytes.length];
  const [pageStart, otherPageStart] = [
    offset - (offset % pageBytes),
    otherOffset - (otherOffset % pageBytes),
  ];
  if (kind === 'cut') return bytes.subarray(0, Math.max(1, offset));
  if (kind === 'insert')
    return Buffer.concat([bytes.subarray(0, offset), Buffer.from([byte]), bytes.subarray(offset)]);
  if (kind === 'set') bytes[offset] = byte;
  if (kind === 'zero') bytes.fill(0, offset, Math.min(bytes.length, offset + byte));
  if (kind === 'zero page') bytes.fill(0, pageStart, Math.min(bytes.length, pageStart + pageBytes));
  if (kind === 'other page')
    bytes.subarray(otherPageStart, otherPageStart + pageBytes).copy(bytes, pageStart);
  return bytes;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-databases-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('damaged files of a sandbox', () => {
  let intactBytes: Buffer;
  let database: string;
  let snapshot: string;
  beforeAll(async () => {
    const setupFolder = mkdtempSync(join(tmpdir(), 'boh-whole-'));
    const env = { BOH_CONFIG_DIR: setupFolder };
    await runBoh(['sandbox', 'reset', '--empty', '--yes'], { env });
    await runBoh(['--sandbox', 'suppliers', 'create', '--name', 'One'], { env });
    await runBoh(['sandbox', 'snapshot', 'save', 'one'], { env });
    intactBytes = readFileSync(join(setupFolder, 'sandboxes', 'snapshots', 'one.sqlite'));
    rmSync(setupFolder, { recursive: true });
    database = join(folder, 'sandboxes', 'default.sqlite');
    snapshot = join(folder, 'sandboxes', 'snapshots', 'one.sqlite');
  });

  const commandLines = [
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

  /** Damage that once caused an internal error: another version, format or encoding in the file's header. */
  const regressionCases: [Change[], 'database' | 'snapshot', string][] = [
    [[[63, 0, 0, 'set']], 'database', '--sandbox suppliers list'],
    [[[63, 0, 0, 'set']], 'snapshot', ''],
    [[[47, 0, 17, 'set']], 'snapshot', ''],
    [[[59, 0, 104, 'set']], 'snapshot', ''],
  ];

  it('database and snapshot: are used or reported as damaged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 8, arbitrary: changes }, anyBytes),
        fc.constantFrom('database', 'snapshot', 'wal'),
        fc.constantFrom(...commandLines),
        async (content, damagedFile, line) => {
          const bytes = Array.isArray(content)
            ? content.reduce(applyDamage, Buffer.from(intactBytes))
            : content;
          rmSync(join(folder, 'sandboxes'), { recursive: true, force: true });
          writePrivateFile(database, damagedFile === 'database' ? bytes : intactBytes);
          if (damagedFile === 'wal') writePrivateFile(`${database}-wal`, bytes);
          if (damagedFile === 'snapshot') writePrivateFile(snapshot, bytes);
          await expectResultOrMessage(
            damagedFile === 'snapshot' ? 'sandbox snapshot restore one --yes' : line,
            {
              BOH_CONFIG_DIR: folder,
            },
          );
          if (damagedFile === 'snapshot')
            await expectResultOrMessage('sandbox snapshot list', { BOH_CONFIG_DIR: folder });
        },
      ),
      { numRuns: 60, examples: regressionCases },
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

  it('file of faults: is accepted or refused with a message', async () => {
    rmSync(join(folder, 'sandboxes'), { recursive: true, force: true });
    writePrivateFile(database, intactBytes);
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: anyJson(plan) }, anyBytes), async (bytes) => {
        const file = join(folder, 'faults.yaml');
        writePrivateFile(file, bytes);
        await expectResultOrMessage(`sandbox faults set ${file}`, { BOH_CONFIG_DIR: folder });
      }),
      { numRuns: 100 },
    );
  });
});
