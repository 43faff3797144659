import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { api } from '../../src/api/resources/index.ts';
import { manifestFields } from '../../src/engine/manifest/declared/fields.ts';
import { manifestSchema } from '../../src/engine/manifest/schema/manifest-schema.ts';
import { openManifestWorkspace } from './workspace.ts';

const ajv = new Ajv2020({ strictTypes: false });
addFormats.default(ajv);
const validate = ajv.compile(manifestSchema(api));

describe('boh schema manifest', () => {
  it('is printed by the command, and contains every resource and field that can be declared', async () => {
    const workspace = await openManifestWorkspace();
    const schema = await workspace.json<ReturnType<typeof manifestSchema>>('schema manifest');
    expect(schema).toEqual(JSON.parse(JSON.stringify(manifestSchema(api))));
    for (const resource of api.collections) {
      const names = [...manifestFields(resource).keys()];
      if (names.length === 0) expect(schema.properties).not.toHaveProperty(resource.command);
      else
        expect(Object.keys(schema.$defs?.[resource.one]?.properties ?? {})).toEqual(
          expect.arrayContaining(names),
        );
    }
  });

  it('accepts everything that pull writes', async () => {
    const workspace = await openManifestWorkspace();
    await workspace.boh('pull @/all --exact');
    await workspace.boh('pull @/all --resource inventory-counts --resource cost-adjustments');
    for (const [name, text] of Object.entries(workspace.files('all'))) {
      expect(validate(parse(text)), `${name}: ${JSON.stringify(validate.errors?.slice(0, 3))}`).toBe(true);
    }
  });

  it.each([
    ['variables', { taxes: [{ name: 'A', rate: `$\{RATE:-5}` }], users: [{ name: 'A', pin: `$\{PIN}` }] }],
    [
      'words with hyphens, as on the command line',
      { 'inventory-items': [{ sku: 1, costing_method: 'fixed-cost' }] },
    ],
    ['a unit that looks like a number', { 'inventory-items': [{ sku: 'A', storage_unit: 1.5 }] }],
    ['the number of a choice in quotes', { tags: [{ name: 'A', type: '2' }] }],
    ['a variable in a list', { 'timed-events': [{ name: 'A', order_types: [`$\{TYPE}`] }] }],
    ['a reference by fields', { addresses: [{ $key: ['name'], customer: { phone: '1' } }] }],
  ])('%s: is valid', (_, manifest) => {
    expect(validate(manifest)).toBe(true);
  });

  it.each([
    ['a secret', { users: [{ name: 'A', pin: '4321' }] }],
    ['an unknown choice', { 'inventory-items': [{ sku: 'A', costing_method: 'fixed' }] }],
    ['an unknown resource', { tagz: [] }],
    ['an unknown field', { tags: [{ nam: 'A' }] }],
    ['a link without its record', { suppliers: [{ name: 'A', items: [{ order_unit: 'box' }] }] }],
  ])('%s: is invalid', (_, manifest) => {
    expect(validate(manifest)).toBe(false);
  });
});
