/** Builds the page of settings and environment variables from their definitions. */

import { otherVariables } from '../../src/account/settings/environment-variables.ts';
import {
  defaultValues,
  settingDefinitions,
  settingNames,
} from '../../src/account/settings/setting-definitions.ts';
import { type Block, paragraph, type ReferencePage, section, table } from '../../src/api/reference/blocks.ts';

/** Returns the page of the settings of `boh config` and of all environment variables. */
export function settingsPage(): ReferencePage {
  const summary = 'Settings and environment variables';
  return {
    name: 'settings',
    title: summary,
    summary,
    blocks: [
      paragraph(
        '`boh config set NAME VALUE` changes a setting; `boh config list` prints all values and their sources. Flags override environment variables, variables override the profile, and the profile overrides values for all profiles. An account that --profile names is used even if BOH_BASE_URL is set.',
      ),
      ...section('Settings of a profile', [settingsTable('service')]),
      ...section('Preferences', [
        paragraph('Preferences apply to all profiles, or with --profile to one.'),
        settingsTable('preference'),
      ]),
      ...section('Environment variables', environment()),
    ],
  };
}

/** Returns a table of the settings of one kind, with their values and defaults. */
function settingsTable(kind: 'service' | 'preference'): Block {
  const defaults: Readonly<Record<string, unknown>> = defaultValues;
  const code = (value: unknown) => (value === undefined || String(value) === '' ? '' : `\`${value}\``);
  return table(
    ['setting', 'description', 'values', 'default'],
    settingNames
      .filter((name) => settingDefinitions[name].kind === kind)
      .map((name) => {
        const { summary, allowedValues = [] } = settingDefinitions[name];
        return [code(name), summary, allowedValues.map(code).join(', '), code(defaults[name])];
      }),
  );
}

/** Returns the table of all environment variables. */
export function environment(): Block[] {
  const settings = settingNames.flatMap((name) => {
    const { environmentVariable: variable, summary } = settingDefinitions[name];
    return variable === undefined ? [] : [[`\`${variable}\``, `${summary} (setting \`${name}\`)`]];
  });
  return [table(['variable', 'description'], [...otherVariables, ...settings])];
}
