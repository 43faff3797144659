/** `boh profiles list`. */
import { Command } from 'commander';
import type { Config, Profile } from '../../settings/config.ts';
import type { Row } from '../../terminal/value-at.ts';
import { loadKept } from '../config/kept-settings.ts';
import type { Context } from '../context.ts';
import { present } from '../output/present.ts';
import { prepare } from '../prepare.ts';

export function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .alias('ls')
    .description('List all profiles.')
    .action(() => list(context));
}

async function list(given: Context): Promise<void> {
  const { config, context } = await loadKept(given);
  const rows = Object.entries(config.profiles).map(([name, profile]) => rowOf(name, profile, config));
  const remarks = rows.length === 0 ? ['There is no profile yet. Make one: boh auth login'] : [];
  await present(context, { kind: 'facts', facts: rows, columns, key: 'name', remarks });
}

const columns = [
  { name: 'active', show: (value: unknown) => (value === true ? '*' : '') },
  { name: 'name', whole: true },
  { name: 'place', value: placeIn },
  { name: 'business' },
  { name: 'signed_in' },
  { name: 'protected' },
];

function placeIn({ base_url: baseUrl, sandbox }: Row): unknown {
  return sandbox === null ? baseUrl : `sandbox ${sandbox}`;
}

function rowOf(name: string, profile: Profile, { active }: Config) {
  return {
    name,
    active: name === active,
    base_url: profile.base_url ?? null,
    sandbox: profile.sandbox ?? null,
    business: profile.business_name ?? null,
    user: profile.user_name ?? null,
    signed_in: profile.token !== undefined,
    protected: profile.protected ?? false,
    colour: profile.colour ?? null,
  };
}
