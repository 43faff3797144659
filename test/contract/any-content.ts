/** Generates arbitrary file content, and runs commands that read it: they must succeed or fail with a message, in time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { runBoh } from '../harness/run-boh.ts';

export const prototypeNames = ['constructor', '__proto__', 'toString'];
export const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    null,
    '',
    0,
    -1,
    1e300,
    '0',
    'x',
    [],
    {},
    [[]],
    [null],
    'http://127.0.0.1:1',
    true,
    'json',
  ),
);

export function anyObject(names: readonly string[], value: fc.Arbitrary<unknown> = anyValue) {
  return fc.dictionary(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...names) },
      fc.string({ maxLength: 6 }),
      fc.constantFrom(...prototypeNames),
    ),
    value,
    { maxKeys: 6 },
  );
}

export const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((content) => Buffer.from(content)),
  fc.string({ unit: 'binary', maxLength: 100 }).map((content) => Buffer.from(content)),
  fc
    .constantFrom(
      '',
      '\ufeff',
      '{',
      '[',
      '{}',
      '[]',
      'null',
      '0',
      '"',
      '\0',
      '[[[[',
      '{"a":1,"a":2}',
      '\ufeff{}',
      '"\\ud800"',
    )
    .map((content) => Buffer.from(content)),
  fc.constantFrom('{}', '[1]', 'name\nx\n').map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
);
export const anyJson = (value: fc.Arbitrary<unknown>) =>
  value.map((content) => Buffer.from(JSON.stringify(content)));

export function writePrivateFile(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, bytes, { mode: 0o600 });
}

/** Runs a command line and expects a documented exit code and no internal error. */
export async function expectResultOrMessage(commandLine: string, env: Record<string, string>): Promise<void> {
  const result = await runBoh(commandLine.split(' '), { env });
  expect([0, 2, 3, 4, 5, 6, 8, 9, 10], `${commandLine}: ${result.stderr}`).toContain(result.exitCode);
  expect(result.stderr, commandLine).not.toMatch(/has a bug|\n\s+at .*:\d+:\d+/);
}
