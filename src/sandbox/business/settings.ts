/** The settings of the business that the loyalty rules speak of, and those of the service that the document leaves open. */
import { usage } from '../../base/errors.ts';
import type { Database } from '../../storage/database.ts';
import { isObject, readFact, writeFact } from '../store/facts.ts';
import { type Variant, variantSettings } from '../variant.ts';

export interface Setting {
  initial: number | string;
  about: string;
  unit: string;
  /** The only values there are, where not any number will do. */
  allowed?: readonly (number | string)[];
  /** The bounds of a number, inclusive; from 0 to a million where none are given. */
  between?: readonly [number, number];
}

/** The first three are the document's own. */
const loyaltySettings = {
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
    allowed: [1, 2],
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

export const settings: typeof loyaltySettings & typeof variantSettings = {
  ...loyaltySettings,
  ...variantSettings,
};

export type SettingName = keyof typeof settings;
export type Settings = Readonly<Record<keyof typeof loyaltySettings, number> & Variant>;

const factName = 'settings';
const names = Object.keys(settings) as SettingName[];
const initial = Object.fromEntries(
  Object.entries<Setting>(settings).map(([name, setting]) => [name, setting.initial]),
) as Settings;

export function readSettings(database: Database): Settings {
  return { ...initial, ...readFact(database, factName, areSettings) };
}

function areSettings(value: unknown): value is Partial<Settings> {
  if (!isObject(value)) return false;
  return names.every((name) => value[name] === undefined || settingProblem(name, value[name]).length === 0);
}

/** Refuses unknown names and values that are no amounts, all at once, before anything is kept. */
export function changeSettings(database: Database, changes: Readonly<Record<string, unknown>>): Settings {
  checkSettings(changes);
  return database.write(() => {
    const changed = { ...readSettings(database), ...(changes as Partial<Settings>) };
    writeFact(database, factName, changed);
    return changed;
  });
}

/** Throws a usage failure that tells everything that is wrong; `among` are the settings that may be given. */
export function checkSettings(
  changes: Readonly<Record<string, unknown>>,
  among: readonly string[] = names,
): void {
  const problems = Object.entries(changes).flatMap(([name, value]) =>
    among.includes(name) ? settingProblem(name as SettingName, value) : [`There is no setting ${name}.`],
  );
  if (problems.length > 0) {
    throw usage(problems.join(' '), { hint: `The settings are ${among.join(', ')}.` });
  }
}

function settingProblem(name: SettingName, value: unknown): string[] {
  const { allowed, between: [least, most] = [0, 1e6] }: Setting = settings[name];
  if (allowed) {
    const isAllowed = (allowed as readonly unknown[]).includes(value);
    return isAllowed ? [] : [`${name} must be ${allowed.join(' or ')}.`];
  }
  const isAmount = typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most;
  return isAmount ? [] : [`${name} must be a number from ${least} to ${most}.`];
}
