/**
 * The manifest of the packed program, which replaces the checkout's while npm packs: people who install boh need no
 * scripts and none of the libraries that it is built from. `npm pack` calls it before (`put`) and after (`take-back`).
 * Where npm ends in between, however it ends, a process that waits for that (`guard`) restores the checkout's.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../root.ts';
import { ownerFact } from './facts.ts';

const manifest = join(root, 'package.json');
const backup = join(root, '.package.json.kept');

/** What is for those who work on boh. */
const ofTheCheckout = ['scripts', 'devDependencies', 'workspaces', 'allowScripts'];

/** Between two looks of the guard, in milliseconds. */
const pauseMs = 50;

const [task, pid] = process.argv.slice(2);
if (task === 'take-back') takeBack();
else if (task === 'guard') await guard(Number(pid));
else put();

function put(): void {
  // Left over where npm was stopped in between, with its guard: that one is whole.
  takeBack();
  const text = readFileSync(manifest, 'utf8');
  const entries = Object.entries(JSON.parse(text) as object);
  const packed = {
    ...Object.fromEntries(entries.filter(([name]) => !ofTheCheckout.includes(name))),
    ...ofTheOwner(),
  };
  writeFileSync(backup, text);
  startGuard();
  writeFileSync(manifest, `${JSON.stringify(packed, undefined, 2)}\n`);
}

/** Returns what release.json adds: the name with the owner's scope, and addresses. Values that aren't set are left out. */
function ofTheOwner(): object {
  const [name, repository, homepage, bugs] = (['npmName', 'repository', 'homepage', 'bugs'] as const).map(
    ownerFact,
  );
  return {
    ...(name && { name }),
    ...(repository && { repository: { type: 'git', url: repository } }),
    ...(homepage && { homepage }),
    ...(bugs && { bugs }),
  };
}

function takeBack(): void {
  if (existsSync(backup)) renameSync(backup, manifest);
}

/** In a session of its own, which Ctrl-C doesn't reach. Where npm can't be found, the next `npm pack` restores it. */
function startGuard(): void {
  const npm = npmAbove(process.ppid);
  if (npm === undefined) return;
  const words = [import.meta.filename, 'guard', `${npm}`];
  spawn(process.execPath, words, { cwd: root, detached: true, stdio: 'ignore' }).unref();
}

/** The id of the npm that has started this, mostly by way of a shell. Undefined where no `ps` tells, as on Windows. */
function npmAbove(pid: number): number | undefined {
  try {
    const processLine = execFileSync('ps', ['-o', 'ppid=,args=', '-p', `${pid}`], { encoding: 'utf8' });
    const [, parent = '0', line = ''] = /^\s*(\d+) (.*)/.exec(processLine) ?? [];
    if (/^(\S*node )?\S*npm\b/.test(line)) return pid;
    return Number(parent) > 1 ? npmAbove(Number(parent)) : undefined;
  } catch {
    return undefined;
  }
}

async function guard(npm: number): Promise<void> {
  while (existsSync(backup) && isAlive(npm)) await sleep(pauseMs);
  takeBack();
}

function isAlive(process_: number): boolean {
  try {
    return process.kill(process_, 0);
  } catch {
    return false;
  }
}
