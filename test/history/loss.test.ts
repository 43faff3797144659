/** Histories that have lost writes: the file was damaged, deleted, or replaced by an older copy. */
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newPlace, type Place } from './boh-in-sandbox.ts';

const update = (place: Place, phone: string) =>
  place.boh('suppliers', 'update', 'supplier-1', '--phone', phone);

/** Makes three writes that aren't read, so that they stay in the write-ahead log of the file. */
async function threeWrites(): Promise<Place> {
  const place = newPlace();
  for (const phone of ['1', '2', '3']) await update(place, phone);
  return place;
}

function fileOf(place: Place): string {
  const [name = ''] = readdirSync(place.history).filter((file) => file.endsWith('.sqlite'));
  return join(place.history, name);
}

const numbersIn = async (place: Place): Promise<number[]> =>
  JSON.parse((await place.boh('history', '-o', 'json')).stdout).map(
    ({ number }: { number: number }) => number,
  );

function flipByte(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}

/** Ways to lose all three writes, or the newest of them. */
const losses: Record<string, (file: string) => void> = {
  'a byte of its log is changed': (file) => flipByte(`${file}-wal`, 200),
  'a byte late in its log is changed': (file) =>
    flipByte(`${file}-wal`, readFileSync(`${file}-wal`).length - 9000),
  'its log is deleted': (file) => rmSync(`${file}-wal`),
  'its log is cut short': (file) => truncateSync(`${file}-wal`, 8000),
  'all of it is deleted': (file) => {
    for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
  },
};

describe('a history that has lost writes', () => {
  test.each(Object.entries(losses))('where %s: verify reports the loss', async (_what, lose) => {
    const place = await threeWrites();
    lose(fileOf(place));
    const ran = await place.boh('history', 'verify');
    expect(ran).toMatchObject({
      exitCode: 8,
      stderr: expect.stringMatching(/has lost (write|the outcomes).*--accept-loss/s),
    });
    expect(JSON.parse(ran.stdout)).toMatchObject({ intact: false, lost: [expect.anything()] });
    expect(await place.boh('history')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('has lost'),
    });
  });

  test.each(Object.entries(losses))(
    'where %s: the next write reports the loss and gets a new number',
    async (_what, lose) => {
      const place = await threeWrites();
      lose(fileOf(place));
      expect(await update(place, '4')).toMatchObject({
        exitCode: 0,
        stderr: expect.stringMatching(/has lost .*Numbers continue at 4\..*--accept-loss/s),
      });
      expect((await update(place, '5')).stderr).not.toContain('has lost');
      expect((await numbersIn(place)).slice(0, 2)).toEqual([5, 4]);
      expect(await place.boh('history', 'verify')).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining('has lost'),
      });
      const accepted = await place.boh('history', 'verify', '--accept-loss', '-o', 'json');
      expect(accepted).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('is intact') });
      expect(JSON.parse(accepted.stdout)).toMatchObject({ intact: true, lost: [expect.anything()] });
      expect(await place.boh('undo', '5', '--yes')).toMatchObject({ exitCode: 0 });
      expect(await place.json('history', 'verify')).toMatchObject({ intact: true });
    },
  );

  test('verify --accept-loss before the next write: accepts the loss', async () => {
    const place = await threeWrites();
    losses['its log is deleted']?.(fileOf(place));
    expect(await place.json('history', 'verify', '--accept-loss')).toMatchObject({ intact: true });
    expect((await update(place, '4')).stderr).not.toContain('has lost');
    expect(await numbersIn(place)).toEqual([4]);
  });
});

describe('an older copy of a history', () => {
  /** Copies the whole folder as a backup would; only `part` is restored. */
  async function restored(part: string, putBack: (from: string, to: string) => void): Promise<Place> {
    const place = newPlace();
    await update(place, '1');
    await place.boh('history');
    const backup = `${place.config}-backup`;
    cpSync(place.config, backup, { recursive: true });
    for (const phone of ['2', '3']) await update(place, phone);
    putBack(join(backup, part), join(place.config, part));
    rmSync(backup, { recursive: true, force: true });
    return place;
  }

  const replace = (from: string, to: string) => {
    rmSync(to, { recursive: true });
    cpSync(from, to, { recursive: true });
  };

  test('with only its folder restored: is recognized, and numbers are not reused', async () => {
    const place = await restored('history', replace);
    expect(await place.boh('history', 'verify')).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining('has lost writes 2 to 3'),
    });
    expect((await update(place, '4')).stderr).toContain('Numbers continue at 4');
    expect(await numbersIn(place)).toEqual([4, 1]);
  });

  test('with everything restored: is recognized, and numbers that may be assigned are skipped', async () => {
    const place = await restored('.', replace);
    expect(await place.boh('history', 'verify')).toMatchObject({
      exitCode: 8,
      stderr: expect.stringMatching(/was restored .*writes after 1 may be missing/s),
    });
    expect((await update(place, '4')).stderr).toContain('Numbers continue at 100002');
    expect(await numbersIn(place)).toEqual([100_002, 1]);
    expect(await place.json('history', 'verify', '--accept-loss')).toMatchObject({ intact: true });
  });
});

describe('a history that has lost nothing', () => {
  test('with a missing, outdated or truncated head file: is intact', async () => {
    const place = await threeWrites();
    const folder = join(place.config, 'history-heads');
    const [name = ''] = readdirSync(folder);
    const head = join(folder, name);
    const lines = readFileSync(head, 'utf8');
    for (const text of [
      undefined,
      '',
      '\n',
      lines.slice(0, 90),
      lines.slice(0, -20),
      `${lines}\n[1,`,
      'x'.repeat(5000),
    ]) {
      if (text === undefined) rmSync(head);
      else writeFileSync(head, text);
      expect(await place.json('history', 'verify')).toMatchObject({ intact: true, lost: [] });
    }
    expect((await update(place, '4')).stderr).not.toContain('lost');
    expect(await numbersIn(place)).toEqual([4, 3, 2, 1]);
    expect(existsSync(head)).toBe(true);
  });

  test('restored from a complete copy: is intact', async () => {
    const place = await threeWrites();
    cpSync(place.history, `${place.history}-copy`, { recursive: true });
    rmSync(`${fileOf(place)}-wal`);
    expect(await place.boh('history', 'verify')).toMatchObject({ exitCode: 8 });
    rmSync(place.history, { recursive: true });
    cpSync(`${place.history}-copy`, place.history, { recursive: true });
    expect(await place.json('history', 'verify')).toMatchObject({ intact: true, lost: [], entries: 3 });
  });

  test('with its folder renamed and renamed back: is intact', async () => {
    const place = await threeWrites();
    renameSync(place.history, `${place.history}-elsewhere`);
    renameSync(`${place.history}-elsewhere`, place.history);
    expect(await place.json('history', 'verify')).toMatchObject({ intact: true, lost: [] });
  });

  test('after many writes: its head file stays short', async () => {
    const place = await threeWrites();
    const folder = join(place.config, 'history-heads');
    const [name = ''] = readdirSync(folder);
    const head = join(folder, name);
    writeFileSync(head, readFileSync(head, 'utf8').repeat(200));
    await place.boh('history');
    expect(readFileSync(head, 'utf8').length).toBeLessThan(1000);
    expect(await place.json('history', 'verify')).toMatchObject({ intact: true, lost: [] });
  });
});
