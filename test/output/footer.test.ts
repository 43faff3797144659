import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/account/client/client.ts';
import type { ListPage } from '../../src/account/client/response.ts';
import { type ListRange, readList } from '../../src/account/session/list.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { taxes } from '../../src/api/resources/taxes.ts';
import { formatFooter } from '../../src/cli/output/wording.ts';

const list = operation(taxes, 'list');
if (!list) throw new Error('taxes has no list');

type PageOptions = Partial<ListPage> & { count: number };

const createPage = ({ count, ...options }: PageOptions, index = 0): ListPage => ({
  number: index + 1,
  body: '',
  rows: Array.from({ length: count }, () => ({})),
  ...options,
});

async function footerOf(
  pages: PageOptions[],
  range: Partial<ListRange> = {},
  pageNumber?: number,
): Promise<string> {
  const client = {
    async *pages() {
      yield* pages.map(createPage);
    },
  } as unknown as Client;
  const call = { operation: list as never, query: pageNumber === undefined ? {} : { page: pageNumber } };
  const reading = readList(client, call, range);
  await Array.fromAsync(reading.rows());
  return formatFooter(taxes, reading.summary(), pageNumber);
}

describe('formatFooter', () => {
  const firstPage = { isFirstPageOnly: true };

  test('shows the number of records', async () => {
    expect(await footerOf([{ count: 2 }, { count: 1 }])).toBe('3 taxes.');
    expect(await footerOf([{ count: 1 }])).toBe('1 tax.');
    expect(await footerOf([{ count: 0 }])).toBe('No taxes found.');
    expect(await footerOf([{ count: 3, hasNext: false }], firstPage)).toBe('3 taxes.');
    expect(await footerOf([{ count: 3, lastPage: 1, total: 3 }], firstPage)).toBe('3 taxes.');
  });

  test('names the flags that list more, if there may be more records', async () => {
    const moreHint = 'To list more: --all or --page 2.';
    expect(await footerOf([{ count: 50, lastPage: 3, total: 120 }], firstPage)).toBe(
      `50 of 120 taxes. ${moreHint}`,
    );
    expect(await footerOf([{ count: 50, hasNext: true }], firstPage)).toBe(
      `50 taxes, and there are more. ${moreHint}`,
    );
    expect(await footerOf([{ count: 50 }], firstPage)).toBe(`50 taxes; there may be more. ${moreHint}`);
  });

  test('says that --limit excluded records', async () => {
    expect(await footerOf([{ count: 3, total: 3 }], { limit: 2 })).toBe('2 of 3 taxes, limited by --limit.');
    expect(await footerOf([{ count: 2, hasNext: true }], { limit: 2 })).toBe('2 taxes, limited by --limit.');
    expect(await footerOf([{ count: 2, lastPage: 2 }], { limit: 2 })).toBe('2 taxes, limited by --limit.');
    expect(await footerOf([{ count: 2, hasNext: false }], { limit: 2 })).toBe('2 taxes.');
  });

  test('shows the page number', async () => {
    expect(await footerOf([{ count: 20, lastPage: 3, total: 120 }], {}, 3)).toBe(
      'Page 3 of 3: 20 of 120 taxes.',
    );
    expect(await footerOf([{ count: 20 }], {}, 3)).toBe('Page 3: 20 taxes.');
  });
});
