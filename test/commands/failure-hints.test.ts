/** The failures of commands have a hint with the next step. */
import { expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { createWorkspace } from '../history/sandbox-workspace.ts';

test.each([
  [[], 'config get base_url', 'is not set', 'boh --sandbox config list'],
  [[], 'runs show ./nowhere.sqlite', 'File ./nowhere.sqlite not found', 'boh runs list'],
  [['profiles add shop --sandbox'], 'profiles add shop --sandbox', 'already', 'config set SETTING VALUE'],
  [
    ['mirror sync --resource tags'],
    'tags list --mirror --sort nothing --unchecked',
    "can't sort by nothing",
    'created_at',
  ],
] as const)('after %j, %s: fails with a hint', async (earlierLines, line, message, hint) => {
  const workspace = createWorkspace();
  for (const earlierLine of earlierLines) await workspace.boh(...earlierLine.split(' '));
  const failure = failureOf(await workspace.boh(...line.split(' '), '-o', 'json'));
  expect(failure).toMatchObject({
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
  expect(failure.hint).not.toContain('mirror_');
});
