import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fuse } from '../../scripts/release/artifacts/executable.ts';
import { formatOf } from '../../scripts/release/rehearsal/executable-format.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-format-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeProgram(...parts: Buffer[]): string {
  const path = join(folder, 'program');
  writeFileSync(path, Buffer.concat(parts));
  return path;
}

const elf = Buffer.alloc(20);
elf.write('7f454c46', 'hex');
elf.writeUInt16LE(0xb7, 18);
const program = Buffer.from('NODE_SEA_BLOB');

test('an executable with a program: format and machine are read', () => {
  expect(formatOf(writeProgram(elf, Buffer.from(`${fuse}:1`), program))).toBe(
    'ELF for arm64 with NODE_SEA_BLOB',
  );
});

test.each([
  ['a Node without a program', [elf, Buffer.from(`${fuse}:0`)], 'marker of a program is not set'],
  ['a program that Node does not find', [elf, Buffer.from(`${fuse}:1`)], 'NODE_SEA_BLOB is missing'],
  ['a text writeProgram', [Buffer.from('#!/bin/sh\n')], 'unknown format'],
])('%s: is refused', (_, parts, message) => {
  expect(() => formatOf(writeProgram(...parts))).toThrow(message);
});
