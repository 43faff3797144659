import { describe, expect, it } from 'vitest';
import { openManifestWorkspace } from './workspace.ts';

describe('a manifest with mistakes', () => {
  it('reports all mistakes, each with line and column, and writes nothing', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'seeds/menu.yaml',
      [
        'tagz:',
        '  - { name: A }',
        'tags:',
        '  - { name: VIP, type: custommer }',
        '  - { nam: B, type: customer }',
        '  - { name: C, type: customer }',
        '  - { name: C, type: customer }',
        'inventory-items:',
        '  - sku: X-1',
        '    storage_to_ingredient_factor: many',
        '    is_product: true',
        '    category: [Vegetables]',
        'loyalty-rewards: []',
        '',
      ].join('\n'),
    );
    const mistakes = await workspace.mistakes('plan @/seeds -v');
    expect(mistakes).toEqual({
      'seeds/menu.yaml:1:1': ['tagz is not a resource. Did you mean "tags"?'],
      'seeds/menu.yaml:4:24': [expect.stringContaining('; did you mean "customer"?: "custommer"')],
      'seeds/menu.yaml:5:7': ['nam is not a field of a tag. Did you mean "name"?'],
      'seeds/menu.yaml:7:5': [expect.stringMatching(/^declares the same tag as .*menu\.yaml:6:5$/)],
      'seeds/menu.yaml:10:35': ['must be a number: "many"'],
      'seeds/menu.yaml:11:5': ["is_product can't be set"],
      'seeds/menu.yaml:12:15': ['must name one inventory item category'],
      'seeds/menu.yaml:13:1': [expect.stringContaining("can't be declared")],
    });
    const { stderr } = await workspace.boh('plan @/seeds -v');
    expect(stderr).not.toMatch(/^(POST|PUT|DELETE) /m);
    expect(stderr).toContain('8 mistakes');
  });

  it.each([
    ['a tab', 'tags:\n\t- { name: A }\n', /tab/],
    ['a duplicate key', 'tags:\n  - name: A\n    name: B\n', /duplicate key/],
    ['anchors that grow exponentially', exponentialAnchors(), /anchors/],
    ['an unknown anchor', 'tags:\n  - *missing\n', /missing/],
    [
      'a variable that is not set',
      `tags:\n  - name: $\{UNSET_VARIABLE}\n    type: customer\n`,
      /UNSET_VARIABLE/,
    ],
    [
      "a number that can't be represented exactly",
      'taxes:\n  - name: A\n    rate: 19.999999999999999999\n',
      /exactly/,
    ],
    ['a boolean in a text field', 'tags:\n  - name: true\n', /quotes/],
    [
      'a duplicate link',
      'suppliers:\n  - name: A\n    items:\n      - { item: X }\n      - { item: X }\n',
      /twice/,
    ],
    ['$key without a value', 'addresses:\n  - $key: [name]\n    description: x\n', /key/],
    ['an unknown $ keyword', 'tags:\n  - name: A\n    $exakt: true\n', /\$exact/],
  ])('%s: is reported with its location', async (_, text, message) => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', text);
    const mistakes = await workspace.mistakes('plan @/a.yaml');
    for (const location of Object.keys(mistakes)) expect(location).toMatch(/^a\.yaml:\d+:\d+$/);
    expect(Object.values(mistakes).flat().join('\n')).toMatch(message);
  });

  it('reports deep nesting, unknown tags and invalid characters with their locations', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('deep.yaml', `tags: ${'['.repeat(5000)}${']'.repeat(5000)}\n`);
    workspace.write('deep.json', `${'{"tags":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
    const nestingMistakes = await workspace.mistakes('plan @/deep.yaml @/deep.json');
    expect(Object.values(nestingMistakes)).toEqual([
      ['is nested deeper than 100 levels'],
      ['is nested deeper than 100 levels'],
    ]);
    workspace.write('tag.yaml', 'tags:\n  - { name: !vault secrets/tag, type: customer }\n');
    expect(await workspace.mistakes('plan @/tag.yaml')).toEqual({
      'tag.yaml:2:13': ['has the unknown tag !vault'],
    });
    workspace.write(
      'no.json',
      '{"tags":[{"name":"a\\u0000b","type":"customer"},{"name":"\\ud83d","type":"customer"}]}',
    );
    expect(await workspace.mistakes('plan @/no.json')).toEqual({
      'no.json:1:18': ['contains an invalid character'],
      'no.json:1:56': ['contains an invalid character'],
    });
  });

  it('reports unknown and ambiguous names together', async () => {
    const workspace = await openManifestWorkspace();
    await workspace.boh('tags create --name Same --type customer');
    await workspace.boh('tags create --name Same --type customer');
    workspace.write(
      'a.yaml',
      'tags:\n  - { name: Same, name_localized: x }\ncustomers:\n  - { name: Customer, phone: "1", tags: [Absent, Same] }\n',
    );
    const mistakes = await workspace.mistakes('plan @/a.yaml');
    expect(Object.keys(mistakes)).toEqual(['a.yaml:2:5', 'a.yaml:4:42', 'a.yaml:4:50']);
    expect(mistakes['a.yaml:2:5']?.[0]).toContain('$key');
    expect(mistakes['a.yaml:4:42']).toEqual([
      'tag Absent of the type customer not found in the account or in the files',
    ]);
  });
});

describe('secrets', () => {
  it('are refused as literal values, and are never printed if they come from a variable', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'users:\n  - { name: New One, number: "77", lang: en, pin: "4321" }\n');
    expect(await workspace.mistakes('plan @/a.yaml')).toEqual({
      'a.yaml:2:51': [`pin is a secret and can't be in a file: use a variable, for example pin: $\{PIN}`],
    });
    workspace.write(
      'a.yaml',
      `users:\n  - { name: New One, number: "77", lang: en, pin: "$\{PIN:-4321}" }\n`,
    );
    expect(Object.values(await workspace.mistakes('plan @/a.yaml')).flat()[0]).toContain('secret');
    for (const template of [`43$\{BOH_CONFIG_DIR}`, `$$\{PIN}`]) {
      workspace.write(
        'a.yaml',
        `users:\n  - { name: New One, number: "77", lang: en, pin: "${template}" }\n`,
      );
      expect(Object.values(await workspace.mistakes('plan @/a.yaml')).flat()[0]).toContain('secret');
    }
    workspace.write('a.yaml', `users:\n  - { name: New One, number: "77", lang: en, pin: "$\{PIN}" }\n`);
    const result = await workspace.boh('plan @/a.yaml -o json', undefined, { PIN: '98761' });
    expect(result.exitCode).toBe(0);
    expect(result.stdout + result.stderr).not.toContain('98761');
    expect(JSON.parse(result.stdout).changes[0].fields.pin).toEqual({ old: null, new: '••••' });
  });
});

