/** Checks that every way of finding a record treats the same spellings of its key in the same way. */
import { describe, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { openManifestWorkspace } from '../manifest/workspace.ts';
import { openAccounts } from '../transfer/backups.ts';

type Outcome = 'found' | 'suggested' | 'other';

interface Category {
  id: string;
  name: string;
  reference: string;
}

/** Creates a category with a reference and a name in an empty account. */
async function openCategory(stored: Partial<Category>) {
  const workspace = await openManifestWorkspace({ isEmpty: true });
  const env = { BOH_CONFIG_DIR: `${workspace.folder}/.config` };
  const boh = (...words: string[]) => runBoh(['--sandbox', ...words], { env });
  const category = { name: 'Frozen', reference: 'CAT-1', ...stored };
  const created = await boh(
    'inventory-item-categories',
    'create',
    '--data',
    JSON.stringify(category),
    '-o',
    'json',
  );
  const { id } = JSON.parse(created.stdout) as Category;
  /** Returns the outcome of a command that finds the category if its output contains the ID. */
  const outcomeOf = (
    { stdout, stderr }: { stdout: string; stderr: string },
    isFound: boolean,
  ): [Outcome, boolean] => {
    const text = Object.values(stored)[0] ?? '';
    const isSuggested = `${stdout}${stderr}`.includes(`Did you mean`) && `${stdout}${stderr}`.includes(text);
    const isReported = stderr.split('\n').some((line) => line.includes('" matched ') && line.includes(text));
    return [isFound ? 'found' : isSuggested ? 'suggested' : 'other', isReported];
  };
  return { ...workspace, boh, id, outcomeOf };
}

type Account = Awaited<ReturnType<typeof openCategory>>;

/** The ways to find a record by a field, each with the outcome and whether boh reports the spelling. */
const ways: Record<
  string,
  (account: Account, field: string, written: string) => Promise<[Outcome, boolean]>
> = {
  'get by @FIELD:VALUE': async ({ boh, id, outcomeOf }, field, written) => {
    const result = await boh('inventory-item-categories', 'get', `@${field}:${written}`, '-o', 'json');
    return outcomeOf(result, result.stdout.includes(`"${id}"`));
  },
  'get by @VALUE': async ({ boh, id, outcomeOf }, _, written) => {
    const result = await boh('inventory-item-categories', 'get', `@${written}`, '-o', 'json');
    return outcomeOf(result, result.stdout.includes(`"${id}"`));
  },
  'import --key': async ({ boh, write, id, outcomeOf }, field, written) => {
    const file = write('a.ndjson', `${JSON.stringify({ name: 'New name', [field]: written })}\n`);
    const result = await boh(
      'inventory-item-categories',
      'import',
      file,
      '--key',
      field,
      '--dry-run',
      '-o',
      'ndjson',
    );
    return outcomeOf(result, result.stdout.includes(`"${id}"`));
  },
  'upsert --key': async ({ boh, id, outcomeOf }, field, written) => {
    const data = JSON.stringify({ name: 'New name', [field]: written });
    const line = ['inventory-item-categories', 'upsert', '--key', field, '--data', data, '-o', 'json'];
    const result = await boh(...line);
    return outcomeOf(result, result.stdout.includes(`"${id}"`));
  },
  'apply of a manifest': async ({ boh, write, id, json, outcomeOf }, field, written) => {
    const record = { $key: [field], name: 'New name', name_localized: 'X', [field]: written };
    const file = write('a.json', JSON.stringify({ inventory_item_categories: [record] }));
    const result = await boh('apply', file, '--yes');
    const categories = await json<(Category & { name_localized: string })[]>(
      'inventory-item-categories list --all',
    );
    return outcomeOf(
      result,
      categories.some((category) => category.id === id && category.name_localized === 'X'),
    );
  },
  'name of a linked record in a row': async ({ boh, write, id, outcomeOf }, _, written) => {
    const item = {
      ...{ sku: 'I-1', name: 'Peas', storage_unit: 'kg', ingredient_unit: 'g' },
      ...{ storage_to_ingredient_factor: 1, costing_method: 1, category: written },
    };
    const file = write('i.ndjson', `${JSON.stringify(item)}\n`);
    const result = await boh('inventory-items', 'import', file, '--key', 'sku', '--dry-run', '-o', 'ndjson');
    return outcomeOf(result, result.stdout.includes(`"${id}"`));
  },
  'name of a linked record in a manifest': async ({ boh, write, id, json, outcomeOf }, _, written) => {
    const item = {
      ...{ sku: 'I-1', name: 'Peas', storage_unit: 'kg', ingredient_unit: 'g' },
      ...{ storage_to_ingredient_factor: 1, costing_method: 1, category: written },
    };
    const result = await boh('apply', write('i.json', JSON.stringify({ inventory_items: [item] })), '--yes');
    const [created] = await json<{ category: { id: string } }[]>('inventory-items list --include category');
    return outcomeOf(result, created?.category.id === id);
  },
};

const spellings: [field: 'reference' | 'name', stored: string, written: string, outcome: Outcome][] = [
  ['reference', 'SKU-004', 'SKU-004', 'found'],
  ['reference', 'SKU-004', 'sku-004', 'found'],
  ['reference', 'SKU-004', 'SKU 004', 'found'],
  ['reference', 'SKU 004', 'sku.004', 'found'],
  ['reference', 'SKU-004', 'Sku004', 'found'],
  ['reference', 'SKU-004', 'SKU-٠٠٤', 'found'],
  ['reference', '1001', '1001.0', 'found'],
  ['reference', 'SKU-008', 'SKU-O08', 'suggested'],
  ['reference', '00003', '3', 'suggested'],
  ['reference', 'SKU-004', 'SKU-005', 'other'],
  ['reference', '1-11', '11-1', 'other'],
  ['name', 'Fresh Food', 'FRESH  FOOD', 'found'],
  ['name', 'Hall 5', 'hall ٥', 'found'],
  ['name', 'Café-Bar', 'Café Bar', 'other'],
];

describe.each(spellings)('%s %s written as %s', (field, stored, written, outcome) => {
  test.each(Object.entries(ways))('%s', async (_, find) => {
    const account = await openCategory({ [field]: stored });
    const isReported = outcome === 'found' && written !== stored;
    expect(await find(account, field, written)).toEqual([outcome, isReported]);
    const [category] = await account.json<Category[]>('inventory-item-categories list --all');
    expect(category?.[field]).toBe(stored);
  });

  test('diff and copy to another account', async () => {
    const accounts = openAccounts();
    for (const name of ['from', 'to']) {
      await accounts.bohWithoutSandbox(`profiles add ${name} --sandbox`, { BOH_SANDBOX: name });
      accounts.createEmptySandbox(name);
    }
    const create = async (sandbox: string, text: string) => {
      const data = JSON.stringify({ name: `Of ${sandbox}`, [field]: text }).replaceAll(' ', '\\u0020');
      return accounts.json(sandbox, `inventory-item-categories create --data ${data}`);
    };
    await create('from', written);
    const { id } = await create('to', stored);
    const diff = await accounts.bohWithoutSandbox(
      'diff --from from --to to --resource inventory-item-categories -o json',
    );
    const changes = (JSON.parse(diff.stdout) as { changes: { action: string; fields: object }[] }).changes;
    const otherFields = field === 'name' ? [] : [['update', ['name']]];
    expect(changes.map(({ action, fields }) => [action, Object.keys(fields)])).toEqual(
      outcome === 'found'
        ? otherFields
        : [
            ['create', expect.anything()],
            ['delete', []],
          ],
    );
    const result = await accounts.bohWithoutSandbox(
      'copy inventory-item-categories --from from --to to --yes',
    );
    expect(result.stderr.includes('" matched ')).toBe(outcome === 'found' && written !== stored);
    const categories = (await accounts.json('to', 'inventory-item-categories list')) as Category[];
    expect(categories.find((category) => category.id === id)?.[field]).toBe(stored);
    expect(categories).toHaveLength(outcome === 'found' ? 1 : 2);
  });
});

describe('several records with the same folded key', () => {
  test('every way refuses the spelling of neither, and finds each by its own', async () => {
    for (const [way, find] of Object.entries(ways)) {
      const account = await openCategory({ reference: 'SKU-004' });
      await account.boh('inventory-item-categories', 'create', '--name', 'Second', '--reference', 'sku-004');
      expect([way, await find(account, 'reference', 'Sku 004')]).toEqual([way, ['other', false]]);
      expect([way, await find(account, 'reference', 'SKU-004')]).toEqual([way, ['found', false]]);
      expect(await account.json('inventory-item-categories list --all')).toHaveLength(2);
    }
  });
});

describe('copy: two stored records never become one', () => {
  test.each([
    ['two spellings in the source', ['SKU-004', 'sku-004'], ['SKU-004'], ['SKU-004', 'sku-004']],
    ['two spellings in the target', ['sku-004'], ['SKU-004', 'SKU 004'], ['SKU-004', 'SKU 004', 'sku-004']],
  ])('%s', async (_, source, target, expected) => {
    const accounts = openAccounts();
    for (const [name, references] of Object.entries({ from: source, to: target })) {
      await accounts.bohWithoutSandbox(`profiles add ${name} --sandbox`, { BOH_SANDBOX: name });
      accounts.createEmptySandbox(name);
      for (const reference of references) {
        const data = JSON.stringify({ name: 'Frozen', reference }).replaceAll(' ', '\\u0020');
        await accounts.boh(name, `inventory-item-categories create --data ${data}`);
      }
    }
    await accounts.bohWithoutSandbox('copy inventory-item-categories --from from --to to --yes');
    const categories = (await accounts.json('to', 'inventory-item-categories list')) as Category[];
    expect(categories.map(({ reference }) => reference).sort()).toEqual([...expected].sort());
  });
});

test('requests: a code that a record has needs one, and only an unknown code is searched for by other spellings', async () => {
  const { boh } = await openCategory({ reference: 'SKU-004' });
  const listsIn = ({ stderr }: { stderr: string }) => stderr.match(/^GET \S*categories\?/gm)?.length;
  const get = (code: string) => boh('inventory-item-categories', 'get', `@reference:${code}`, '-v');
  expect(listsIn(await get('SKU-004'))).toBe(1);
  expect(listsIn(await get('sku-004'))).toBe(2);
});
