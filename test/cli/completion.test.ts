import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quotedProgram, spawnBoh } from '../harness/spawn-boh.ts';
import { openTerminal } from '../harness/terminal.ts';
import { waitUntil } from '../harness/wait-until.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-completion-'));
const path = [join(folder, 'bin'), process.env.PATH].join(delimiter);
const env = { PATH: path, HOME: folder, BOH_CONFIG_DIR: join(folder, 'boh'), ZDOTDIR: folder };
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

beforeAll(async () => {
  mkdirSync(join(folder, 'bin'));
  const shim = join(folder, 'bin', 'boh');
  writeFileSync(shim, `#!/bin/sh\nexec ${quotedProgram} "$@"\n`);
  chmodSync(shim, 0o755);
  const createResult = await spawnBoh(['--sandbox', 'suppliers', 'create', '--name', 'Back\\slash'], { env });
  expect(createResult.exitCode).toBe(0);
});

test('completion of an unknown shell: suggests a shell with a similar name', async () => {
  const result = await spawnBoh(['completion', 'bsh'], { env });
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toContain('boh has no completion for "bsh". Did you mean "bash"?');
});

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

/** The text that is typed before Tab, and the expected command line after Tab. */
const lines: [input: string, completed: string][] = [
  ['boh custo', 'boh customers '],
  ['boh customers li', 'boh customers list '],
  ['boh -o json customer upd', 'boh -o json customer update '],
  ['boh customers update --no-is-b', 'boh customers update --no-is-blacklisted '],
  ['boh inventory-counts list --status cl', 'boh inventory-counts list --status closed '],
  ['boh inventory-counts list --status=dr', 'boh inventory-counts list --status=draft '],
  ['boh inventory-counts list --status draft,', 'boh inventory-counts list --status draft,closed '],
  ['boh customers list --include addresses.', 'boh customers list --include addresses.'],
  ['boh customers create --data @dat', 'boh customers create --data @data.json '],
  ['boh customers create --data @fold', 'boh customers create --data @folder/'],
  ['boh --sandbox suppliers get @Fresh', 'boh --sandbox suppliers get @Fresh\\ Farms '],
  ['boh --sandbox suppliers get "@Fresh', 'boh --sandbox suppliers get "@Fresh Farms" '],
  [
    'boh --sandbox inventory-counts create --items @SKU-001',
    'boh --sandbox inventory-counts create --items @SKU-001=',
  ],
  ['boh cu"st"om', 'boh customers '],
  ['boh --sandbox suppliers get @"Green "Va', 'boh --sandbox suppliers get @Green\\ Valley '],
  ['boh --sandbox suppliers get @Back', 'boh --sandbox suppliers get @Back\\\\slash '],
  ['boh customers delete --where nam', 'boh customers delete --where name='],
  ['boh customers delete --where name=', 'boh customers delete --where name='],
  ['boh help custo', 'boh help customers '],
  ['boh help customers li', 'boh help customers list '],
  ['boh nonsense x', 'boh nonsense x'],
];

/** A key that doesn't begin another key sequence: after an ambiguous key, the shell would wait. */
const showKey = '\x0f';

/** Types all lines into one shell, in which Ctrl-O shows the command line and clears it. */
async function completeLinesIn(shell: string): Promise<string[]> {
  const workFolder = join(folder, 'work');
  mkdirSync(join(workFolder, 'folder'), { recursive: true });
  writeFileSync(join(workFolder, 'data.json'), '');
  // On a busy machine, reading records may take longer than completion usually waits.
  const patientEnv = { ...env, BOH_COMPLETION_PATIENCE: '600000' };
  const terminal = openTerminal(`cd '${workFolder}' && exec ${shell}`, { env: patientEnv, columns: 200 });
  await terminal.waitFor('ready>');
  const completed: string[] = [];
  for (const [input] of lines) {
    terminal.types(input, '\t', showKey);
    await terminal.waitFor('LINE<');
    completed.push((await terminal.waitFor('>')).slice(0, -1));
  }
  terminal.types('\x04');
  await terminal.ended();
  return completed;
}

