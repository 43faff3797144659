import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { users } from '../../src/api/resources/users.ts';
import { DraftFile } from '../../src/cli/prompts/drafts.ts';

const create = operation(users, 'create');
if (!create) throw new Error('Users can be created.');
const answersOf = (names: readonly string[]) =>
  new Map(names.map((name) => [name, { value: `the ${name}`, display: `the ${name}` }]));

test('a draft: has the answers and no secrets, is private, and is kept from the sixth answer on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'boh-drafts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = new DraftFile(folder, create, []);
  const savedAt = new Date('2026-11-20T08:00:00Z');
  const names = ['name', 'email', 'phone', 'number', 'language'];
  expect(file.save(create, { savedAt, answers: answersOf(names), sheets: new Map() })).toBe(false);
  expect(file.read()).toBeUndefined();
  const answers = answersOf([...names, 'password', 'pin']);
  expect(file.save(create, { savedAt, answers, sheets: new Map() })).toBe(true);
  expect(file.read()).toEqual({ savedAt, answers: answersOf(names), sheets: new Map() });
  const [name = ''] = readdirSync(join(folder, 'drafts'));
  expect(readFileSync(join(folder, 'drafts', name), 'utf8')).not.toMatch(/password|pin/);
  expect(statSync(join(folder, 'drafts', name)).mode & 0o777).toBe(0o600);
  expect(new DraftFile(folder, create, ['user-1']).read()).toBeUndefined();
  file.remove();
  expect(file.read()).toBeUndefined();
});
