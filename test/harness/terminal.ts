/** A pseudo-terminal for tests. Tests wait for text on the screen and never sleep. */
import { spawn, spawnSync } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { test } from 'vitest';
import { home } from './home-folder.ts';
import { waitLimitMs } from './wait-until.ts';

export const keys = {
  enter: '\r',
  down: '\x1b[B',
  up: '\x1b[A',
  left: '\x1b[D',
  escape: '\x1b',
  tab: '\t',
  space: ' ',
  ctrlC: '\x03',
  ctrlD: '\x04',
  ctrlZ: '\x1a',
} as const;

export interface TerminalOptions {
  env?: Record<string, string>;
  columns?: number;
  lines?: number;
}

export interface Terminal {
  /** Waits until the text appears in the output since the last wait, and returns that output up to the text. */
  waitFor(text: string): Promise<string>;
  types(...input: string[]): void;
  /** Resizes the terminal. */
  resize(columns: number, lines: number): void;
  /** Waits for the end of the program and returns its exit code; after a signal, 256 minus the number of the signal. */
  ended(): Promise<number | null>;
  /** Returns the output so far, without escape sequences. */
  text(): string;
  /** Returns the output so far with its escape sequences. */
  raw(): string;
}

/** Declares a test that needs a terminal. It is skipped without python3, which provides the terminal. */
export const terminalTest = test.skipIf(spawnSync('python3', ['--version']).error !== undefined);

const terminalScript = fileURLToPath(new URL('./run-on-terminal.py', import.meta.url));

/** Runs a command line of the shell on a new terminal. */
export function openTerminal(line: string, options: TerminalOptions = {}): Terminal {
  const { env = {}, columns = 80, lines = 24 } = options;
  const child = spawn('python3', [terminalScript, String(columns), String(lines), 'sh', '-c', line], {
    env: {
      PATH: process.env.PATH ?? '',
      // Without HOME, programs use the home folder of the system's user.
      HOME: home,
      TERM: 'xterm-256color',
      LC_ALL: 'C.UTF-8',
      // A pager would wait for a key: tests of pagers set one.
      PAGER: 'cat',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  let rawOutput = '';
  let searchStart = 0;
  let hasEnded = false;
  const pendingChecks = new Set<() => void>();
  const notify = () => {
    for (const check of pendingChecks) check();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    rawOutput += text;
    notify();
  });
  child.stderr.pipe(process.stderr);
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) =>
    child.on('close', (exitCode) => {
      hasEnded = true;
      resolve(exitCode);
      notify();
    }),
  );

  const plain = (text: string) => stripVTControlCharacters(text).replaceAll('\r\n', '\n');
  return {
    waitFor: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const output = plain(rawOutput);
          const index = output.indexOf(text, searchStart);
          if (index === -1 && !hasEnded) return;
          clearTimeout(timer);
          pendingChecks.delete(check);
          if (index === -1)
            return reject(new Error(`“${text}” did not appear in the output:\n${output.slice(searchStart)}`));
          resolve(output.slice(searchStart, index + text.length));
          searchStart = index + text.length;
        };
        // A failing test reports the output that appeared instead.
        const timer = setTimeout(() => {
          hasEnded = true;
          check();
        }, waitLimitMs);
        pendingChecks.add(check);
        check();
      }),
    types: (...input) => child.stdin.write(input.join('')),
    resize: (...size) => (child.stdio[3] as Writable).write(`${size.join(' ')}\n`),
    ended: () => ended,
    text: () => plain(rawOutput),
    raw: () => rawOutput,
  };
}

/** Answers prompts in order: waits for the text of each, and types the answer. */
export async function answerPrompts(
  terminal: Terminal,
  ...answers: [question: string, ...typed: string[]][]
): Promise<void> {
  for (const [question, ...typed] of answers) {
    await terminal.waitFor(question);
    terminal.types(...typed);
  }
}
