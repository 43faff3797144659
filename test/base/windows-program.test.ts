import { describe, expect, test } from 'vitest';
import { windowsCommand } from '../../src/base/windows-program.ts';

const env = {
  Path: 'C:\\Windows;C:\\Program Files\\nodejs;D:\\shop\\node_modules\\.bin',
  PATHEXT: '.COM;.EXE;.BAT;.CMD',
  ComSpec: 'C:\\Windows\\cmd.exe',
};
const files = [
  'C:\\Windows\\where.exe',
  'C:\\Program Files\\nodejs\\npm.cmd',
  'C:\\Program Files\\nodejs\\node.exe',
  'D:\\shop\\node_modules\\.bin\\vitest.cmd',
  'tools\\check.bat',
];
const start = (command: string, ...args: string[]) =>
  windowsCommand(command, args, env, (file) => files.includes(file));

describe('programs on Windows', () => {
  test('a .cmd file on the path: is started by cmd.exe, with its path and arguments quoted', () => {
    expect(start('npm', 'test')).toEqual({
      command: 'C:\\Windows\\cmd.exe',
      args: ['/d', '/s', '/c', '"C:\\Program^ Files\\nodejs\\npm.cmd ^"test^""'],
      isVerbatim: true,
    });
  });

  test('a .bat file in a folder: is started by cmd.exe', () => {
    expect(start('tools/check.bat').args.at(-1)).toBe('"tools\\check.bat"');
  });

  test('special characters of cmd.exe: are escaped, twice for scripts that npm links', () => {
    expect(start('npm', 'run', 'a & del "x"').args.at(-1)).toContain('^"a^ ^&^ del^ \\^"x\\^"^"');
    expect(start('vitest', '%PATH%').args.at(-1)).toContain('^^^"^^^%PATH^^^%^^^"');
  });

  test('backslashes before a quote and at the end: are escaped', () => {
    expect(start('npm', 'C:\\folder\\').args.at(-1)).toContain('^"C:\\folder\\\\^"');
  });

  test.each([['node'], ['where'], ['missing'], ['C:\\other\\program.exe']])(
    '%s, which is no .cmd or .bat file: is started unchanged',
    (command) => {
      expect(start(command, 'a b')).toEqual({ command, args: ['a b'], isVerbatim: false });
    },
  );
});
