import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { type Served, serve } from '../harness/serve.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

function program(name: string, script: string): string {
  const file = join(demo.folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Shows all it is given between two marks. */
const marking = program('marking', 'echo "<<paged>>"; cat; echo "<</paged>>"');

const list = 'boh --sandbox customers list';
const paged = { env: { BOH_PAGER: marking } };

describe.concurrent('long results on a terminal', () => {
  test('go through BOH_PAGER, and what is said beside them comes after it', async () => {
    const terminal = demo.terminal(list, paged);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(
      /<<paged>>\n[\s\S]*Huda Al-Amin[\s\S]*<<\/paged>>\n[\s\S]*50 of 200 customers\./,
    );
    expect(terminal.text().match(/^\S{12} {2}/gm)?.length).toBeGreaterThan(45);
  });

  test('go through PAGER where there is no BOH_PAGER, and an empty BOH_PAGER wants none', async () => {
    const first = demo.terminal(list, { env: { PAGER: marking } });
    expect(await first.ended()).toBe(0);
    expect(first.text()).toContain('<<paged>>');
    const second = demo.terminal(list, { env: { PAGER: marking, BOH_PAGER: '' } });
    expect(await second.ended()).toBe(0);
    expect(second.text()).not.toContain('<<paged>>');
  });

  test.each([
    ['fit the window', list, { lines: 70, ...paged }],
    ['come with --no-pager', `${list} --no-pager`, paged],
    ['go into a pipe', `${list} | cat`, paged],
    ['are on a dumb terminal', list, { env: { ...paged.env, TERM: 'dumb' } }],
    ['come under a deadline', `${list} --deadline 3600`, paged],
  ])('go through none where they %s', async (_, line, options) => {
    const terminal = demo.terminal(line, options);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('Huda Al-Amin');
    expect(terminal.text()).not.toContain('<<paged>>');
  });

  test('are paged in any format, a card of a record too', async () => {
    for (const line of [`${list} -o json --all`, 'boh --sandbox customers get customer-1 -o yaml']) {
      const terminal = demo.terminal(line, { lines: 8, ...paged });
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text()).toContain('<<paged>>');
      expect(terminal.text().trim()).toMatch(/<<\/paged>>/);
    }
  });

  test.each(['no-such-pager --flag', 'MORE=1 no-such-pager'])(
    'are shown whole where there is no %s',
    async (pager) => {
      const terminal = demo.terminal(`${list} --all -o json`, { env: { BOH_PAGER: pager } });
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text()).toContain('no-such-pager');
      const [json = ''] = /^\[\n[\s\S]*^\]\n/m.exec(terminal.text()) ?? [];
      expect(JSON.parse(json)).toHaveLength(200);
    },
  );

  test('end well and in silence when the pager is left early, with what is said beside them', async () => {
    const terminal = demo.terminal(`${list} --all -o json; echo "ended with $?"`, {
      env: { BOH_PAGER: 'head -3' },
    });
    await terminal.ended();
    expect(terminal.text()).toContain('ended with 0');
    expect(terminal.text()).not.toContain('boh:');
    expect(terminal.text().match(/"id"/g)).toHaveLength(1);
  });

  test('of a write are told as done though nobody reads to the end', async () => {
    const terminal = demo.terminal('boh --sandbox taxes update @VAT --rate 12 --wide', {
      lines: 3,
      env: { BOH_PAGER: 'head -1' },
    });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('updated.');
  });
});

describe('what a pager gets', () => {
  let service: Served;
  const many = Array.from({ length: 60 }, (_, index) => ({ id: String(index), name: `Group ${index}` }));
  beforeAll(async () => {
    service = await serve({ 'GET /groups': { data: many, meta: { last_page: 1, total: many.length } } });
  });
  afterAll(() => service.close());

  test('is no token', async () => {
    const seen = join(demo.folder, 'seen');
    const terminal = demo.terminal('boh groups list', {
      env: {
        BOH_PAGER: `env > ${seen}; cat`,
        BOH_TOKEN: 'a-canary',
        BOH_CLIENT_SECRET: 'a-canary',
        BOH_BASE_URL: service.baseUrl,
      },
    });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('Group 59');
    expect(readFileSync(seen, 'utf8')).toContain('BOH_BASE_URL=');
    expect(readFileSync(seen, 'utf8')).not.toContain('canary');
  });

  test.each([
    [643, '--header 2'],
    [590, ''],
  ])('is, where it is less %s, the header to hold in place if it can', async (version, flag) => {
    const folder = join(demo.folder, `less-${version}`);
    mkdirSync(folder);
    const less = program(
      `less-${version}/less`,
      `[ "$1" = --version ] && echo "less ${version} (GNU regular expressions)" && exit\n echo "<$*> $LESS"; cat`,
    );
    const terminal = demo.terminal('boh --sandbox customers list', { env: { BOH_PAGER: less } });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(new RegExp(`<${flag}> FRSX\n`));
  });
});

const hasLess = spawnSync('less', ['--version']).error === undefined;

describe.skipIf(!hasLess)('less itself, which stands on this machine', () => {
  test('is used unasked, keeps Ctrl-C for itself, and is left with q', async () => {
    const terminal = demo.terminal('unset PAGER; exec boh --sandbox customers list');
    await terminal.shows('Huda Al-Amin');
    await terminal.shows('\n:');
    // A key that comes before less is ready for it, or right behind Ctrl-C, is lost: it is typed until it is heard.
    const typesUntil = async (key: string, shown: string) => {
      terminal.types(key);
      const typing = setInterval(() => terminal.types(key), 500);
      await terminal.shows(shown).finally(() => clearInterval(typing));
    };
    for (let times = 0; times < 2; times++) await typesUntil(keys.ctrlC, '\n:');
    await typesUntil('q', '50 of 200 customers.');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).not.toContain('Interrupted');
  });

  test('is ended with boh by a signal that is not Ctrl-C', async () => {
    // Not typed: less reads what is, as long as it is there.
    const go = join(demo.folder, 'go');
    const terminal = demo.terminal(
      `unset PAGER; boh --sandbox customers list & child=$!; until [ -e '${go}' ]; do sleep 0.1; done; kill -TERM $child; wait $child; echo "ended with $?"`,
    );
    await terminal.shows('Huda Al-Amin');
    writeFileSync(go, '');
    await terminal.shows('ended with 143');
    await terminal.ended();
  });
});
