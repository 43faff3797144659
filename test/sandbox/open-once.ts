/** Opens a sandbox, creates tags, and prints the statuses. Tests start it as a process. */
import { api } from '../../src/api/resources/index.ts';
import { openSandbox } from '../../src/sandbox/service.ts';

const [file = '', name = '', count = '1'] = process.argv.slice(2);
const sandbox = await openSandbox({ api, file });
const headers = { authorization: `Bearer ${sandbox.ownerToken()}` };
const statuses: number[] = [];
for (let number = 0; number < Number(count); number++) {
  const body = JSON.stringify({ name: `${name} ${number}`, type: 1 });
  statuses.push((await sandbox.respond({ method: 'POST', target: '/tags', headers, body })).status);
}
sandbox.close();
process.stdout.write(JSON.stringify(statuses));