describe.skipIf(!isInstalled('bash'))('completion in bash (skipped if bash is not installed)', () => {
  test('Tab: completes commands, flags, values and names', async () => {
    const settings = join(folder, 'bashrc');
    writeFileSync(
      settings,
      `source <(boh completion bash)
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind -x '"\\C-o": printf "LINE<%s>\\n" "$READLINE_LINE"; READLINE_LINE=; READLINE_POINT=0'
PS1='ready> '
`,
    );
    expect(await completeLinesIn(`bash --noprofile --rcfile '${settings}' -i`)).toEqual(
      lines.map(([, completed]) => completed),
    );
  });
});

describe.skipIf(!isInstalled('zsh'))('completion in zsh (skipped if zsh is not installed)', () => {
  test('Tab: completes commands, flags, values and names', async () => {
    writeFileSync(
      join(folder, '.zshrc'),
      `autoload -Uz compinit && compinit -u -D
source <(boh completion zsh)
show-line() { print -r -- "LINE<$BUFFER>"; BUFFER= }
zle -N show-line
bindkey '^O' show-line
unsetopt beep prompt_sp
zstyle ':completion:*' menu no
PS1='ready> '
`,
    );
    expect(await completeLinesIn('zsh -d -i')).toEqual(lines.map(([, completed]) => completed));
  });
});

describe.skipIf(!isInstalled('fish'))('completion in fish (skipped if fish is not installed)', () => {
  test('Tab: lists candidates with descriptions', () => {
    const completionsOf = (line: string) => {
      const script = `boh completion fish | source; complete -C '${line}'`;
      return spawnSync('fish', ['--no-config', '-c', script], { env, encoding: 'utf8' }).stdout.split('\n');
    };
    expect(completionsOf('boh customers li')).toContain('list\tList customers');
    expect(completionsOf('boh inventory-counts list --status=dr')).toContain('--status=draft\t1');
    expect(completionsOf('boh --sandbox suppliers get @Fresh').join()).toMatch(/^@Fresh Farms\t\w+/);
    expect(completionsOf('boh nonsense x').join('')).toBe('');
  });
});

describe.skipIf(!isInstalled('pwsh'))('completion in PowerShell (skipped if pwsh is not installed)', () => {
  test('Tab: lists candidates', () => {
    const script = `boh completion powershell | Out-String | Invoke-Expression
      (TabExpansion2 -inputScript 'boh customers li' -cursorColumn 16).CompletionMatches.CompletionText`;
    const { stdout } = spawnSync('pwsh', ['-NoProfile', '-Command', script], { env, encoding: 'utf8' });
    expect(stdout.trim()).toBe('list');
  });
});

describe('completion at a slow or unreachable service', () => {
  let server: Server;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  afterAll(() => server.closeAllConnections());

  beforeAll(async () => {
    server = createServer(async (_, response) => {
      await released;
      response.setHeader('content-type', 'application/json');
      response.end('{"data":[{"id":"s-1","name":"Fresh Farms"}]}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  test('slow service: does not wait, and offers the names at a later Tab', async () => {
    const { port } = server.address() as AddressInfo;
    const slowEnv = { ...env, BOH_BASE_URL: `http://127.0.0.1:${port}`, BOH_TOKEN: 'token' };
    const tab = async () => {
      const result = await spawnBoh(['__complete', 'fish', '=s', 'suppliers', 'get'], { env: slowEnv });
      expect([result.exitCode, result.stderr]).toEqual([0, '']);
      return result.stdout;
    };
    // The service responds only after this, so a completion that waits would never end.
    expect(await tab()).toBe('');
    release();
    await waitUntil(async () => expect(await tab()).toBe('s-1\tFresh Farms\n'));
  });

  test('unknown host name: ends without candidates and without an error', async () => {
    const unreachableEnv = { ...env, BOH_BASE_URL: 'https://no-such-host.invalid', BOH_TOKEN: 'token' };
    const result = await spawnBoh(['__complete', 'fish', '=s', 'suppliers', 'get'], { env: unreachableEnv });
    expect(result).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });
});
