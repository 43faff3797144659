/** Builds the page of settings and environment variables from their definitions. */

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

/** Variables that aren't settings: they are secrets, or a profile can't contain them. */
const otherVariables = [
  ['`BOH_TOKEN`', 'access token; with `BOH_BASE_URL`, no profile is needed'],
  ['`BOH_CLIENT_SECRET`', 'secret of your app, for `boh auth login`'],
  ['`BOH_WEBHOOK_SECRET`', 'secret of the signature of events, for `boh sandbox serve --webhook`'],
  ['`BOH_PROFILE`', 'profile to use'],
  [
    '`BOH_SANDBOX`',
    'name of the sandbox that --sandbox, sandbox profiles and `boh sandbox` use (default: `default`)',
  ],
  [
    '`BOH_MIRROR`',
    'location of the mirror: a SQLite file, or the URL of a PostgreSQL database, which may contain the password',
  ],
  ['`PGPASSWORD`', 'password for PostgreSQL, if the URL contains none'],
  ['`BOH_CONFIG_DIR`', 'folder for settings, sandboxes, data of accounts and caches'],
  [
    '`XDG_CONFIG_HOME`, `XDG_DATA_HOME`, `XDG_CACHE_HOME`',
    'folders for these files on Linux, without `BOH_CONFIG_DIR`',
  ],
  ['`BOH_PAGER`, `PAGER`', 'pager for long results on a terminal; empty for none (default: less)'],
  ['`VISUAL`, `EDITOR`', 'editor for `--edit` (default: vi; Notepad on Windows)'],
  ['`NO_COLOR`, `FORCE_COLOR`', 'disable or force colors'],
  ['`COLUMNS`, `LINES`', 'size of the window, if the terminal reports none (default: 80 and 24)'],
  ['`CI`', 'never prompt, and use no pager'],
  [
    '`HTTPS_PROXY`, `ALL_PROXY`',
    'URL of the proxy, never used for this machine; the lower-case names take precedence',
  ],
  [
    '`NO_PROXY`',
    'hosts without a proxy: domains with their subdomains, addresses, networks (`10.0.0.0/8`), `*`, each with an optional port',
  ],
  [
    '`NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE`',
    'files with additional certificate authorities; those of the system are trusted, too',
  ],
];
