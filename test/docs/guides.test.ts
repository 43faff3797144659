/** Runs every command in the guides and tutorials unchanged. */
import { describe } from 'vitest';
import { readPage, testCommandsOf } from './page-commands.ts';

const pages = [
  'tutorials/first-steps.md',
  'tutorials/from-a-spreadsheet.md',
  'tutorials/new-branch-menu.md',
  'guides/back-up-and-restore.md',
  'guides/compare-accounts.md',
  'guides/declare-and-review.md',
  'guides/find-mistakes.md',
  'guides/import-files.md',
  'guides/promotion.md',
  'guides/scheduled-exports.md',
  'guides/supplier-price-lists.md',
  'guides/test-against-a-sandbox.md',
  'guides/test-data-in-ci.md',
  'guides/undo-changes.md',
];

/** The pages whose commands a schedule repeats: each runs on three nights. */
const recipes = ['guides/import-files.md', 'guides/scheduled-exports.md', 'guides/test-data-in-ci.md'];

describe.each(pages)('docs/%s', (page) =>
  testCommandsOf(readPage(page), { nights: recipes.includes(page) ? 3 : 1 }),
);
