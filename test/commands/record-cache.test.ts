/** The names that are cached for completion are used for five minutes. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openRecordCache } from '../../src/cli/commands/completion/records.ts';
import { home } from '../harness/home-folder.ts';

const now = Date.UTC(2026, 10, 20, 12);
const records = [{ id: '1', title: 'Fresh Farms', names: ['Fresh Farms'] }];

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
afterEach(() => void vi.useRealTimers());

test.each([
  ['stored now', 'are used', 0, records],
  ['stored 4 minutes ago', 'are used', -4 * 60_000, records],
  ['stored 5 minutes ago', 'are ignored', -5 * 60_000, undefined],
  ['stored in the future', 'are ignored', 60_000, undefined],
])('cached names %s: %s', (_, _outcome, ms, expected) => {
  const folder = mkdtempSync(join(home, 'names-'));
  const cache = openRecordCache({ BOH_CONFIG_DIR: folder }, 'an account', 'suppliers');
  vi.setSystemTime(now + ms);
  cache.put(records);
  vi.setSystemTime(now);
  expect(cache.get()).toEqual(expected);
});
