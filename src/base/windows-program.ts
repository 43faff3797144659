/**
 * Finds programs on Windows as a shell does. `npm` and most programs of npm packages are `.cmd` files there, which only
 * `cmd.exe` can start: https://learn.microsoft.com/windows-server/administration/windows-commands/cmd
 */
import { existsSync } from 'node:fs';
import { win32 } from 'node:path';
import type { Environment } from './environment.ts';

/** A program and its arguments. `isVerbatim`: the arguments are already quoted. */
export interface ProgramCommand {
  command: string;
  args: readonly string[];
  isVerbatim: boolean;
}

/** Returns the command that starts a program; unchanged if it isn't found, or isn't a `.cmd` or `.bat` file. */
export function windowsCommand(
  command: string,
  args: readonly string[],
  env: Environment,
  exists: (file: string) => boolean = existsSync,
): ProgramCommand {
  const file = findProgram(command, env, exists);
  if (file === undefined || !/\.(cmd|bat)$/i.test(file)) return { command, args, isVerbatim: false };
  // `cmd.exe` parses the arguments twice for the scripts in `node_modules/.bin`.
  const escapeCount = /node_modules[\\/]\.bin[\\/]/i.test(file) ? 2 : 1;
  const commandLine = [
    escapeForCmd(win32.normalize(file)),
    ...args.map((argument) => quoteForCmd(argument, escapeCount)),
  ].join(' ');
  const shell = environmentVariable(env, 'ComSpec') ?? 'cmd.exe';
  return { command: shell, args: ['/d', '/s', '/c', `"${commandLine}"`], isVerbatim: true };
}

/** Returns the first file of that name in the folders of PATH, with one of the extensions in PATHEXT if it has none. */
function findProgram(
  command: string,
  env: Environment,
  exists: (file: string) => boolean,
): string | undefined {
  const extensions = (environmentVariable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD')
    .split(';')
    .filter(Boolean);
  const names =
    win32.extname(command) === ''
      ? extensions.map((extension) => command + extension.toLowerCase())
      : [command];
  const hasFolder = /[\\/]/.test(command);
  const folders = hasFolder ? [''] : (environmentVariable(env, 'PATH') ?? '').split(';').filter(Boolean);
  return folders.flatMap((folder) => names.map((name) => win32.join(folder, name))).find(exists);
}

/** Returns the value of a variable. On Windows, names of variables are case-insensitive. */
function environmentVariable(env: Environment, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** Escapes the characters that have a meaning in `cmd.exe`. */
function escapeForCmd(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
}

/** Quotes an argument for the program, and escapes the result for each time that `cmd.exe` reads it. */
function quoteForCmd(argument: string, escapeCount: number): string {
  const escapedQuotes = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1');
  let text = `"${escapedQuotes}"`;
  for (let pass = 0; pass < escapeCount; pass++) text = escapeForCmd(text);
  return text;
}
