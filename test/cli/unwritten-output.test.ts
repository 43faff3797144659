import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve, type TestService } from '../harness/serve.ts';
import { home, quotedProgram } from '../harness/spawn-boh.ts';

const supplier = { id: '42', name: 'Fresh Farms' };

let service: TestService;
beforeAll(async () => {
  service = await serve({
    'POST /suppliers': { data: supplier },
    'PUT /suppliers/42': { data: supplier },
    'GET /suppliers/42': { data: supplier },
    'DELETE /suppliers/1': '',
    'DELETE /suppliers/2': '',
    'DELETE /suppliers/3': '',
  });
});
afterAll(() => service.close());

interface ReportedRun {
  exitCode: number;
  stderr: string;
  error: { category: string; message: string; hint: string };
}

/** Runs a command in a shell with this redirection of its output. */
async function boh(line: string, redirection: string): Promise<ReportedRun> {
  const command = `{ ${quotedProgram} ${line}; echo "$?" >&2; } ${redirection}`;
  const child = spawn('/bin/sh', ['-c', command], {
    env: { PATH: process.env.PATH ?? '', HOME: home, BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stderr = await text(child.stderr);
  const [exitCode, lastLine] = stderr.trimEnd().split('\n').reverse();
  return {
    exitCode: Number(exitCode),
    stderr,
    error: lastLine?.startsWith('{') ? JSON.parse(lastLine).error : undefined,
  };
}

const outputs = { 'a full disk': '> /dev/full', 'a closed pipe': '| true' };

describe.skipIf(!existsSync('/dev/full')).each(Object.entries(outputs))('output to %s', (_, redirection) => {
  test.each([
    [`suppliers create --name 'Fresh Farms'`, 'Supplier "Fresh Farms" (42) created.', 'boh suppliers get 42'],
    [
      `suppliers update 42 --name 'Fresh Farms'`,
      'Supplier "Fresh Farms" (42) updated.',
      'boh suppliers get 42',
    ],
    [`suppliers create --name 'Fresh Farms' --raw`, '(42) created.', 'boh suppliers get 42'],
    [`api POST /suppliers --data '{"name":"x"}'`, 'POST /suppliers succeeded; the ID is 42.', "Don't repeat"],
  ])('boh %s: is reported as done', async (line, message, hint) => {
    const { exitCode, error, stderr } = await boh(line, redirection);
    expect(exitCode).toBe(9);
    expect(error).toMatchObject({ category: 'unreported', exit_code: 9, outcome: 'done' });
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
    expect(stderr).not.toContain('run the command again');
  });

  test('an import: reports the rows that it wrote, and no failed write if it wrote none', async () => {
    const file = join(mkdtempSync(join(home, 'rows-')), 'rows.csv');
    writeFileSync(file, `name\n${redirection} 1\n${redirection} 2\n`);
    const line = `suppliers import '${file}' --key name --yes -o id --sandbox`;
    const first = await boh(line, redirection);
    expect([first.exitCode, first.stderr]).toEqual([9, expect.stringContaining('2 rows are done.')]);
    const second = await boh(line, redirection);
    expect(second.exitCode).toBe(redirection.includes('full') ? 8 : 0);
    expect(second.stderr).toContain('2 unchanged');
    expect(second.stderr).not.toContain('are done');
  });

  test('a run over several records: completes all rows', async () => {
    service.takeRequests();
    const { exitCode, error } = await boh('suppliers delete 1 2 3 --yes', redirection);
    // The command also reads the records before the change, for the history.
    expect(service.takeRequests().filter((requestLine) => requestLine.startsWith('DELETE '))).toHaveLength(3);
    expect(exitCode).toBe(9);
    expect(error).toMatchObject({ category: 'unreported', outcome: 'done' });
    expect(error.message).toContain('1, 2, 3');
  });
});

test.skipIf(!existsSync('/dev/full'))(
  'a read on a full disk: fails with exit code 8 and reports no outcome',
  async () => {
    const { error } = await boh('suppliers get 42', '> /dev/full');
    expect(error).toMatchObject({ category: 'unavailable', exit_code: 8 });
    expect(error).not.toHaveProperty('outcome');
  },
);

test('a read whose reader closes the pipe: is not a failure', async () => {
  const { exitCode, stderr } = await boh('suppliers get 42', '| true');
  expect([exitCode, stderr]).toEqual([0, '0\n']);
});

test('an invalid query on the response of a write: still reports the write as done', async () => {
  const { error } = await boh(`suppliers create --name 'Fresh Farms' --query 'abs(name)'`, '');
  expect(error).toMatchObject({ category: 'unreported', outcome: 'done' });
  expect(error.message).toMatch(/\(42\) created\. .*Invalid --query/);
});
