/** Types commands into a shell in tmux, which is a whole terminal without a window, and reads its screen. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from '../root.ts';

export interface Typed {
  type: string;
  /** Typed when the program asks something. */
  answer?: string;
}

/** Milliseconds that one command may take on a busy machine. */
const patience = 30_000;

/** The lines of the screen, from the first prompt on, with the escape sequences of their colours and weights. */
export async function screenOf(scene: Typed[], { columns }: { columns: number }): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-picture-'));
  const env = environment(folder);
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(folder, 'tmux'), ...args], {
      env,
      encoding: 'utf8',
    });
  const text = () => tmux('capture-pane', '-p').trimEnd();
  const until = async (what: string, seen: () => boolean) => {
    const end = performance.now() + patience;
    while (!seen()) {
      if (performance.now() > end) throw new Error(`The terminal shows no ${what}:\n${text()}`);
      await wait(20);
    }
  };
  const atPrompt = (exits: number[]) => {
    const seen = readFileSync(join(folder, 'exits'), { encoding: 'utf8', flag: 'a+' })
      .split('\n')
      .slice(0, -1);
    return seen.join() === exits.join() && text().endsWith('$');
  };

  try {
    tmux('new-session', '-d', '-x', String(columns), '-y', '100', 'bash', '--norc', '--noprofile');
    const exits = [0];
    await until('prompt', () => atPrompt(exits));
    for (const { type, answer } of scene) {
      tmux('send-keys', '-l', type);
      tmux('send-keys', 'Enter');
      if (answer !== undefined) {
        await until('question', () => /\? .*\([yY]\/[nN]\)$/.test(text()));
        tmux('send-keys', '-l', answer);
        tmux('send-keys', 'Enter');
      }
      exits.push(0);
      await until(`good end of ${type}`, () => atPrompt(exits));
    }
    // Each prompt stands below an empty line; the last one waits for nothing more.
    return tmux('capture-pane', '-p', '-e').trimEnd().split('\n').slice(1, -2);
  } finally {
    tmux('kill-server');
    // The shell and tmux may still be taking their leave.
    rmSync(folder, { recursive: true, maxRetries: 10 });
  }
}

/** Nothing of the machine's own settings: they would show in the picture. */
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
