/** docs/guides/seeding-ci.md: every command on it runs as it stands. */
import { describe } from 'vitest';
import { pageOf, tryCommandsOf } from './commands-of.ts';

describe('the commands of docs/guides/seeding-ci.md', () => tryCommandsOf(pageOf('guides/seeding-ci.md')));
