/** Names kept for Tab: for some minutes from the moment they came, and not from moments to come. */
import { mkdtempSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openRecordCache } from '../../src/commands/completion/record-cache.ts';
import { home } from '../harness/own-home.ts';

const now = Date.UTC(2026, 10, 20, 12);
const records = [{ id: '1', title: 'Fresh Farms', names: ['Fresh Farms'] }];

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
afterEach(() => void vi.useRealTimers());

test.each([
  ['of this very moment, which files know by parts of a millisecond', 0.7, records],
  ['of a while ago', -4 * 60_000, records],
  ['that have had their time', -5 * 60_000, undefined],
  ['of a moment to come', 60_000, undefined],
])('names %s', (_, ms, expected) => {
  const folder = mkdtempSync(join(home, 'names-'));
  const cache = openRecordCache({ BOH_CONFIG_DIR: folder }, 'an account', 'suppliers');
  cache.put(records);
  const kept = join(folder, 'cache', 'completion');
  for (const file of readdirSync(kept)) utimesSync(join(kept, file), now / 1000, (now + ms) / 1000);
  expect(cache.get()).toEqual(expected);
});
