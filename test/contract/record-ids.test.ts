/** Checks that IDs can't lead to other records: IDs in responses and files, and records with other IDs than asked for. */
import { expect, it, onTestFinished } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { type Responses, serve } from '../harness/serve.ts';

async function start(responses: Responses) {
  const service = await serve({ 'GET /whoami': { data: { user: { id: 'me' } } }, ...responses });
  onTestFinished(() => service.close());
  return async (line: readonly string[], stdin = '') => {
    const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, BOH_HISTORY_BEFORE: 'on' };
    const result = await runBoh(line, { env, stdin });
    const writes = service.takeRequests().filter((request) => !request.startsWith('GET '));
    return { ...result, failure: failureOf(result) as { message: string; outcome?: string }, writes };
  };
}

it.each(['../tags/1', '..%2Ftags%2F1', 'a b', '..'])(
  'ID %j in a response: no command sends it in a path, and files with it are refused as a whole',
  async (id) => {
    const rows = [
      { id: '1', name: 'One' },
      { id, name: 'Other' },
    ];
    const run = await start({
      'GET /suppliers': { data: rows, meta: { current_page: 1, last_page: 1, total: 2 } },
      'GET /suppliers/1': { data: rows[0] },
      'PUT /suppliers/1': { data: { id: '1', name: 'One', phone: '5' } },
    });
    const invalid = `${JSON.stringify(id)} isn't a valid ID.`;
    for (const line of [
      'delete @Other --yes',
      'update @Other --phone 1',
      'upsert --key name --name Other --phone 1',
    ]) {
      const { exitCode, failure, writes } = await run(['suppliers', ...line.split(' ')]);
      expect([exitCode, failure, writes]).toEqual([
        2,
        expect.objectContaining({ message: invalid, outcome: 'not_sent' }),
        [],
      ]);
    }
    const imported = await run(['suppliers', 'import', '-', '--yes'], `id,name\n1,New\n${id},New\n`);
    expect([imported.exitCode, imported.failure, imported.writes]).toEqual([
      2,
      expect.objectContaining({ fields: { 'line 3': [invalid] }, outcome: 'not_sent' }),
      [],
    ]);
    const filtered = await run(['suppliers', 'update', '--where', 'name=O', '--phone', '5', '--yes']);
    expect([filtered.exitCode, filtered.writes]).toEqual([9, ['PUT /suppliers/1']]);
    expect(filtered.stdout).toContain(JSON.stringify(invalid));
  },
);

it.each([
  'suppliers update 42 --name x',
  'suppliers update 42 --add-tags 3',
  'suppliers update 42 43 --name x --yes',
  'suppliers delete 42 --yes',
  'suppliers restore 42',
  'suppliers link-item 42 1 --order-unit box --order-to-storage-factor 1',
  'suppliers unlink-item 42 1 --yes',
  'loyalty-rewards redeem 42 --order-id 4 --yes',
])(
  '%s, if the service returns another record for this ID: names both IDs, and nothing is sent',
  async (line) => {
    const record = { id: 99, name: 'Other', items: [], tags: [] };
    const run = await start({
      'GET /suppliers/42': { data: record },
      'GET /loyalty_rewards/42': { data: record },
    });
    const { exitCode, failure, writes, stderr } = await run(line.split(' '));
    expect([exitCode, failure.outcome, writes]).toEqual([8, 'not_sent', []]);
    expect(failure.message).toMatch(
      /^The service returned the record 99 instead of the (supplier|loyalty reward) 42/,
    );
    expect(stderr).not.toContain('history.before');
  },
);
