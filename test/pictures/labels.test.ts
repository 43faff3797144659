import { expect, test } from 'vitest';
import { weekdays } from '../../src/contract/pictures.ts';
import { costWords } from '../../src/pictures/costs/draw-costs.ts';
import { shortName } from '../../src/pictures/labels.ts';
import { levelWords } from '../../src/pictures/levels/levels-of.ts';
import { mapWords } from '../../src/pictures/map/map-words.ts';
import { zoneMap } from '../../src/pictures/map/zone-map.ts';
import { weekOf } from '../../src/pictures/week/week-of.ts';
import { weekWords } from '../../src/pictures/week/week-words.ts';
import { square, zone } from './rings.ts';

const endless = 'boh: all is deleted '.repeat(50_000);

test('shortName: cuts names longer than 60 characters, keeps others', () => {
  expect(shortName('Überlappung am Fluss')).toBe('Überlappung am Fluss');
  expect(shortName('𝒳'.repeat(60))).toBe('𝒳'.repeat(60));
  expect(shortName('𝒳'.repeat(61))).toBe(`${'𝒳'.repeat(59)}…`);
});

test('sentences about pictures: stay short if a name has a megabyte', () => {
  const event = (id: string) => ({
    ...{ id, name: endless, effect: 'fixed price 1', isActive: true, days: weekdays, from: 9, to: 12 },
    ...{ fromDate: '2026-01-01', toDate: '2026-12-31', within: {}, on: {} },
  });
  const zones = zoneMap([zone(endless, square(0, 0, 2)), zone(`${endless}2`, square(1, 1, 2))]);
  const level = { minimum: 1, par: 2, maximum: 3, counted: 1, day: null, state: 'fine' as const };
  const item = {
    ...{ id: '1', sku: null, name: endless, unit: null },
    ...{ branches: [], minimum: 1, par: 2, maximum: 3 },
  };
  const words = [
    ...mapWords(zones),
    ...weekWords(weekOf([event('a'), event('b')], '2026-11-22', '2026-11-22')),
    ...costWords({ changes: [], drafts: [], now: 3 }, { name: endless, unit: null }),
    ...levelWords([{ item, branch: { id: 'b', name: endless }, ...level }]),
  ];
  expect(words.length).toBeGreaterThan(10);
  for (const sentence of words) expect(sentence.length).toBeLessThan(400);
});
