import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { workflowProblems } from '../../scripts/checks/workflows.ts';

const commit = '0123456789012345678901234567890123456789';
const file = '.github/workflows/release.yml';

/** Returns a safe workflow in which a part is replaced. */
function workflow(part = '', replacement = ''): string {
  const safe = `on: push
permissions: {}
jobs:
  build:
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@${commit} # v7
        with:
          persist-credentials: false
      - run: npm ci
  publish:
    permissions:
      id-token: write
    steps:
      - uses: actions/setup-node@${commit} # v7
        with:
          package-manager-cache: false
      - run: npm stage publish
`;
  expect(safe).toContain(part);
  return safe.replace(part, replacement);
}

test('workflows of this repository: have no problems', () => {
  const files = globSync('.github/workflows/*.yml').map((name) => name.replaceAll('\\', '/'));
  expect(files).toHaveLength(2);
  expect(files.flatMap((name) => workflowProblems(name, readFileSync(name, 'utf8')))).toEqual([]);
});

test.each(globSync('.github/**/*.yml'))('%s: is valid YAML', (name) => {
  expect(parseDocument(readFileSync(name, 'utf8')).errors).toEqual([]);
});

describe('a workflow', () => {
  test('that is safe: has no problems', () => {
    expect(workflowProblems(file, workflow())).toEqual([]);
  });

  test.each([
    [
      'an event with permissions for outside contributors',
      'on: push',
      'on: pull_request_target',
      'runs on pull_request_target',
    ],
    ['such an event in a list of events', 'on: push', 'on: [push, workflow_run]', 'runs on workflow_run'],
    ['such an event with settings', 'on: push', 'on: { issue_comment: }', 'runs on issue_comment'],
    [
      'permissions for all jobs',
      'permissions: {}',
      'permissions: write-all',
      'does not begin with permissions: {}',
    ],
    [
      'a job without a list of permissions',
      '    permissions:\n      contents: read\n',
      '',
      'has no list of permissions',
    ],
    ['a tag instead of a commit', `actions/checkout@${commit} # v7`, 'actions/checkout@v7', 'is not pinned'],
    [
      'a commit without its version',
      `setup-node@${commit} # v7`,
      `setup-node@${commit}`,
      'has no comment with the version',
    ],
    [
      'text of outside contributors in a script',
      'run: npm ci',
      ['run: echo $', '{{ github.head_ref }}'].join(''),
      'has an expression',
    ],
    [
      'a token that stays in the checkout',
      'persist-credentials: false',
      'fetch-depth: 0',
      'persist-credentials',
    ],
    ['a cache in a release', 'package-manager-cache: false', 'cache: npm', 'uses a cache in a release'],
    [
      'a write permission where code of the checkout runs',
      'contents: read',
      'id-token: write',
      'has a write permission and runs code',
    ],
  ])('with %s: is refused', (_, part, replacement, problem) => {
    expect(workflowProblems(file, workflow(part, replacement)).join('\n')).toContain(problem);
  });
});

test('other files: are not read', () => {
  expect(workflowProblems('docs/page.yml', 'on: pull_request_target')).toEqual([]);
});
