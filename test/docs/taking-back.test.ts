/** docs/guides/taking-back.md: every command on it runs as it stands. */
import { describe } from 'vitest';
import { pageOf, tryCommandsOf } from './commands-of.ts';

describe('the commands of docs/guides/taking-back.md', () => tryCommandsOf(pageOf('guides/taking-back.md')));
