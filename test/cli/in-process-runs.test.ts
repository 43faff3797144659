/** Compares runs inside the test process, which most tests use, with separate processes of the built program. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyDemoBusiness } from '../harness/demo-business.ts';
import { runLine } from '../harness/run-line.ts';
import { home, isExecutable, spawnBoh } from '../harness/spawn-boh.ts';

/** Matches times at which the tests run. */
const today = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\dZ?/g;

/** Command lines in order: later ones read what earlier ones stored. */
const lines = [
  '',
  '--version',
  '--help',
  'suppliers --help',
  'supplers list',
  'suppliers list --limt 3',
  'suppliers list',
  'suppliers list -o table',
  'suppliers list -o csv --columns id,name,phone',
  'suppliers list -o ndjson --limit 2 --verbose',
  'suppliers get @SUP-01 @SUP-99',
  'suppliers get @SUP-01 -o yaml',
  'suppliers update @SUP-01 --phone 1 --dry-run',
  'suppliers update @SUP-01 --phone 1 -o id',
  'suppliers update @SUP-02 --phone 2 --quiet -o id',
  'suppliers update @SUP-03 --data - -o id',
  'suppliers update @SUP-04 --phone 3 --base-url http://127.0.0.1:1 --json',
  'suppliers delete @SUP-05',
  'suppliers delete @SUP-05 @SUP-06 --yes -o ndjson',
  'inventory-items list --all --filter name=onion -o json',
  'undo --last --yes -o id',
  'history --columns number,verb,outcome -o csv',
  'views save mine suppliers --name fresh',
  'suppliers list --view mine',
  'config set output table',
  'suppliers list --limit 3',
  'explain suppliers',
  'sandbox settings',
  'profiles list',
  'auth status',
];

test.skipIf(isExecutable)(
  'in-process runs: print the same bytes and read the same files as processes (skipped on a single executable, on which every run is a process)',
  async () => {
    const newConfig = () => {
      const config = mkdtempSync(join(home, 'config-'));
      copyDemoBusiness(config);
      return config;
    };
    const [inProcess, separate] = [newConfig(), newConfig()];
    for (const line of lines) {
      const words = ['--sandbox', ...line.split(' ').filter((word) => word !== '')];
      const optionsFor = (config: string) => ({ env: { BOH_CONFIG_DIR: config }, stdin: '{"phone":"9"}' });
      const normalize = (text: string) =>
        [inProcess, separate]
          .reduce((result, config) => result.replaceAll(config, 'FOLDER'), text)
          .replaceAll(/in \d+ ms$/gm, 'in a moment')
          .replaceAll(today, 'TODAY')
          .replaceAll(/\d{8}-\d{6}-[0-9a-z]{9}/g, 'RUN');
      const comparable = ({ exitCode, stdout, stderr }: Awaited<ReturnType<typeof runLine>>) => ({
        line,
        exitCode,
        stdout: normalize(stdout),
        stderr: normalize(stderr),
      });
      expect(comparable(await runLine(words, optionsFor(inProcess)))).toEqual(
        comparable(await spawnBoh(words, optionsFor(separate))),
      );
    }
  },
);
