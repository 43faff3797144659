/** docs/guides/price-list.md: every command on it runs as it stands. */
import { describe } from 'vitest';
import { pageOf, tryCommandsOf } from './commands-of.ts';

describe('the commands of docs/guides/price-list.md', () => tryCommandsOf(pageOf('guides/price-list.md')));
