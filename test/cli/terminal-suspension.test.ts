/** Ctrl-Z and `fg` in a shell with job control, at each kind of question and in the table of `--watch`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { answerPrompts, keys, type Terminal, terminalTest as test } from '../harness/terminal.ts';

const { enter, down, left, tab, ctrlC, ctrlZ } = keys;
const demo = startDemo();
afterAll(() => demo.remove());

async function startInShell(line: string): Promise<Terminal> {
  const terminal = demo.terminal("exec env PS1='sh> ' bash --norc -i");
  await answerPrompts(terminal, ['sh> ', line, enter]);
  return terminal;
}

async function endShell(terminal: Terminal): Promise<void> {
  await answerPrompts(terminal, ['sh> ', 'exit', enter]);
  await terminal.ended();
}

/** Waits until boh has stopped, and expects that the shell has a usable terminal. Returns the ID of its process group. */
async function expectStopped(terminal: Terminal): Promise<number> {
  await answerPrompts(terminal, ['Stopped', enter], ['sh> ', 'stty -a; echo "group $(jobs -p)."', enter]);
  await terminal.waitFor('$(jobs -p)."');
  const output = await terminal.waitFor('.\n');
  expect(output).toMatch(/ icanon/);
  expect(output).toMatch(/ echo /);
  return Number(/group (\d+)/.exec(output)?.[1]);
}

/** Continues boh and waits until its view is drawn again. */
async function continueWith(terminal: Terminal, view: string): Promise<void> {
  terminal.types('fg', enter);
  await terminal.waitFor('fg\n');
  await terminal.waitFor(view);
}

describe.concurrent('Ctrl-Z and fg', () => {
  type Case = {
    kind: string;
    line: string;
    steps: [question: string, ...typed: string[]][];
    view: string;
    rest: string[];
    outcome: string;
    /** Whether the command ends by itself. Ctrl-C would reach the shell, which then discards what is typed next. */
    ends?: true;
  };
  test.each<Case>([
    {
      kind: 'a text',
      line: 'suppliers create',
      steps: [['? Name', 'Green Gro', left, left]],
      view: '? Name Green Gro',
      rest: ['X', enter],
      outcome: '✔ Name Green GXro',
    },
    {
      kind: 'a choice in a script',
      line: 'tags create --name A',
      steps: [['Arrow keys to move', down]],
      view: '❯ branch',
      rest: [down, enter],
      outcome: '✔ Type inventory item',
    },
    {
      kind: 'a list',
      line: 'suppliers get',
      steps: [['Fresh Farms', 'dri']],
      view: '❯ Oasis Drinks',
      rest: ['nk', enter],
      outcome: '✔ Which supplier to show? Oasis Drinks',
      ends: true,
    },
    {
      kind: 'a confirmation',
      line: 'suppliers delete @SUP-01',
      steps: [['(y/N)', 'n']],
      view: '(y/N) n',
      rest: ['o', enter],
      outcome: 'Nothing was sent',
      ends: true,
    },
    {
      kind: 'a sheet',
      line: 'inventory-counts create --branch-id branch-riverside',
      steps: [
        ['? Items', 'Onion'],
        ['❯ ◯ Onions (SKU-003)', tab, enter],
        ['quantity for each', '7'],
      ],
      view: 'Onions (SKU-003): 7',
      rest: ['5'],
      outcome: 'Onions (SKU-003): 75',
    },
    {
      kind: 'a question on a dumb terminal, which discards the line',
      line: 'tags create',
      steps: [['Name: ', 'A']],
      view: 'Name: ',
      rest: ['Organic', enter],
      outcome: '1) customer',
    },
  ])('$kind: keeps the answer so far', async ({ kind, line, steps, view, rest, outcome, ends }) => {
    const program = `${kind.includes('dumb') ? 'TERM=dumb ' : ''}boh --sandbox ${line}`;
    const terminal = await startInShell(kind.includes('script') ? `sh -c '${program}; true'` : program);
    await answerPrompts(terminal, ...steps, [steps.length === 1 ? '' : view]);
    terminal.types(ctrlZ);
    await expectStopped(terminal);
    await continueWith(terminal, view);
    terminal.types(...rest);
    await answerPrompts(terminal, [outcome, ...(ends ? [] : [ctrlC])]);
    await endShell(terminal);
  });

  test.each(['', 'TERM=dumb '])('%sa hidden answer: is kept and never shown', async (setting) => {
    const profile = setting === '' ? 'full' : 'dumb';
    const line = `boh auth login --profile ${profile} --with-token --unchecked --base-url https://${profile}.example`;
    const terminal = await startInShell(`${setting}${line}`);
    await answerPrompts(terminal, ['Token:', 'secret-', ctrlZ]);
    const group = await expectStopped(terminal);
    await continueWith(terminal, 'Token:');
    // Another program can stop boh without a key.
    process.kill(-group, 'SIGSTOP');
    await expectStopped(terminal);
    await continueWith(terminal, 'Token:');
    terminal.types('whole', enter);
    await endShell(terminal);
    expect(terminal.text()).not.toMatch(/secret|whole/);
    const config = readFileSync(join(demo.folder, 'config', 'config.json'), 'utf8');
    expect(JSON.parse(config).profiles[profile].token).toBe('secret-whole');
  });

  test.each([' ', ' < /dev/null'])('list --watch%s: leaves and reopens its screen', async (redirection) => {
    const terminal = await startInShell(`boh --sandbox taxes list --watch 86400${redirection}`);
    await answerPrompts(terminal, ['Ctrl-C to stop', ctrlZ]);
    await expectStopped(terminal);
    const shellOutput = terminal.raw().length;
    expect(terminal.raw().slice(terminal.raw().lastIndexOf('Ctrl-C to stop'))).toContain(
      '\x1b[?25h\x1b[?1049l',
    );
    terminal.resize(50, 24);
    await continueWith(terminal, 'Ctrl-C to stop');
    expect(terminal.raw().slice(shellOutput)).toContain('\x1b[?1049h\x1b[?25l');
    terminal.types(ctrlC);
    await terminal.waitFor('Interrupted.');
    await endShell(terminal);
  });
});

test.each([
  ['on a terminal of its own', (line: string) => demo.terminal(`exec ${line}`)],
  ['in a command substitution', (line: string) => startInShell(`echo "$(${line})"; exit`)],
])('Ctrl-Z %s, where no shell would continue boh: shows the question again', async (_, start) => {
  const terminal = await start('boh --sandbox suppliers get -o id');
  await answerPrompts(terminal, ['Fresh Farms', 'oas', ctrlZ], ['? Which supplier to show? oas', '']);
  await answerPrompts(terminal, ['? Which supplier to show? oas', 'is'], ['❯ Oasis Drinks', enter]);
  await terminal.waitFor('✔ Which supplier to show? Oasis Drinks');
  expect(await terminal.ended()).toBe(0);
});
