/** The world of a command that runs against a sandbox of its own: that sandbox, nothing of the user’s accounts, no proxy between. */
import type { Context } from '../../interaction/context.ts';
import { settingList } from '../../settings/setting-list.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface World {
  /** Where its sandbox is to be, or is where it began as a copy. */
  file: string;
  /** What the command finds in its environment. */
  environment(access: { baseUrl: string; token: string }): Variables;
  remove(): void;
}

/**
 * In a folder that stands in the place of the user’s own: whatever boh does in it, with `--sandbox` or `boh sandbox`,
 * is about the one sandbox there. Throws `usage` where it is to begin as a copy of a sandbox that isn’t there.
 */
export async function openWorld(
  context: Context,
  { name, passEnv = '' }: { name?: string; passEnv?: string },
): Promise<World> {
  const names = passEnv.split(',').map((each) => each.trim());
  const [{ mkdir }, { dirname }, { openScratch }, { sandboxFile }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('../../bulk/scratch.ts'),
    import('../../sandbox/store/place.ts'),
  ]);
  const source = name === undefined ? undefined : await existing(name, context);
  const { path, remove } = openScratch('sandbox');
  const own = { BOH_CONFIG_DIR: path };
  const file = sandboxFile(own, 'default');
  try {
    await mkdir(dirname(file), { mode: 0o700 });
    if (source !== undefined) await copy(source, file, context);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    file,
    environment: ({ baseUrl, token }) => ({
      ...passable(context.env, names),
      ...withoutProxy(context.env),
      ...own,
      BOH_BASE_URL: baseUrl,
      BOH_TOKEN: token,
    }),
    remove,
  };
}

async function existing(name: string, context: Context): Promise<string> {
  const [{ existsSync }, { fileOf }, { usage }] = await Promise.all([
    import('node:fs'),
    import('./named.ts'),
    import('../../errors.ts'),
  ]);
  const source = await fileOf(context, { name });
  if (!existsSync(source)) throw usage(`There is no sandbox "${name}".`);
  return source;
}

async function copy(source: string, file: string, { signal }: Context): Promise<void> {
  const [{ copyFile }, { namingOf }] = await Promise.all([
    import('../../storage/copy.ts'),
    import('../../sandbox/store/form.ts'),
  ]);
  await copyFile(namingOf(source), file, { signal });
}

/**
 * Variables of the user that the command gets: what programs need to run, and how somebody likes boh. All others stay out,
 * as any of them may lead to an account or hold a secret. A `*` at the end stands for any rest.
 */
const passedOn = [
  ...[
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'SHELL',
    'PWD',
    'TMPDIR',
    'TMP',
    'TEMP',
    'TZ',
    'LANG',
    'LANGUAGE',
    'LC_*',
  ],
  ...['TERM', 'COLORTERM', 'TERM_PROGRAM', 'COLUMNS', 'LINES', 'NO_COLOR', 'FORCE_COLOR', 'DISPLAY', 'XDG_*'],
  ...[
    'CI',
    'NODE_*',
    'NVM_*',
    'npm_*',
    'COREPACK_*',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'EDITOR',
    'VISUAL',
    'PAGER',
  ],
  ...[
    'SystemRoot',
    'SystemDrive',
    'windir',
    'ComSpec',
    'PATHEXT',
    'OS',
    'APPDATA',
    'LOCALAPPDATA',
    'USERPROFILE',
  ],
  ...[
    'HOMEDRIVE',
    'HOMEPATH',
    'USERNAME',
    'ProgramData',
    'ProgramFiles*',
    'NUMBER_OF_PROCESSORS',
    'PROCESSOR_*',
  ],
  ...['BOH_OUTPUT', 'BOH_QUIET', 'BOH_ERRORS', 'BOH_RATE', 'BOH_PAGER', 'BOH_COMPLETION_PATIENCE'],
];

/** Names that a `*` doesn't cover. */
const likelySecret = /token|secret|passw|auth|credential|key/i;

/** `names` are passed on as well, as the user has asked for them. Windows doesn't tell upper from lower case. */
function passable(environment: Variables, names: readonly string[]): Variables {
  const preferences = Object.values(settingList).flatMap(({ kind, environment: name }) =>
    kind === 'preference' && name !== undefined ? [name] : [],
  );
  const all = [...passedOn, ...preferences].map((name) => name.toLowerCase());
  const isPassed = (name: string) =>
    names.includes(name) ||
    all.includes(name.toLowerCase()) ||
    (!likelySecret.test(name) &&
      all.some((each) => each.endsWith('*') && name.toLowerCase().startsWith(each.slice(0, -1))));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isPassed(name)));
}

const ownHosts = ['127.0.0.1', 'localhost'];

/** This machine is asked without the proxy that stands before all others. */
function withoutProxy({ NO_PROXY = '', no_proxy = NO_PROXY }: Variables): Variables {
  const list = [...no_proxy.split(/[\s,]+/).filter(Boolean), ...ownHosts].join(',');
  return { NO_PROXY: list, no_proxy: list };
}
