import { describe, expect, it } from 'vitest';
import type { Field } from '../../src/api/contract/field.ts';
import { linkFields, nestedFields } from '../../src/api/contract/operation.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { api } from '../../src/api/resources/index.ts';
import { entryName, manifestFields } from '../../src/engine/manifest/declared/fields.ts';
import { openManifestWorkspace } from '../manifest/workspace.ts';

const declarable = api.collections.filter((resource) => manifestFields(resource).size > 0);

describe.each(declarable.map((resource) => [resource.command, resource] as const))(
  'manifest: %s',
  (command, resource) => {
    it('with every field and link: is applied, and the next plan is empty', async () => {
      const workspace = await openManifestWorkspace();
      workspace.write(
        'all.json',
        JSON.stringify({ [command]: [recordOf(resource)], ...(command !== 'tags' && { tags }) }),
      );
      const env = { PASSWORD: 'not a secret', PIN: '4821' };
      const applyResult = await workspace.boh('apply @/all.json --yes', undefined, env);
      expect(applyResult.exitCode, applyResult.stderr).toBe(0);
      const secondPlan = await workspace.boh('plan @/all.json -o json', undefined, env);
      expect(JSON.parse(secondPlan.stdout)).toEqual({ changes: [] });
      const clearedDeclaration = clearedOf(resource);
      workspace.write(
        'all.json',
        JSON.stringify({ [command]: [{ ...recordOf(resource), ...clearedDeclaration, $exact: true }] }),
      );
      const exactResult = await workspace.boh('apply @/all.json --yes', undefined, env);
      expect(exactResult.exitCode, exactResult.stderr).toBe(0);
      const lastPlan = await workspace.boh('plan @/all.json -o json', undefined, env);
      expect(JSON.parse(lastPlan.stdout)).toEqual({ changes: [] });
    });
  },
);

it('manifest: every writable resource can be declared', () => {
  const writable = api.collections.filter(({ create, list }) => create && list);
  expect(declarable).toEqual(writable);
});

/** Returns a record with the contract's examples. Its key doesn't exist in the demo business. */
function recordOf(resource: Resource): Record<string, unknown> {
  const fieldValues = [...manifestFields(resource).values()].map(
    ({ name, field }) => [name, sampleOf(field, name, resource)] as const,
  );
  const record = Object.fromEntries(fieldValues.filter(([, value]) => value !== undefined));
  const names = Object.keys(record).filter((name) => resource.key.includes(name));
  // Without a natural key that can be set, the service assigns the reference.
  return names.length > 0
    ? record
    : { $key: ['branch', 'business_date', 'name', 'customer'].filter((name) => name in record), ...record };
}

/** Returns null for every field that can be cleared, except for the fields of the key. */
function clearedOf(resource: Resource): Record<string, null> {
  const { $key: keyNames = [] } = recordOf(resource) as { $key?: string[] };
  const fields = [...manifestFields(resource).values()].filter(
    ({ name, update, field: { traits } }) =>
      update && traits.nullable && ![...resource.key, ...keyNames].includes(name),
  );
  return Object.fromEntries(fields.map(({ name }) => [name, null]));
}

function sampleOf(field: Field, name: string, resource: Resource): unknown {
  const { traits } = field;
  const { secret, writeOnly, example } = traits;
  if (secret || writeOnly) return `$\{${name.toUpperCase()}}`;
  if (field.kind === 'one') return exampleReference(field);
  if (field.kind === 'many') return [linkOf(field, name, resource)];
  if (field.kind === 'objects') {
    const parts = nestedFields(field).filter((entry) => entry.responseName !== 'id');
    return [
      Object.fromEntries(
        parts.map((entry) => [entry.responseName, sampleOf(entry.field, entry.responseName, resource)]),
      ),
    ];
  }
  return example;
}

function linkOf(field: Field, name: string, resource: Resource): unknown {
  const pivotFields = linkFields(field);
  if (pivotFields.length === 0) return exampleReference(field);
  const pivot = Object.fromEntries(pivotFields.map((entry) => [entry.name, entry.field.traits.example]));
  return { [entryName(resource, name, field)]: exampleReference(field), ...pivot };
}

/** Returns the key of a record in the demo business, or the name of a declared tag of the required type. */
function exampleReference({ traits: { target = '', targetFilter } }: Field): unknown {
  if (targetFilter) return tagName(targetFilter.value);
  return api.exampleKeys(target)[0] ?? { id: api.exampleId(target) };
}

function tagName(type: number): string {
  return `Tag of type ${type}`;
}

const types = Object.values(api.resource('tags')?.fields.type?.traits.words ?? {});
const tags = types.map((type) => ({ name: tagName(type), type }));
