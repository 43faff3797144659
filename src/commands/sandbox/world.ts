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
export async function openWorld(context: Context, { name }: { name?: string }): Promise<World> {
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
      ...withoutAccounts(context.env),
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

/** What says which account is meant, or holds its secret, beside the settings of a service. */
const ofAccounts = ['BOH_TOKEN', 'BOH_CLIENT_SECRET', 'BOH_PROFILE', 'BOH_SANDBOX', 'BOH_CONFIG_DIR'];

/** How somebody likes to work stays, and so do variables of other programs. */
function withoutAccounts(environment: Variables): Variables {
  const ofServices = Object.values(settingList).flatMap(({ kind, environment: name }) =>
    kind === 'service' && name !== undefined ? [name] : [],
  );
  const taken = [...ofAccounts, ...ofServices];
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !taken.includes(name)));
}

const ownHosts = ['127.0.0.1', 'localhost'];

/** This machine is asked without the proxy that stands before all others. */
function withoutProxy({ NO_PROXY = '', no_proxy = NO_PROXY }: Variables): Variables {
  const list = [...no_proxy.split(/[\s,]+/).filter(Boolean), ...ownHosts].join(',');
  return { NO_PROXY: list, no_proxy: list };
}
