/** docs/guides/new-branch-menu.md: every command on it runs as it stands. */
import { describe } from 'vitest';
import { pageOf, tryCommandsOf } from './commands-of.ts';

describe('the commands of docs/guides/new-branch-menu.md', () =>
  tryCommandsOf(pageOf('guides/new-branch-menu.md')));
