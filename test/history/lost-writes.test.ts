/** Histories that have lost writes, because the file was damaged, deleted, or replaced with an older copy. */
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
import { createWorkspace, type Workspace } from './sandbox-workspace.ts';

const update = (workspace: Workspace, phone: string) =>
  workspace.boh('suppliers', 'update', 'supplier-1', '--phone', phone);

/** Creates a workspace with three writes that aren't read, so that they stay in the write-ahead log of the file. */
async function workspaceWithThreeWrites(): Promise<Workspace> {
  const workspace = createWorkspace();
  for (const phone of ['1', '2', '3']) await update(workspace, phone);
  return workspace;
}

function fileOf(workspace: Workspace): string {
  const [name = ''] = readdirSync(workspace.history).filter((file) => file.endsWith('.sqlite'));
  return join(workspace.history, name);
}

const numbersIn = async (workspace: Workspace): Promise<number[]> =>
  JSON.parse((await workspace.boh('history', '-o', 'json')).stdout).map(
    ({ number }: { number: number }) => number,
  );

function flipByte(file: string, offset: number): void {
  const bytes = readFileSync(file);
  bytes[offset] = (bytes[offset] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}

/** Functions that damage a history, so that all three writes or the newest are lost. */
const losses: Record<string, (file: string) => void> = {
  'a byte of its log is changed': (file) => flipByte(`${file}-wal`, 200),
  'a byte near the end of its log is changed': (file) =>
    flipByte(`${file}-wal`, readFileSync(`${file}-wal`).length - 9000),
  'its log is deleted': (file) => rmSync(`${file}-wal`),
  'its log is truncated': (file) => truncateSync(`${file}-wal`, 8000),
  'all its files are deleted': (file) => {
    for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
  },
};

describe('a history that has lost writes', () => {
  test.each(Object.entries(losses))('where %s: verify reports the loss', async (_, loseWrites) => {
    const workspace = await workspaceWithThreeWrites();
    loseWrites(fileOf(workspace));
    const result = await workspace.boh('history', 'verify');
    expect(result).toMatchObject({
      exitCode: 8,
      stderr: expect.stringMatching(/has lost (write|the outcomes).*--accept-loss/s),
    });
    expect(JSON.parse(result.stdout)).toMatchObject({ intact: false, lost: [expect.anything()] });
    expect(await workspace.boh('history')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('has lost'),
    });
  });

  test.each(Object.entries(losses))(
    'where %s: the next write reports the loss and gets a new number',
    async (_, loseWrites) => {
      const workspace = await workspaceWithThreeWrites();
      loseWrites(fileOf(workspace));
      expect(await update(workspace, '4')).toMatchObject({
        exitCode: 0,
        stderr: expect.stringMatching(/has lost .*Numbers continue at 4\..*--accept-loss/s),
      });
      expect((await update(workspace, '5')).stderr).not.toContain('has lost');
      expect((await numbersIn(workspace)).slice(0, 2)).toEqual([5, 4]);
      expect(await workspace.boh('history', 'verify')).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining('has lost'),
      });
      const accepted = await workspace.boh('history', 'verify', '--accept-loss', '-o', 'json');
      expect(accepted).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('is intact') });
      expect(JSON.parse(accepted.stdout)).toMatchObject({ intact: true, lost: [expect.anything()] });
      expect(await workspace.boh('undo', '5', '--yes')).toMatchObject({ exitCode: 0 });
      expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true });
    },
  );

  test('verify --accept-loss before the next write: accepts the loss', async () => {
    const workspace = await workspaceWithThreeWrites();
    losses['its log is deleted']?.(fileOf(workspace));
    expect(await workspace.json('history', 'verify', '--accept-loss')).toMatchObject({ intact: true });
    expect((await update(workspace, '4')).stderr).not.toContain('has lost');
    expect(await numbersIn(workspace)).toEqual([4]);
  });
});

describe('an older copy of a history', () => {
  /** Copies the whole folder as a backup would; only `part` is restored. */
  async function workspaceRestoredFrom(
    part: string,
    restorePart: (from: string, to: string) => void,
  ): Promise<Workspace> {
    const workspace = createWorkspace();
    await update(workspace, '1');
    await workspace.boh('history');
    const backup = `${workspace.config}-backup`;
    cpSync(workspace.config, backup, { recursive: true });
    for (const phone of ['2', '3']) await update(workspace, phone);
    restorePart(join(backup, part), join(workspace.config, part));
    rmSync(backup, { recursive: true, force: true });
    return workspace;
  }

  const replace = (from: string, to: string) => {
    rmSync(to, { recursive: true });
    cpSync(from, to, { recursive: true });
  };

  test('with only its folder restored: is recognized, and numbers are not reused', async () => {
    const workspace = await workspaceRestoredFrom('history', replace);
    expect(await workspace.boh('history', 'verify')).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining('has lost writes 2 to 3'),
    });
    expect((await update(workspace, '4')).stderr).toContain('Numbers continue at 4');
    expect(await numbersIn(workspace)).toEqual([4, 1]);
  });

  test('with everything restored: is recognized, and numbers that may be assigned are skipped', async () => {
    const workspace = await workspaceRestoredFrom('.', replace);
    expect(await workspace.boh('history', 'verify')).toMatchObject({
      exitCode: 8,
      stderr: expect.stringMatching(/was restored .*writes after 1 may be missing/s),
    });
    expect((await update(workspace, '4')).stderr).toContain('Numbers continue at 100002');
    expect(await numbersIn(workspace)).toEqual([100_002, 1]);
    expect(await workspace.json('history', 'verify', '--accept-loss')).toMatchObject({ intact: true });
  });
});

describe('a history that has lost nothing', () => {
  test('with a missing, outdated or truncated head file: is intact', async () => {
    const workspace = await workspaceWithThreeWrites();
    const folder = join(workspace.config, 'history-heads');
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
      expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true, lost: [] });
    }
    expect((await update(workspace, '4')).stderr).not.toContain('lost');
    expect(await numbersIn(workspace)).toEqual([4, 3, 2, 1]);
    expect(existsSync(head)).toBe(true);
  });

  test('restored from a complete copy: is intact', async () => {
    const workspace = await workspaceWithThreeWrites();
    cpSync(workspace.history, `${workspace.history}-copy`, { recursive: true });
    rmSync(`${fileOf(workspace)}-wal`);
    expect(await workspace.boh('history', 'verify')).toMatchObject({ exitCode: 8 });
    rmSync(workspace.history, { recursive: true });
    cpSync(`${workspace.history}-copy`, workspace.history, { recursive: true });
    expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true, lost: [], entries: 3 });
  });

  test('with its folder renamed and renamed back: is intact', async () => {
    const workspace = await workspaceWithThreeWrites();
    renameSync(workspace.history, `${workspace.history}-elsewhere`);
    renameSync(`${workspace.history}-elsewhere`, workspace.history);
    expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true, lost: [] });
  });

  test('after many writes: its head file stays short', async () => {
    const workspace = await workspaceWithThreeWrites();
    const folder = join(workspace.config, 'history-heads');
    const [name = ''] = readdirSync(folder);
    const head = join(folder, name);
    writeFileSync(head, readFileSync(head, 'utf8').repeat(200));
    await workspace.boh('history');
    expect(readFileSync(head, 'utf8').length).toBeLessThan(1000);
    expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true, lost: [] });
  });
});
