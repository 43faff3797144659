import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { missingLibraries } from '../../scripts/missing-libraries.ts';

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'boh-installed-'));
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

const lock = (file: string, packages: object) => {
  mkdirSync(join(checkout, 'node_modules'), { recursive: true });
  writeFileSync(join(checkout, file), JSON.stringify({ packages }));
};

test('this checkout: has all packages of its lock file', () => {
  expect(missingLibraries()).toEqual([]);
});

test('missing and outdated packages: are named, except for those that the platform does not need', () => {
  lock('package-lock.json', {
    '': { version: '0.1.0' },
    'node_modules/here': { version: '1.0.0' },
    'node_modules/old': { version: '2.0.0' },
    'node_modules/@scope/new': { version: '3.0.0' },
    'node_modules/here/node_modules/inner': { version: '4.0.0' },
    'node_modules/elsewhere': { version: '5.0.0', optional: true },
    'node_modules/own': { link: true },
  });
  lock('node_modules/.package-lock.json', {
    'node_modules/here': { version: '1.0.0' },
    'node_modules/old': { version: '1.9.0' },
  });
  expect(missingLibraries(checkout)).toEqual(['old@2.0.0', '@scope/new@3.0.0', 'inner@4.0.0']);
});

test('nothing installed: all packages are named', () => {
  writeFileSync(
    join(checkout, 'package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
  );
  expect(missingLibraries(checkout)).toEqual(['a@1.0.0']);
});
