import { describe, expect, test } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { openImportSandbox } from './import-sandbox.ts';

/** Every relation to one record that an update accepts. */
const relations = api.collections.flatMap((resource) =>
  (operation(resource, 'update')?.body ?? []).flatMap((entry) =>
    entry.field.kind === 'one' ? [[`${resource.command} ${entry.name}`, { resource, entry }] as const] : [],
  ),
);

describe('import of an id and a column of a relation', () => {
  test.each(relations)('%s: changes the record', async (_, { resource, entry: { name, responseName } }) => {
    const sandbox = openImportSandbox();
    const { id, [responseName]: current } = await sandbox
      .json<Record<string, { id: string } & string>>(
        `${resource.command} get ${resource.exampleId} --include ${responseName}`,
      )
      .catch(() =>
        sandbox.json<Record<string, { id: string } & string>>(
          `${resource.command} get ${resource.exampleId}`,
        ),
      );
    const otherId = `${current?.id ?? 'none'}-other`;
    const planResult = await sandbox.import(
      'one.csv',
      `id,${name}\n${id},${otherId}\n`,
      `${resource.command} --dry-run`,
    );
    expect([planResult.exitCode, planResult.rows]).toEqual([
      0,
      [
        expect.objectContaining({
          action: 'update',
          changes: { [responseName]: { from: current?.id ?? null, to: otherId } },
        }),
      ],
    ]);
  });
});
