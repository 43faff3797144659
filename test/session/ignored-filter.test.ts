/** Tests that a filter that a service ignores is recognized by the records, and one that it applies never is. */
import { describe, expect, it } from 'vitest';
import { mayMatch } from '../../src/account/session/ignored-filter.ts';
import { filteredValue } from '../../src/account/session/lookup.ts';
import type { Row } from '../../src/account/session/row.ts';
import type { Filter } from '../../src/api/contract/filter.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { copyDemoBusiness } from '../harness/demo-business.ts';
import { runBoh } from '../harness/run-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();
const home = newFolder();
copyDemoBusiness(home);

async function list(words: readonly string[]): Promise<Row[]> {
  const { stdout, stderr } = await runBoh(['--sandbox', ...words, '--all', '--json'], {
    env: { BOH_CONFIG_DIR: home },
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const filters = api.collections
  .filter((resource) => operation(resource, 'list'))
  .flatMap((resource) =>
    resource.filters
      .filter(({ match }) => match !== 'unknown' && match !== 'deleted')
      .map((filter) => ({ resource, filter, title: `${resource.command} ${filter.name}` })),
  );

/** Returns some values of the filter that records of the sandbox have. */
function valuesFor(filter: Filter, records: readonly Row[]): string[] {
  if (filter.match === 'any') return ['true', 'false'];
  const values = records.flatMap((record) => {
    const value = filteredValue(filter, record);
    return (Array.isArray(value) ? value : [value]).map((item) =>
      String(item !== null && typeof item === 'object' ? (item as Row).id : (item ?? '')),
    );
  });
  const distinct = [...new Set(values.filter((value) => value !== ''))];
  const isDay = filter.match === 'on_day' || filter.value.kind === 'date';
  return [0, 0.5, 0.9].flatMap((share) => {
    const value = distinct[Math.floor(share * distinct.length)];
    if (value === undefined) return [];
    if (isDay) return [value.slice(0, 10)];
    return [filter.match === 'contains' ? value.slice(1, 4) || value : value];
  });
}

describe.each(filters)('$title', ({ resource, filter }) => {
  it('records that the sandbox returns: match', async () => {
    const isIncluded = filter.value.traits.includable && filter.on !== undefined;
    const words = [resource.command, 'list', ...(isIncluded ? ['--include', String(filter.on)] : [])];
    const records = await list(words);
    for (const value of valuesFor(filter, records)) {
      const matching = await list([...words, '--filter', `${filter.name}=${value}`]);
      const ids = new Set(matching.map(({ id }) => id));
      const wrong = matching.filter((record) => !mayMatch({ filter, value }, record));
      expect(wrong, value).toEqual([]);
      // Bounds and days have a tolerance; others are exact, unless the records don't show the field.
      if (!['equals', 'contains', 'any'].includes(filter.match)) continue;
      const others = records.filter(
        (record) => !ids.has(record.id) && filteredValue(filter, record) !== undefined,
      );
      expect(
        others.filter((record) => mayMatch({ filter, value }, record)),
        value,
      ).toEqual([]);
    }
  });
});
