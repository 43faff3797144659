/** Names the environment variables of boh, and finds those that are misspelled. */
import type { Environment } from '../../base/environment.ts';
import { orDidYouMean } from '../../base/suggest.ts';
import { settingDefinitions } from './setting-definitions.ts';

/** Variables that aren't settings: they are secrets, or a profile can't contain them. */
export const otherVariables = [
  ['`BOH_TOKEN`', 'access token; with `BOH_BASE_URL`, no profile is needed'],
  ['`BOH_CLIENT_SECRET`', 'secret of your app, for `boh auth login`'],
  ['`BOH_WEBHOOK_SECRET`', 'secret of the signature of events, for `boh sandbox serve --webhook`'],
  ['`BOH_SANDBOX_TOKEN`', 'access token of the sandbox that `boh sandbox serve` serves'],
  [
    '`BOH_SANDBOX_CONTROL_TOKEN`',
    'control token of a served sandbox, for `boh sandbox serve` and commands that control it',
  ],
  ['`BOH_SANDBOX_URL`', 'URL of the served sandbox that `boh sandbox` controls'],
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

/** Variables of boh that the documentation doesn't list. */
const hiddenVariables = ['BOH_COMPLETION_PATIENCE'];

/** Returns a warning for each variable `BOH_…` that boh doesn't read. */
export function unknownVariableWarnings(env: Environment): string[] {
  const settings = Object.values(settingDefinitions).flatMap(({ environmentVariable: name }) => name ?? []);
  const others = otherVariables.flatMap(([names = '']) => names.match(/BOH_\w+/g) ?? []);
  const known = [...settings, ...others, ...hiddenVariables];
  return Object.keys(env)
    .filter((name) => name.startsWith('BOH_') && !known.includes(name))
    .map((name) => `The environment variable ${name} is unknown${orDidYouMean(name, known)}.`);
}
