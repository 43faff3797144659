/** docs/guides/from-a-spreadsheet.md: every command on it runs as it stands. */
import { describe } from 'vitest';
import { pageOf, tryCommandsOf } from './commands-of.ts';

describe('the commands of docs/guides/from-a-spreadsheet.md', () =>
  tryCommandsOf(pageOf('guides/from-a-spreadsheet.md')));
