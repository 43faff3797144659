/** Types commands into a shell in tmux, which is a terminal without a window, and reads its screen. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from '../root.ts';

/** A command line to type. */
export interface TypedCommand {
  type: string;
  /** The answer to the question of the program. */
  answer?: string;
}

/** The time limit of a command, for busy machines. */
const maxCommandMs = 30_000;

/** Returns the lines of the screen after all commands, with the escape sequences of their styles. */
export async function captureScreen(
  commands: TypedCommand[],
  { columns }: { columns: number },
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-picture-'));
  const env = environment(folder);
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(folder, 'tmux'), ...args], {
      env,
      encoding: 'utf8',
    });
  const screenText = () => tmux('capture-pane', '-p').trimEnd();
  const waitUntil = async (label: string, isReached: () => boolean) => {
    const deadlineMs = performance.now() + maxCommandMs;
    while (!isReached()) {
      if (performance.now() > deadlineMs) throw new Error(`Timed out waiting for ${label}:\n${screenText()}`);
      await wait(20);
    }
  };
  const isAtPrompt = (expectedExits: number[]) => {
    const exits = readFileSync(join(folder, 'exits'), { encoding: 'utf8', flag: 'a+' })
      .split('\n')
      .slice(0, -1);
    return exits.join() === expectedExits.join() && screenText().endsWith('$');
  };

  try {
    tmux('new-session', '-d', '-x', String(columns), '-y', '100', 'bash', '--norc', '--noprofile');
    const expectedExits = [0];
    await waitUntil('the prompt', () => isAtPrompt(expectedExits));
    for (const { type, answer } of commands) {
      tmux('send-keys', '-l', type);
      tmux('send-keys', 'Enter');
      if (answer !== undefined) {
        await waitUntil('the question', () => /\? .*\([yY]\/[nN]\)$/.test(screenText()));
        tmux('send-keys', '-l', answer);
        tmux('send-keys', 'Enter');
      }
      expectedExits.push(0);
      await waitUntil(`the success of ${type}`, () => isAtPrompt(expectedExits));
    }
    // Removes the empty line before the first prompt, and the last prompt.
    return tmux('capture-pane', '-p', '-e').trimEnd().split('\n').slice(1, -2);
  } finally {
    tmux('kill-server');
    // Retries, because the shell and tmux may still be running.
    rmSync(folder, { recursive: true, maxRetries: 10 });
  }
}

/** Returns an environment without settings of the user, which would change the picture. */
function environment(folder: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(join(root, 'bin/boh.js'), join(bin, 'boh'));
  return {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    HISTFILE: '',
    BOH_CONFIG_DIR: join(folder, 'settings'),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TZ: 'UTC',
    PROMPT_COMMAND: 'echo $? >> ~/exits',
    PS1: '\\n\\[\\e[1;32m\\]$\\[\\e[0m\\] ',
  };
}
