/** Runs command lines with a sandbox for each test, at times that the test sets. */
import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished, vi } from 'vitest';
import type { BohResult } from '../harness/run-boh.ts';
import { createWorkspace, type Workspace } from '../history/sandbox-workspace.ts';

/** Sets the clock of this process until the end of the test, in UTC: `2027-02-08 01:00`. */
export function setClock(time: string): void {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${time.replace(' ', 'T')}Z`) });
}

/** Opens a sandbox and sets the clock to a time before the change sets of the tests. */
export function openWorkspaceAt(time = '2027-01-01 12:00'): Workspace {
  setClock(time);
  return createWorkspace();
}

/** Creates a change set that changes the cost of tomatoes, which is 4.5. Times are in UTC unless flags set another zone. */
export function createCostSet(
  workspace: Workspace,
  name: string,
  cost: number,
  ...flags: string[]
): Promise<BohResult> {
  const zone = flags.includes('--timezone') ? [] : ['--timezone', 'UTC'];
  const source = ['inventory-items', '--where', 'sku=SKU-001', '--set', `cost=${cost}`];
  return workspace.boh('change', 'create', name, ...source, ...zone, ...flags);
}

/** Returns the cost of tomatoes. */
export async function readCost(workspace: Workspace): Promise<number> {
  return workspace.json('inventory-items', 'get', '@SKU-001', '--query', 'cost');
}

/** Runs the change sets that are due at a time. Returns the exit code, and the name, kind and outcome of each action. */
export async function runDueSets(workspace: Workspace, time: string, ...flags: string[]) {
  setClock(time);
  const { exitCode, stdout, stderr } = await workspace.boh('change', 'run', ...flags);
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
export async function readStates(workspace: Workspace): Promise<Record<string, string>> {
  const sets: { name: string; state: string }[] = await workspace.json('change', 'list');
  return Object.fromEntries(sets.map(({ name, state }) => [name, state]));
}

/** Returns a second machine that uses the same account and the same change sets, but has its own history. */
export function openSecondMachine(firstMachine: Workspace): Workspace {
  const secondWorkspace = createWorkspace();
  rmSync(join(secondWorkspace.config, 'sandboxes'), { recursive: true, force: true });
  symlinkSync(join(firstMachine.config, 'sandboxes'), join(secondWorkspace.config, 'sandboxes'));
  const file = join(secondWorkspace.account, 'history.sqlite');
  cpSync(join(firstMachine.account, 'history.sqlite'), file);
  const database = new DatabaseSync(file);
  database.exec(
    'DELETE FROM entries; DELETE FROM outcomes; DELETE FROM commands; UPDATE sqlite_sequence SET seq = 0',
  );
  database.close();
  return secondWorkspace;
}
