/** `boh profiles list` and `show`: what profiles hold, secrets apart. */
import { Command } from 'commander';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { present } from '../../interaction/output/present.ts';
import type { Config, Profile } from '../../settings/config.ts';
import { existing } from '../../settings/profiles.ts';
import { settingNames } from '../../settings/setting-list.ts';
import type { ShownRow } from '../../terminal/value-at.ts';
import { loadKept } from '../config/kept-settings.ts';
import { prepare } from '../prepare.ts';

export function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .alias('ls')
    .description('List all profiles.')
    .action(() => list(context));
}

export function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .description('Show what a profile holds: its settings, and whom its token belongs to.')
    .argument('[profile]', 'the one in use unless named')
    .action((name: string | undefined) => show(name, context));
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

function placeIn({ base_url: baseUrl, sandbox }: ShownRow): unknown {
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

async function show(named: string | undefined, given: Context): Promise<void> {
  const { config, settings, context } = await loadKept(given);
  const name = named ?? settings.profile;
  if (name === undefined) {
    throw usage('No profile is in use.', {
      hint: 'Name one: boh profiles show NAME. See them all: boh profiles list',
    });
  }
  const profile = existing(config, name);
  const facts = {
    name,
    active: name === config.active,
    ...Object.fromEntries(settingNames.flatMap((key) => (key in profile ? [[key, profile[key]]] : []))),
    has_client_secret: profile.client_secret !== undefined,
    signed_in: profile.token !== undefined,
    user: profile.user_name ?? null,
    business: profile.business_name ?? null,
    token_scopes: profile.token_scopes ?? null,
  };
  await present(context, { kind: 'facts', facts });
}
