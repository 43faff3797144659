/** An account whose requests can be delayed, and files with the same records in several formats. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDelayingService } from '../harness/delaying-service.ts';
import { home } from '../harness/home-folder.ts';
import { runLine } from '../harness/run-line.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';
import { type RunningBoh, startBoh } from '../harness/start-boh.ts';

const count = 12;
export const phones = Array.from({ length: count }, (_, index) => `99888${index}`);

/** Prepares the account and the files. `config` is the folder of boh's files, for example on another disk. */
export async function newScene(config?: string) {
  const folder = mkdtempSync(join(home, 'locked-'));
  const served = await serveSandbox();
  const service = await startDelayingService(served.baseUrl);
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const csv = (name: string) =>
    write(`${name}.csv`, `name,phone\n${phones.map((phone) => `${name} ${phone},${phone}`).join('\n')}\n`);
  const yaml = write(
    'customers.yaml',
    `customers:\n${phones.map((phone) => `  - {name: Declared ${phone}, phone: "${phone}"}\n`).join('')}`,
  );
  const env = {
    BOH_CONFIG_DIR: config ?? join(folder, 'config'),
    BOH_BASE_URL: service.baseUrl,
    BOH_TOKEN: served.token,
  };
  const boh = (...line: string[]) => runLine(line, { env });
  return {
    served,
    service,
    folder,
    env,
    boh,
    start: (...line: string[]) => startBoh(line, env),
    write,
    files: { a: csv('a'), b: csv('b'), yaml },
    /** Returns the phone numbers that the service has, including duplicates. */
    storedPhones: async () => {
      const { stdout } = await boh('customers', 'list', '--all', '--json');
      return JSON.parse(stdout)
        .map(({ phone }: { phone: string | null }) => phone ?? '')
        .filter((phone: string) => phone.startsWith('99888'))
        .sort();
    },
  };
}

export type Scene = Awaited<ReturnType<typeof newScene>>;

/** Returns the exit code, or stderr if the exit code is unexpected. */
export async function exitCodeOf(running: RunningBoh): Promise<number | null | string> {
  const { exitCode, stderr } = await running.ended;
  return [0, 8, 9, 130].includes(exitCode ?? 1) ? exitCode : stderr;
}
