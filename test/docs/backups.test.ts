/** docs/guides/backups.md: every command on it runs as it stands. */
import { describe } from 'vitest';
import { pageOf, tryCommandsOf } from './commands-of.ts';

describe('the commands of docs/guides/backups.md', () => tryCommandsOf(pageOf('guides/backups.md')));
