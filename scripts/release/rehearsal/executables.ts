/** Tests the executables that this machine can run, and reads the headers of the others. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../artifacts/run.ts';
import { armLibraries, isInstalled } from '../programs.ts';
import { formatOf } from './executable-format.ts';
import { failed, type Outcome, ok, outcomeOf, skipped } from './report.ts';
import { smokeTest } from './smoke-test.ts';

/** The outcomes of the tests of an artifact. */
export interface TestOutcomes {
  installed: Outcome;
  smoke: Outcome;
}

/** Unpacks an archive with an executable, and tests it. */
export async function testArchive(file: string, work: string): Promise<TestOutcomes> {
  const folder = mkdtempSync(join(work, 'unpacked-'));
  if (file.endsWith('.zip')) run('unzip', ['-q', file, '-d', folder]);
  else run('tar', ['-xzf', file, '-C', folder]);
  const program = join(folder, file.endsWith('.zip') ? 'boh.exe' : 'boh');
  const installed = await outcomeOf(() => `unpacked: ${formatOf(program)}`);
  return { installed, smoke: await smokeOf(file, program, work) };
}

/** Reads the headers of an unsigned executable for macOS. */
export async function testUnsigned(file: string): Promise<TestOutcomes> {
  const format = await outcomeOf(() => formatOf(file));
  return {
    installed:
      format.state === 'ok'
        ? skipped(`it only runs on macOS; its headers are valid: ${format.details}`)
        : format,
    smoke: skipped('it only runs on macOS; the workflow signs it and runs the smoke suite there'),
  };
}

async function smokeOf(file: string, program: string, work: string): Promise<Outcome> {
  const folder = join(work, 'smoke');
  mkdirSync(folder, { recursive: true });
  if (file.includes('-linux-x64')) return outcomeOf(() => smokeTest([program], folder));
  if (file.includes('-linux-arm64')) {
    if (!isInstalled('qemu-aarch64-static')) return skipped('qemu-user-static could not be installed');
    const emulatorCommand = ['qemu-aarch64-static', '-L', armLibraries, program];
    return outcomeOf(() => `${smokeTest(emulatorCommand, folder)}, under qemu`);
  }
  return smokeUnderWine(program, work);
}

/** Runs the smoke suite under Wine. Wine 8, of Debian 12, starts Node for Windows but not its engine. */
async function smokeUnderWine(program: string, work: string): Promise<Outcome> {
  const wine = isInstalled('wine64') ? '/usr/lib/wine/wine64' : undefined;
  if (wine === undefined) return skipped("Debian's wine64 could not be installed");
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
    return skipped(
      `Debian's Wine does not start it (${reason}); the workflow runs the smoke suite on Windows`,
    );
  }
  try {
    return ok(`${smokeTest([wine, program], join(work, 'smoke'))}, under Wine`);
  } catch (error) {
    return failed(String(error));
  }
}
