import { expect, test } from 'vitest';
import { fileFormats, headerProblem } from '../../src/base/storage/formats.ts';

test('fileFormats: application IDs are unique', () => {
  const ids = Object.values(fileFormats).map(({ applicationId }) => applicationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('fileFormats: every format has version 1 until the first release', () => {
  expect(Object.values(fileFormats).filter(({ version }) => version !== 1)).toEqual([]);
});

test.each([
  ['the application ID of the format', undefined, { application_id: 1 }],
  ['another application ID', 'foreign', { application_id: 3 }],
  ['no application ID', 'foreign', { application_id: 0 }],
  ['no version', 'version', { user_version: 0 }],
  ['another version', 'version', { user_version: 2 }],
  ['another encoding', 'damaged', { encoding: 'UTF-16le' }],
])('headerProblem of a header with %s: returns %s', (_, problem, changes) => {
  const header: Record<string, unknown> = {
    application_id: 1,
    user_version: 1,
    encoding: 'UTF-8',
    ...changes,
  };
  const format = { label: 'The file', applicationId: 1, version: 1 };
  expect(headerProblem(format, (name) => header[name])).toBe(problem);
});