describe('the formats of files', () => {
  it('folders, JSON, tables, and lists in files named after their resource: are read', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('seeds/tags.yaml', '- { name: One, type: customer }\n');
    workspace.write('seeds/more.json', '{"$schema":"x","tags":[{"name":"Two","type":"customer"}]}');
    workspace.write('seeds/inventory-items.csv', 'sku,cost,category\nSKU-001,9.25,Vegetables\n');
    workspace.write('seeds/deeper/tags.ndjson', '{"name":"Three","type":"customer"}\n');
    workspace.write('seeds/notes.txt', 'not a manifest');
    const changes = await workspace.changes('@/seeds');
    expect(changes.map(({ action, resource, key }) => `${action} ${resource} ${key}`)).toEqual([
      'create tags Three',
      'create tags Two',
      'create tags One',
      'update inventory-items SKU-001',
    ]);
    expect(changes[3]?.fields).toEqual({ cost: { old: 4.5, new: 9.25 } });
  });

  it('several paths: the last $exact for a record applies', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('base.yaml', 'suppliers:\n  - { name: Fresh Farms, $exact: true, items: [] }\n');
    workspace.write('soft.yaml', 'suppliers:\n  - { name: Fresh Farms, $exact: false }\n');
    workspace.write('other.yaml', 'suppliers:\n  - { name: Fresh Farms, tags: [] }\n');
    expect(await workspace.changes('@/base.yaml @/other.yaml')).toHaveLength(1);
    expect(await workspace.changes('@/base.yaml @/soft.yaml')).toEqual([]);
  });

  it('several paths: later fields override earlier ones', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('base/items.yaml', 'inventory-items:\n  - { sku: SKU-001, cost: 6, barcode: "1" }\n');
    workspace.write('north/items.yaml', 'inventory-items:\n  - { sku: SKU-001, cost: 7 }\n');
    const [change] = await workspace.changes('@/base @/north');
    expect(change?.fields.cost?.new).toBe(7);
    expect(change?.fields.barcode?.new).toBe('1');
  });

  it("a default with a variable: is refused; variables in tables: aren't expanded", async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', `tags:\n  - { name: "$\{A:-$\{B}}", type: customer }\n`);
    expect((await workspace.mistakes('plan @/a.yaml'))['a.yaml:2:13']?.[0]).toContain('invalid variable');
    workspace.write('tags.csv', `name,type\n$\{A:-x},customer\n`);
    expect((await workspace.changes('@/tags.csv'))[0]?.key).toBe(`$\{A:-x}`);
  });

  it('variables: are expanded, also in number fields', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      `inventory-items:\n  - { sku: "$\{SKU}", cost: "$\{COST:-8.5}", barcode: "$$\{x}" }\n`,
    );
    const result = await workspace.boh('plan @/a.yaml -o json', undefined, { SKU: 'SKU-001' });
    expect(JSON.parse(result.stdout).changes[0].fields).toEqual({
      cost: { old: 4.5, new: 8.5 },
      barcode: { old: '6281000000001', new: `$\{x}` },
    });
  });

  it('anchors and merge keys: are resolved; digits in a text field: are unchanged', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      'tags:\n  - &usual { name: 007, type: customer }\n  - { <<: *usual, name: 0815 }\n',
    );
    expect((await workspace.changes('@/a.yaml')).map(({ key }) => key)).toEqual(['007', '0815']);
  });

  it.each(['', 'tags:\n', '# nothing\n', '{}'])(
    'files without records, %j: plan and diff exit with 2',
    async (text) => {
      const workspace = await openManifestWorkspace();
      workspace.write('a.yaml', text);
      for (const command of ['plan', 'diff'])
        expect((await workspace.boh(`${command} @/a.yaml`)).exitCode).toBe(2);
    },
  );

  it('missing paths, empty folders and tables without a resource: plan exits with 2', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('empty/readme.md', '');
    workspace.write('odd/prices.csv', 'a,b\n1,2\n');
    for (const path of ['nowhere', 'empty', 'odd/prices.csv']) {
      expect((await workspace.boh(`plan @/${path}`)).exitCode).toBe(2);
    }
  });
});

function exponentialAnchors(): string {
  const lines = ['tags:', '  - &a0 { name: x }'];
  for (let index = 1; index < 30; index++)
    lines.push(`  - &a${index} [*a${index - 1}, *a${index - 1}, *a${index - 1}]`);
  return `${lines.join('\n')}\n`;
}
