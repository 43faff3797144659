import { expect, test } from 'vitest';
import { weekdays } from '../../src/api/contract/pictures.ts';
import { describeCosts } from '../../src/cli/pictures/costs/draw-costs.ts';
import { describeLevels } from '../../src/cli/pictures/levels/compare-levels.ts';
import { describeMap } from '../../src/cli/pictures/map/describe-map.ts';
import { shortenName } from '../../src/cli/pictures/page.ts';
import { describeWeek } from '../../src/cli/pictures/week/describe-week.ts';
import { buildZoneMap } from '../../src/engine/areas/zone-map.ts';
import { buildWeek } from '../../src/engine/weeks/build-week.ts';
import { square, zone } from './rings.ts';

const longName = 'boh: all is deleted '.repeat(50_000);

test('shortenName: cuts names longer than 60 characters, keeps others', () => {
  expect(shortenName('Überlappung am Fluss')).toBe('Überlappung am Fluss');
  expect(shortenName('𝒳'.repeat(60))).toBe('𝒳'.repeat(60));
  expect(shortenName('𝒳'.repeat(61))).toBe(`${'𝒳'.repeat(59)}…`);
});

test('sentences about pictures: stay short if a name has a megabyte', () => {
  const event = (id: string) => ({
    ...{ id, name: longName, effect: 'fixed price 1', isActive: true, days: weekdays, from: 9, to: 12 },
    ...{ fromDate: '2026-01-01', toDate: '2026-12-31', scopeIds: {}, targetIds: {} },
  });
  const zones = buildZoneMap([zone(longName, square(0, 0, 2)), zone(`${longName}2`, square(1, 1, 2))]);
  const level = { minimum: 1, par: 2, maximum: 3, counted: 1, day: null, state: 'fine' as const };
  const item = {
    ...{ id: '1', sku: null, name: longName, unit: null },
    ...{ branches: [], minimum: 1, par: 2, maximum: 3 },
  };
  const sentences = [
    ...describeMap(zones),
    ...describeWeek(buildWeek([event('a'), event('b')], '2026-11-22', '2026-11-22')),
    ...describeCosts({ changes: [], drafts: [], currentCost: 3 }, { name: longName, unit: null }),
    ...describeLevels([{ item, branch: { id: 'b', name: longName }, ...level }]),
  ];
  expect(sentences.length).toBeGreaterThan(10);
  for (const sentence of sentences) expect(sentence.length).toBeLessThan(400);
});
