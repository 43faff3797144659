import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
let server: Server;
let env: Record<string, string>;
let respond: () => void = () => {};

const rows = [{ id: '1', name: 'Grill' }];

beforeAll(async () => {
  server = createServer((request, response) => {
    const body = JSON.stringify(
      request.url?.includes('whoami') ? { data: {} } : { data: rows, meta: { last_page: 1, total: 1 } },
    );
    const send = () => response.setHeader('content-type', 'application/json').end(body);
    if (request.url?.startsWith('/groups')) respond = send;
    else send();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: `http://127.0.0.1:${port}` };
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  demo.remove();
});

/** Returns the lines of the final screen: applies cursor movements and erasures. */
function screenOf(raw: string): string[] {
  return raw.split('\n').map((line) => {
    let output = '';
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters move the cursor and erase
    for (const part of line.split(/(\r|\x1b\[(?:[0-9;]*[A-Za-z]))/)) {
      const [, parameter = '', command = ''] = /^.\[(\d*)([GKJ])$/.exec(part) ?? [];
      if (part === '') continue;
      if (part === '\r' || (command === 'G' && Number(parameter) < 2))
        output = `\0${output.replace('\0', '')}`;
      else if (command === 'K' || command === 'J') output = output.startsWith('\0') ? '\0' : output;
      else if (part.startsWith('\x1b')) continue;
      else output = output.startsWith('\0') ? `${part}${output.slice(1 + part.length)}` : output + part;
    }
    return output.replaceAll('\0', '').trimEnd();
  });
}

describe('a slow service', () => {
  test('a list: shows a line while it is read, and removes the line', async () => {
    const terminal = demo.terminal('boh groups list', { env });
    await terminal.waitFor('Reading groups');
    respond();
    expect(await terminal.ended()).toBe(0);
    const screen = screenOf(terminal.raw());
    expect(screen.join('\n')).not.toContain('Waiting');
    expect(screen.join('\n')).not.toContain('Reading');
    expect(screen[0]).toMatch(/^id +name/);
  });

  test('a single request: shows a line while boh waits, and removes the line', async () => {
    const terminal = demo.terminal('boh api GET /groups', { env });
    await terminal.waitFor('Waiting for 127.0.0.1');
    respond();
    expect(await terminal.ended()).toBe(0);
    expect(screenOf(terminal.raw()).join('\n')).not.toContain('Waiting');
    expect(screenOf(terminal.raw())[0]).toBe('{');
  });

  test('an interruption: removes the line', async () => {
    const terminal = demo.terminal('exec boh groups get 1', { env });
    await terminal.waitFor('Waiting for 127.0.0.1');
    terminal.types(keys.ctrlC);
    expect(await terminal.ended()).toBe(130);
    expect(screenOf(terminal.raw()).join('\n')).not.toContain('Waiting');
    expect(terminal.text()).toContain('Interrupted.');
  });

  test.for([
    ['with --quiet', 'boh groups list --quiet', {}],
    ['on a dumb terminal', 'boh groups list', { TERM: 'dumb' }],
    ['with standard error redirected', 'boh groups list 2>/dev/null', {}],
  ] as const)('%s: shows nothing while it waits', async ([, line, extraEnv]) => {
    const terminal = demo.terminal(`${line} & sleep 1; echo still; wait`, { env: { ...env, ...extraEnv } });
    await terminal.waitFor('still');
    respond();
    await terminal.ended();
    expect(terminal.text()).not.toContain('Waiting');
    expect(terminal.text()).toContain('Grill');
  });
});

test('a new sandbox: shows a line while it is prepared, and removes the line', async () => {
  const terminal = demo.terminal('boh --sandbox taxes list', { env: { BOH_SANDBOX: 'fresh' } });
  await terminal.waitFor('Preparing the sandbox');
  expect(await terminal.ended()).toBe(0);
  expect(screenOf(terminal.raw())[0]).toMatch(/^id +name/);
});
