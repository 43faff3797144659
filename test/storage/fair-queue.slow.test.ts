/** Waits for a locked file: in order of arrival, up to a timeout, while everything else continues. */
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
let holder: Database;
let turns: FairQueue;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-storage-'));
  file = join(folder, 'ledger.sqlite');
  ledger = openLedger(file);
  holder = openLedger(file);
  turns = new FairQueue();
});
afterEach(() => {
  ledger.close();
  holder.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const moment = () => new Promise(setImmediate);

describe('queued work', () => {
  it('runs at once if the file is free', () => {
    void turns.enqueue(() => write(ledger, 'at once'));
    expect(texts(ledger)).toEqual(['at once']);
  });

  it('waits for a locked file in order of arrival, while timers and reads continue', async () => {
    holder.script('BEGIN IMMEDIATE');
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
      if (ticks === 6) holder.script('COMMIT');
    }, 10);
    const names = Array.from({ length: 20 }, (_, index) => `entry ${index}`);
    const writing = names.map((name) => turns.enqueue(() => write(ledger, name)));
    expect(await turns.readNow(() => texts(ledger))).toEqual([]);
    await Promise.all(writing);
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(5);
    expect(texts(ledger)).toEqual(names);
  });

  it('waits behind earlier work, even if it could run now', async () => {
    holder.script('BEGIN IMMEDIATE');
    const first = turns.enqueue(() => write(ledger, 'first'));
    holder.script('COMMIT');
    const second = turns.enqueue(() => write(ledger, 'second'));
    await Promise.all([first, second]);
    expect(texts(ledger)).toEqual(['first', 'second']);
  });

  it('removes its listeners from the signal when it is done or times out', async () => {
    const { signal } = new AbortController();
    const listening = () => getEventListeners(signal, 'abort').length;
    holder.script('BEGIN IMMEDIATE');
    const given = turns.enqueue(() => write(ledger, 'given up'), { signal, timeoutMs: 20 });
    const done = turns.enqueue(() => write(ledger, 'done'), { signal });
    expect(listening()).toBe(2);
    await expect(given).rejects.toMatchObject({ problem: 'busy' });
    holder.script('COMMIT');
    await done;
    expect(listening()).toBe(0);
  });

  it('fails as busy after its timeout, and other work continues to wait', async () => {
    holder.script('BEGIN IMMEDIATE');
    const short = turns.enqueue(() => write(ledger, 'short'), { timeoutMs: 30 });
    const long = turns.enqueue(() => write(ledger, 'long'));
    await expect(short).rejects.toMatchObject({ problem: 'busy' });
    holder.script('COMMIT');
    await long;
    expect(texts(ledger)).toEqual(['long']);
  });

  it('ends on a signal, at any position in the queue', async () => {
    holder.script('BEGIN IMMEDIATE');
    const stopping = new AbortController();
    const first = turns.enqueue(() => write(ledger, 'first'));
    const stopped = turns.enqueue(() => write(ledger, 'stopped'), { signal: stopping.signal });
    const never = turns.enqueue(() => write(ledger, 'never'), {
      signal: AbortSignal.abort(new Error('over')),
    });
    await expect(never).rejects.toThrow('over');
    stopping.abort(new Error('enough'));
    // The file is still locked: the canceled work doesn't wait for it.
    await expect(stopped).rejects.toThrow('enough');
    holder.script('COMMIT');
    await first;
    expect(texts(ledger)).toEqual(['first']);
  });

  it('that fails for another reason: fails at once and does not block other work', async () => {
    holder.script('BEGIN IMMEDIATE');
    const wrong = turns.enqueue(() => {
      throw new Error('wrong');
    });
    await expect(wrong).rejects.toThrow('wrong');
    const first = turns.enqueue(() => write(ledger, 'first'));
    const behind = turns.enqueue(() => {
      throw new Error('also wrong');
    });
    const last = turns.enqueue(() => write(ledger, 'last'));
    holder.script('COMMIT');
    await expect(behind).rejects.toThrow('also wrong');
    await Promise.all([first, last, moment()]);
    expect(texts(ledger)).toEqual(['first', 'last']);
  });
});
