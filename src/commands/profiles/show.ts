/** `boh profiles show`: everything that a profile holds, secrets apart. */
import { Command } from 'commander';
import { usage } from '../../errors.ts';
import { existing } from '../../settings/profiles.ts';
import { settingNames } from '../../settings/setting-list.ts';
import { loadKept } from '../config/kept-settings.ts';
import type { Context } from '../context.ts';
import { present } from '../output/present.ts';
import { prepare } from '../prepare.ts';

export function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .description('Show what a profile holds: its settings, and whom its token belongs to.')
    .argument('[profile]', 'the one in use unless named')
    .action((name: string | undefined) => show(name, context));
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
