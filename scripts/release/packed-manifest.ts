/**
 * Replaces package.json with the manifest of the package while npm packs: without scripts and development dependencies.
 * `npm pack` runs it before (`replace`) and after (`restore`). If npm is killed in between, a background process
 * (`guard`) restores package.json.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessRunning } from '../../src/base/is-running.ts';
import { root } from '../root.ts';
import { releaseSetting } from './release-settings.ts';

const manifest = join(root, 'package.json');
const backup = join(root, '.package.json.kept');

/** The keys for development, which the package doesn't have. */
const developmentKeys = ['scripts', 'devDependencies', 'workspaces', 'allowScripts'];

/** The interval in which the guard checks npm. */
const checkIntervalMs = 50;

const [task, pid] = process.argv.slice(2);
if (task === 'restore') restore();
else if (task === 'guard') await guard(Number(pid));
else replace();

function replace(): void {
  // Restores the backup of an interrupted `npm pack` whose guard was killed too.
  restore();
  const text = readFileSync(manifest, 'utf8');
  const entries = Object.entries(JSON.parse(text) as object);
  const packageManifest = {
    ...Object.fromEntries(entries.filter(([name]) => !developmentKeys.includes(name))),
    ...ownerKeys(),
  };
  writeFileSync(backup, text);
  startGuard();
  writeFileSync(manifest, `${JSON.stringify(packageManifest, undefined, 2)}\n`);
}

/** Returns the keys from release.json: the name with the owner's scope, and URLs. Values that aren't set are omitted. */
function ownerKeys(): object {
  const [name, repository, homepage, bugs] = (['npmName', 'repository', 'homepage', 'bugs'] as const).map(
    releaseSetting,
  );
  return {
    ...(name && { name }),
    ...(repository && { repository: { type: 'git', url: repository } }),
    ...(homepage && { homepage }),
    ...(bugs && { bugs }),
  };
}

function restore(): void {
  if (existsSync(backup)) renameSync(backup, manifest);
}

/** Starts the guard in a new session, which Ctrl-C doesn't reach. Without it, the next `npm pack` restores package.json. */
function startGuard(): void {
  const npmPid = findNpm(process.ppid);
  if (npmPid === undefined) return;
  const args = [import.meta.filename, 'guard', `${npmPid}`];
  spawn(process.execPath, args, { cwd: root, detached: true, stdio: 'ignore' }).unref();
}

/** Returns the ID of the parent npm process, usually above a shell. Returns undefined without `ps`, as on Windows. */
function findNpm(processId: number): number | undefined {
  try {
    const output = execFileSync('ps', ['-o', 'ppid=,args=', '-p', `${processId}`], { encoding: 'utf8' });
    const [, parent = '0', line = ''] = /^\s*(\d+) (.*)/.exec(output) ?? [];
    if (/^(\S*node )?\S*npm\b/.test(line)) return processId;
    return Number(parent) > 1 ? findNpm(Number(parent)) : undefined;
  } catch {
    return undefined;
  }
}

async function guard(npmPid: number): Promise<void> {
  while (existsSync(backup) && isProcessRunning(npmPid)) await sleep(checkIntervalMs);
  restore();
}
