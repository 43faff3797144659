/** Restores a snapshot repeatedly until it is killed. Tests start it as a process. */
import { api } from '../../src/api/resources/index.ts';
import { restoreSnapshot } from '../../src/sandbox/snapshots/snapshots.ts';

const [folder = '', name = '', file = ''] = process.argv.slice(2);
for (;;) {
  await restoreSnapshot({ BOH_CONFIG_DIR: folder }, name, file, api);
  process.stdout.write('restored\n');
}
