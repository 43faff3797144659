/** The settings of the business that the loyalty rules speak of, and those that the document leaves open. */
import { usage } from '../../errors.ts';
import type { Database } from '../../storage/database.ts';
import { isObject, readFact, writeFact } from '../store/facts.ts';

export interface Setting {
  initial: number;
  about: string;
  unit: string;
}

/** The first three are the document's own. */
export const settings = {
  loyaltyMinimumOrderPrice: {
    initial: 50,
    about: 'An order has to cost at least this much to earn loyalty',
    unit: 'currency',
  },
  loyaltyDelayInHours: {
    initial: 24,
    about: 'How long after an order what it earned starts to count',
    unit: 'hours',
  },
  loyaltyRewardMinimum: {
    initial: 300,
    about: 'A customer who has saved up this much gets a reward',
    unit: 'currency',
  },
  loyaltyRewardType: {
    initial: 2,
    about: 'What rewards are: 1 a percentage, 2 a fixed amount',
    unit: '1 or 2',
  },
  loyaltyRewardAmount: { initial: 20, about: 'The discount of a reward', unit: 'percent or currency' },
  loyaltyRewardMaximumDiscount: { initial: 20, about: 'The most that a reward takes off', unit: 'currency' },
  loyaltyRewardValidDays: { initial: 90, about: 'How long a reward can be used', unit: 'days' },
  returnPeriodInDays: {
    initial: 14,
    about: 'How long after an order a return still reduces what it earned',
    unit: 'days',
  },
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
export type Settings = Readonly<Record<SettingName, number>>;

const factName = 'settings';
const names = Object.keys(settings) as SettingName[];
const initial = Object.fromEntries(names.map((name) => [name, settings[name].initial])) as Settings;

export function readSettings(database: Database): Settings {
  return { ...initial, ...readFact(database, factName, areSettings) };
}

function areSettings(value: unknown): value is Partial<Settings> {
  return isObject(value) && names.every((name) => ['number', 'undefined'].includes(typeof value[name]));
}

/** Refuses unknown names and values that are no amounts, all at once, before anything is kept. */
export function changeSettings(database: Database, changes: Readonly<Record<string, unknown>>): Settings {
  const problems = Object.entries(changes).flatMap(([name, value]) => settingProblem(name, value));
  if (problems.length > 0) {
    throw usage(problems.join(' '), { hint: `The settings are ${names.join(', ')}.` });
  }
  return database.write(() => {
    const changed = { ...readSettings(database), ...(changes as Partial<Settings>) };
    writeFact(database, factName, changed);
    return changed;
  });
}

function settingProblem(name: string, value: unknown): string[] {
  if (!Object.hasOwn(settings, name)) return [`There is no setting ${name}.`];
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > 1e6) {
    return [`${name} must be a number from 0 to 1000000.`];
  }
  return name === 'loyaltyRewardType' && value !== 1 && value !== 2 ? [`${name} must be 1 or 2.`] : [];
}
