/** Runs command lines against a sandbox of the test's own, at times that the test chooses. */
import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { Ran } from '../harness/run-boh.ts';
import { newPlace, type Place } from '../history/boh-in-sandbox.ts';

/** Sets the clock of this machine until the test has finished, in UTC: `2027-02-08 01:00`. */
export function clock(time: string): void {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${time.replace(' ', 'T')}Z`) });
}

/** Returns a place at a time, long before the change sets of the tests. */
export function placeAt(time = '2027-01-01 12:00'): Place {
  clock(time);
  return newPlace();
}

/** Creates a set that sets the cost of tomatoes (4.5 before), in UTC unless other flags say so. */
export function costSet(place: Place, name: string, cost: number, ...flags: string[]): Promise<Ran> {
  const zone = flags.includes('--timezone') ? [] : ['--timezone', 'UTC'];
  const source = ['inventory-items', '--where', 'sku=SKU-001', '--set', `cost=${cost}`];
  return place.boh('change', 'create', name, ...source, ...zone, ...flags);
}

/** Returns the cost of tomatoes. */
export async function costIn(place: Place): Promise<number> {
  return place.json('inventory-items', 'get', '@SKU-001', '--query', 'cost');
}

/** Runs what is due at a time. Returns the exit code, and for each act its name, kind and outcome. */
export async function runAt(place: Place, time: string, ...flags: string[]) {
  clock(time);
  const { exitCode, stdout, stderr } = await place.boh('change', 'run', ...flags);
  const reports: { name: string; act: string; outcome: string; left: string[]; message: string }[] =
    JSON.parse(stdout || '[]');
  return {
    exitCode,
    stderr,
    reports,
    acts: reports.map(({ name, act, outcome }) => `${name} ${act} ${outcome}`),
  };
}

/** Returns the states of all sets by name. */
export async function statesOf(place: Place): Promise<Record<string, string>> {
  const sets: { name: string; state: string }[] = await place.json('change', 'list');
  return Object.fromEntries(sets.map(({ name, state }) => [name, state]));
}

/** Returns a second machine at the same account: with the same change sets, and with a history of its own. */
export function secondMachine(first: Place): Place {
  const second = newPlace();
  rmSync(join(second.config, 'sandboxes'), { recursive: true, force: true });
  symlinkSync(join(first.config, 'sandboxes'), join(second.config, 'sandboxes'));
  cpSync(join(first.config, 'changes'), join(second.config, 'changes'), { recursive: true });
  return second;
}
