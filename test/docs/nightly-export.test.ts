/** docs/guides/nightly-export.md: every command on it runs as it stands. */
import { describe } from 'vitest';
import { pageOf, tryCommandsOf } from './commands-of.ts';

describe('the commands of docs/guides/nightly-export.md', () =>
  tryCommandsOf(pageOf('guides/nightly-export.md')));
