/** Tests waiting for a locked file: in order of arrival and up to a timeout, without blocking the process. */
import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { FairQueue } from '../../src/storage/fair-queue.ts';
import { openLedger, texts, write } from './ledger.ts';

let folder: string;
let file: string;
let ledger: Database;
let lockingConnection: Database;
let queue: FairQueue;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-storage-'));
  file = join(folder, 'ledger.sqlite');
  ledger = openLedger(file);
  lockingConnection = openLedger(file);
  queue = new FairQueue();
});
afterEach(() => {
  ledger.close();
  lockingConnection.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const nextTurn = () => new Promise(setImmediate);

describe('queued work', () => {
  it('runs immediately if the file is free', () => {
    void queue.enqueue(() => write(ledger, 'immediate'));
    expect(texts(ledger)).toEqual(['immediate']);
  });

  it('waits for a locked file in order of arrival, while timers and reads continue', async () => {
    lockingConnection.script('BEGIN IMMEDIATE');
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
      if (ticks === 6) lockingConnection.script('COMMIT');
    }, 10);
    const names = Array.from({ length: 20 }, (_, index) => `entry ${index}`);
    const writing = names.map((name) => queue.enqueue(() => write(ledger, name)));
    expect(await queue.readNow(() => texts(ledger))).toEqual([]);
    await Promise.all(writing);
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(5);
    expect(texts(ledger)).toEqual(names);
  });

  it('waits for earlier work, even if the file is free', async () => {
    lockingConnection.script('BEGIN IMMEDIATE');
    const first = queue.enqueue(() => write(ledger, 'first'));
    lockingConnection.script('COMMIT');
    const second = queue.enqueue(() => write(ledger, 'second'));
    await Promise.all([first, second]);
    expect(texts(ledger)).toEqual(['first', 'second']);
  });

  it('removes its listeners from the signal when it completes or times out', async () => {
    const { signal } = new AbortController();
    const listenerCount = () => getEventListeners(signal, 'abort').length;
    lockingConnection.script('BEGIN IMMEDIATE');
    const timedOut = queue.enqueue(() => write(ledger, 'timed out'), { signal, timeoutMs: 20 });
    const writing = queue.enqueue(() => write(ledger, 'done'), { signal });
    expect(listenerCount()).toBe(2);
    await expect(timedOut).rejects.toMatchObject({ problem: 'busy' });
    lockingConnection.script('COMMIT');
    await writing;
    expect(listenerCount()).toBe(0);
  });

  it('fails as busy after its timeout, while other work continues to wait', async () => {
    lockingConnection.script('BEGIN IMMEDIATE');
    const short = queue.enqueue(() => write(ledger, 'short'), { timeoutMs: 30 });
    const long = queue.enqueue(() => write(ledger, 'long'));
    await expect(short).rejects.toMatchObject({ problem: 'busy' });
    lockingConnection.script('COMMIT');
    await long;
    expect(texts(ledger)).toEqual(['long']);
  });

  it('is canceled by its signal, at any position in the queue', async () => {
    lockingConnection.script('BEGIN IMMEDIATE');
    const controller = new AbortController();
    const first = queue.enqueue(() => write(ledger, 'first'));
    const canceled = queue.enqueue(() => write(ledger, 'stopped'), { signal: controller.signal });
    const abortedBefore = queue.enqueue(() => write(ledger, 'never'), {
      signal: AbortSignal.abort(new Error('over')),
    });
    await expect(abortedBefore).rejects.toThrow('over');
    controller.abort(new Error('enough'));
    // The file is still locked: the canceled work doesn't wait for it.
    await expect(canceled).rejects.toThrow('enough');
    lockingConnection.script('COMMIT');
    await first;
    expect(texts(ledger)).toEqual(['first']);
  });

  it('that fails for another reason: fails immediately and does not block other work', async () => {
    lockingConnection.script('BEGIN IMMEDIATE');
    const failing = queue.enqueue(() => {
      throw new Error('wrong');
    });
    await expect(failing).rejects.toThrow('wrong');
    const first = queue.enqueue(() => write(ledger, 'first'));
    const failingLater = queue.enqueue(() => {
      throw new Error('also wrong');
    });
    const last = queue.enqueue(() => write(ledger, 'last'));
    lockingConnection.script('COMMIT');
    await expect(failingLater).rejects.toThrow('also wrong');
    await Promise.all([first, last, nextTurn()]);
    expect(texts(ledger)).toEqual(['first', 'last']);
  });
});
