/** Tests the executables as far as this machine can run or read them. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../artifacts/run.ts';
import { armLibraries, has } from '../programs.ts';
import { formatOf } from './executable-format.ts';
import { failed, notHere, type Outcome, ok, outcomeOf } from './row.ts';
import { smokeTest } from './smoke-test.ts';

/** The outcomes of an artifact that is unpacked, not installed by a package manager. */
export interface Tested {
  installed: Outcome;
  smoke: Outcome;
}

/** Unpacks an archive with an executable, and tests it. */
export async function testArchive(file: string, work: string): Promise<Tested> {
  const folder = mkdtempSync(join(work, 'unpacked-'));
  if (file.endsWith('.zip')) run('unzip', ['-q', file, '-d', folder]);
  else run('tar', ['-xzf', file, '-C', folder]);
  const program = join(folder, file.endsWith('.zip') ? 'boh.exe' : 'boh');
  const installed = await outcomeOf(() => `unpacked: ${formatOf(program)}`);
  return { installed, smoke: await smokeOf(file, program, work) };
}

/** Reads the structure of an executable for macOS that isn't signed. */
export async function testUnsigned(file: string): Promise<Tested> {
  const structure = await outcomeOf(() => formatOf(file));
  return {
    installed:
      structure.state === 'ok'
        ? notHere(`only macOS runs it; its structure is right: ${structure.what}`)
        : structure,
    smoke: notHere('macOS programs run on macOS only; the workflow signs them and runs the suite there'),
  };
}

async function smokeOf(file: string, program: string, work: string): Promise<Outcome> {
  const folder = join(work, 'smoke');
  mkdirSync(folder, { recursive: true });
  if (file.includes('-linux-x64')) return outcomeOf(() => smokeTest([program], folder));
  if (file.includes('-linux-arm64')) {
    if (!has('qemu-aarch64-static')) return notHere('qemu-user-static could not be installed');
    const emulated = ['qemu-aarch64-static', '-L', armLibraries, program];
    return outcomeOf(() => `${smokeTest(emulated, folder)}, under qemu`);
  }
  return underWine(program, work);
}

/** Debian 12 has Wine 8, which starts Windows' Node but not its engine. */
async function underWine(program: string, work: string): Promise<Outcome> {
  const wine = has('wine64') ? '/usr/lib/wine/wine64' : undefined;
  if (wine === undefined) return notHere("Debian's wine64 could not be installed");
  const env = {
    ...process.env,
    WINEPREFIX: join(work, 'wine'),
    WINEDEBUG: '-all',
    NODE_SKIP_PLATFORM_CHECK: '1',
  };
  try {
    run('timeout', ['120', wine, program, 'version', '-o', 'json'], { env });
  } catch (error) {
    const [reason] = /Fatal.*/.exec(String(error)) ?? [String(error).slice(0, 200).replaceAll('\n', ' ')];
    return notHere(`Debian's Wine does not start it (${reason}); the workflow runs the suite on Windows`);
  }
  try {
    return ok(`${smokeTest([wine, program], join(work, 'smoke'))}, under Wine`);
  } catch (error) {
    return failed(String(error));
  }
}
