import { expect, test } from 'vitest';
import { fileFormats, headerProblem } from '../../src/storage/formats.ts';

test('fileFormats: application IDs are unique', () => {
  const ids = Object.values(fileFormats).map(({ applicationId }) => applicationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  ['the application ID of the format', { application_id: 1 }, undefined],
  ['a former application ID of the format', { application_id: 2 }, undefined],
  ['another application ID', { application_id: 3 }, 'foreign'],
  ['no application ID', { application_id: 0 }, 'foreign'],
  ['an earlier version', { user_version: 4 }, undefined],
  ['a later version', { user_version: 6 }, 'newer'],
  ['another encoding', { encoding: 'UTF-16le' }, 'damaged'],
])('headerProblem: a header with %s has the expected problem', (_, changes, problem) => {
  const header: Record<string, unknown> = {
    application_id: 1,
    user_version: 5,
    encoding: 'UTF-8',
    ...changes,
  };
  const format = { label: 'The file', applicationId: 1, formerIds: [2], version: 5 };
  expect(headerProblem(format, (name) => header[name])).toBe(problem);
});
