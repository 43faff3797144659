import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isBusy } from '../../src/storage/failures.ts';
import { hold } from '../../src/storage/hold.ts';

function naming() {
  const folder = mkdtempSync(join(tmpdir(), 'boh-hold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { file: join(folder, 'deep', 'file'), called: 'The file', remedy: 'Wait.' };
}

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('a file is held once, and again as soon as it is given back', () => {
  const file = naming();
  const held = hold(file);
  expect(isBusy(failureOf(() => hold(file)))).toBe(true);
  held.release();
  hold(file).release();
});

test('what is cleared leaves nothing behind, and can be held anew', () => {
  const file = naming();
  const held = hold(file);
  held.clear();
  expect(readdirSync(join(file.file, '..'))).toEqual([]);
  const again = hold(file);
  expect(isBusy(failureOf(() => hold(file)))).toBe(true);
  again.release();
});

/** A process that holds the file, without keeping what it was answered, once its memory was collected. */
async function holder(file: ReturnType<typeof naming>) {
  const module = new URL('../../src/storage/hold.ts', import.meta.url).href;
  const script = `import { hold } from ${JSON.stringify(module)}; hold(${JSON.stringify(file)}); setTimeout(() => { gc(); console.log('held'); }); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('a file is held though nobody keeps the hold', async () => {
  const file = naming();
  await holder(file);
  expect(isBusy(failureOf(() => hold(file)))).toBe(true);
});

test('a process that is killed holds nothing any more', async () => {
  const file = naming();
  const child = await holder(file);
  expect(isBusy(failureOf(() => hold(file)))).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  hold(file).release();
});
