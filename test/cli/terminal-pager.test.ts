import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { serve, type TestService } from '../harness/serve.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

function createScript(name: string, script: string): string {
  const file = join(demo.folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Prints its input between two markers. */
const markingPager = createScript('marking', 'echo "<<paged>>"; cat; echo "<</paged>>"');

const list = 'boh --sandbox customers list';
const pagedOptions = { env: { BOH_PAGER: markingPager } };

describe.concurrent('long output on a terminal', () => {
  test('is shown by BOH_PAGER, and messages follow it', async () => {
    const terminal = demo.terminal(list, pagedOptions);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(
      /<<paged>>\n[\s\S]*Huda Al-Amin[\s\S]*<<\/paged>>\n[\s\S]*50 of 200 customers\./,
    );
    expect(terminal.text().match(/^\S{12} {2}/gm)?.length).toBeGreaterThan(45);
  });

  test('is shown by PAGER if BOH_PAGER is not set; an empty BOH_PAGER disables paging', async () => {
    const first = demo.terminal(list, { env: { PAGER: markingPager } });
    expect(await first.ended()).toBe(0);
    expect(first.text()).toContain('<<paged>>');
    const second = demo.terminal(list, { env: { PAGER: markingPager, BOH_PAGER: '' } });
    expect(await second.ended()).toBe(0);
    expect(second.text()).not.toContain('<<paged>>');
  });

  test('is not paged after a write: its confirmation would wait for the pager', async () => {
    const terminal = demo.terminal('boh --sandbox inventory-items update @SKU-001 --cost 4.75', {
      lines: 8,
      ...pagedOptions,
    });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('updated.');
    expect(terminal.text()).not.toContain('<<paged>>');
    const readTerminal = demo.terminal('boh --sandbox inventory-items get @SKU-001', {
      lines: 8,
      ...pagedOptions,
    });
    expect(await readTerminal.ended()).toBe(0);
    expect(readTerminal.text()).toContain('<<paged>>');
  });

  test.each([
    ['fits the window', list, { lines: 70, ...pagedOptions }],
    ['has --no-pager', `${list} --no-pager`, pagedOptions],
    ['goes into a pipe', `${list} | cat`, pagedOptions],
    ['is on a dumb terminal', list, { env: { ...pagedOptions.env, TERM: 'dumb' } }],
    ['has a deadline', `${list} --deadline 3600`, pagedOptions],
  ])('is not paged when it %s', async (_, line, options) => {
    const terminal = demo.terminal(line, options);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('Huda Al-Amin');
    expect(terminal.text()).not.toContain('<<paged>>');
  });

  test('is paged in any format, including a single record', async () => {
    for (const line of [`${list} -o json --all`, 'boh --sandbox customers get customer-1 -o yaml']) {
      const terminal = demo.terminal(line, { lines: 8, ...pagedOptions });
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text()).toContain('<<paged>>');
      expect(terminal.text().trim()).toMatch(/<<\/paged>>/);
    }
  });

  test.each(['no-such-pager --flag', 'MORE=1 no-such-pager'])(
    'is printed in full if the pager is not found: %s',
    async (pager) => {
      const terminal = demo.terminal(`${list} --all -o json`, { env: { BOH_PAGER: pager } });
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text()).toContain('no-such-pager');
      const [json = ''] = /^\[\n[\s\S]*^\]\n/m.exec(terminal.text()) ?? [];
      expect(JSON.parse(json)).toHaveLength(200);
    },
  );

  test('ends silently when the pager is closed early, and messages are printed', async () => {
    const terminal = demo.terminal(`${list} --all -o json; echo "ended with $?"`, {
      env: { BOH_PAGER: 'head -3' },
    });
    await terminal.ended();
    expect(terminal.text()).toContain('ended with 0');
    expect(terminal.text()).not.toContain('boh:');
    expect(terminal.text().match(/"id"/g)).toHaveLength(1);
  });

  test('of a write whose pager is closed early: reports the write as done', async () => {
    const terminal = demo.terminal('boh --sandbox taxes update @VAT --rate 12 --wide', {
      lines: 3,
      env: { BOH_PAGER: 'head -1' },
    });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('updated.');
  });
});

describe('a pager', () => {
  let service: TestService;
  const groups = Array.from({ length: 60 }, (_, index) => ({ id: String(index), name: `Group ${index}` }));
  beforeAll(async () => {
    service = await serve({ 'GET /groups': { data: groups, meta: { last_page: 1, total: groups.length } } });
  });
  afterAll(() => service.close());

  test('receives no token in its environment', async () => {
    const envFile = join(demo.folder, 'pager-env');
    const terminal = demo.terminal('boh groups list', {
      env: {
        BOH_PAGER: `env > ${envFile}; cat`,
        BOH_TOKEN: 'a-canary',
        BOH_CLIENT_SECRET: 'a-canary',
        BOH_BASE_URL: service.baseUrl,
      },
    });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('Group 59');
    expect(readFileSync(envFile, 'utf8')).toContain('BOH_BASE_URL=');
    expect(readFileSync(envFile, 'utf8')).not.toContain('canary');
  });

  test.each([
    [643, '--header 2'],
    [590, ''],
  ])('less %s: keeps the header in place if this version supports it', async (version, flag) => {
    const folder = join(demo.folder, `less-${version}`);
    mkdirSync(folder);
    const less = createScript(
      `less-${version}/less`,
      `[ "$1" = --version ] && echo "less ${version} (GNU regular expressions)" && exit\n echo "<$*> $LESS"; cat`,
    );
    const terminal = demo.terminal('boh --sandbox customers list', { env: { BOH_PAGER: less } });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(new RegExp(`<${flag}> FRSX\n`));
  });
});

const hasLess = spawnSync('less', ['--version']).error === undefined;

describe.skipIf(!hasLess)('less, as installed on this machine', () => {
  test('is used by default, handles Ctrl-C, and is closed with q', async () => {
    const terminal = demo.terminal('unset PAGER; exec boh --sandbox customers list');
    await terminal.waitFor('Huda Al-Amin');
    await terminal.waitFor('\n:');
    // less loses keys before it is ready and right after Ctrl-C, so the key is typed until less reacts.
    const typeUntil = async (key: string, expectedText: string) => {
      terminal.types(key);
      const typing = setInterval(() => terminal.types(key), 500);
      await terminal.waitFor(expectedText).finally(() => clearInterval(typing));
    };
    for (let count = 0; count < 2; count++) await typeUntil(keys.ctrlC, '\n:');
    await typeUntil('q', '50 of 200 customers.');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).not.toContain('Interrupted');
  });

  test('ends with boh at a signal other than Ctrl-C', async () => {
    // The command line does not use typed input, because less reads it while it runs.
    const goFile = join(demo.folder, 'go');
    const terminal = demo.terminal(
      `unset PAGER; boh --sandbox customers list & child=$!; until [ -e '${goFile}' ]; do sleep 0.1; done; kill -TERM $child; wait $child; echo "ended with $?"`,
    );
    await terminal.waitFor('Huda Al-Amin');
    writeFileSync(goFile, '');
    await terminal.waitFor('ended with 143');
    await terminal.ended();
  });
});
