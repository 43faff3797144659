/** docs/guides/accounts-alike.md: every command on it runs as it stands. */
import { describe } from 'vitest';
import { pageOf, tryCommandsOf } from './commands-of.ts';

describe('the commands of docs/guides/accounts-alike.md', () =>
  tryCommandsOf(pageOf('guides/accounts-alike.md')));
