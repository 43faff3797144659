import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { ListPage } from '../../src/client/response.ts';
import { operation } from '../../src/contract/operation.ts';
import { formatFooter as footerOf } from '../../src/output/wording.ts';
import { taxes } from '../../src/resources/taxes.ts';
import { type ListRange, readList } from '../../src/session/list.ts';

const list = operation(taxes, 'list');
if (!list) throw new Error('taxes can be listed');

type Given = Partial<ListPage> & { count: number };

const page = ({ count, ...rest }: Given, index = 0): ListPage => ({
  number: index + 1,
  body: '',
  rows: Array.from({ length: count }, () => ({})),
  ...rest,
});

async function footer(pages: Given[], reach: Partial<ListRange> = {}, number?: number): Promise<string> {
  const client = {
    async *pages() {
      yield* pages.map(page);
    },
  } as unknown as Client;
  const call = { operation: list as never, query: number === undefined ? {} : { page: number } };
  const reading = readList(client, call, reach);
  await Array.fromAsync(reading.rows());
  return footerOf(taxes, reading.summary(), number);
}

describe('footer of a list', () => {
  const firstPage = { isFirstPageOnly: true };

  test('shows the number of records', async () => {
    expect(await footer([{ count: 2 }, { count: 1 }])).toBe('3 taxes.');
    expect(await footer([{ count: 1 }])).toBe('1 tax.');
    expect(await footer([{ count: 0 }])).toBe('No taxes found.');
    expect(await footer([{ count: 3, hasNext: false }], firstPage)).toBe('3 taxes.');
    expect(await footer([{ count: 3, lastPage: 1, total: 3 }], firstPage)).toBe('3 taxes.');
  });

  test('shows how to get the rest, if there may be more', async () => {
    const rest = 'For the rest, add --all or --page 2.';
    expect(await footer([{ count: 50, lastPage: 3, total: 120 }], firstPage)).toBe(
      `50 of 120 taxes. ${rest}`,
    );
    expect(await footer([{ count: 50, hasNext: true }], firstPage)).toBe(
      `50 taxes, and there are more. ${rest}`,
    );
    expect(await footer([{ count: 50 }], firstPage)).toBe(`50 taxes; there may be more. ${rest}`);
  });

  test('shows what --limit left out', async () => {
    expect(await footer([{ count: 3, total: 3 }], { limit: 2 })).toBe('2 of 3 taxes, limited by --limit.');
    expect(await footer([{ count: 2, hasNext: true }], { limit: 2 })).toBe('2 taxes, limited by --limit.');
    expect(await footer([{ count: 2, lastPage: 2 }], { limit: 2 })).toBe('2 taxes, limited by --limit.');
    expect(await footer([{ count: 2, hasNext: false }], { limit: 2 })).toBe('2 taxes.');
  });

  test('shows the page number', async () => {
    expect(await footer([{ count: 20, lastPage: 3, total: 120 }], {}, 3)).toBe(
      'Page 3 of 3: 20 of 120 taxes.',
    );
    expect(await footer([{ count: 20 }], {}, 3)).toBe('Page 3: 20 taxes.');
  });
});
