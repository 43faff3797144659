/** Hashes without Node’s module for them: the same ones, and made of the text that is beside them. */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assembled } from '../../scripts/assemble.ts';
import { sha256 } from '../../src/sha256/sha256.ts';

const source = new URL('../../src/sha256/sha256.ts', import.meta.url);

it('is the same as Node’s, for texts of any length', () => {
  const edges = [0, 1, 55, 56, 63, 64, 65, 119, 120, 62 * 1024 - 9, 62 * 1024 - 8, 62 * 1024, 1_000_000];
  for (const length of edges) {
    const text = 'a'.repeat(length);
    expect(sha256(text).toString('hex'), `${length}`).toBe(hash('sha256', text, 'hex'));
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
      expect(sha256(text).toString('base64url')).toBe(hash('sha256', text, 'base64url'));
    }),
  );
});

it('does without WebAssembly where there is none, as with --jitless', () => {
  const script = `import { sha256 } from ${JSON.stringify(source.href)}; delete globalThis.WebAssembly;
    console.log(sha256('a').toString('hex'))`;
  const line = ['--input-type=module', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8', timeout: 20_000 });
  expect(stdout.trim(), stderr).toBe(hash('sha256', 'a', 'hex'));
});

it('is what its text says', async () => {
  const path = fileURLToPath(new URL('../../src/sha256/module.ts', import.meta.url));
  expect(readFileSync(path, 'utf8'), 'npx node scripts/assemble.ts makes it').toBe(await assembled());
});
