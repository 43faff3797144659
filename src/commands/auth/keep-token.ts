/** The end of every sign-in: the token is tried, kept in its profile, and the person told who they are. */
import { Failure } from '../../errors.ts';
import { putProfile, signOut } from '../../settings/profiles.ts';
import type { Secret } from '../../settings/secret.ts';
import { placeOf } from '../../settings/settings.ts';
import { note, warn } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';
import type { Target } from './target.ts';
import { askWho, introduction, type Who, whoFields } from './who.ts';

/** All but the token. */
export async function keepSettings({ profile, store, values, newSecret }: Target): Promise<void> {
  await store.update((config) =>
    putProfile(config, profile, (own) => ({
      ...own,
      ...values,
      ...(newSecret && { client_secret: newSecret }),
    })),
  );
}

/** Throws, with no token kept, where the service doesn't accept the token. `--unchecked` keeps it without asking. */
export async function keepToken(target: Target, token: Secret, context: Context): Promise<void> {
  const { streams, globals, env } = context;
  const { profile, store } = target;
  const who = globals.unchecked ? undefined : await tryToken(target, token, context);
  const { config, notes } = await store.update((before) => {
    const known = signOut(
      putProfile(before, profile, (own) => ({ ...own, ...target.values })),
      profile,
    );
    return putProfile(known, profile, (own) => ({
      ...own,
      token,
      ...whoFields(who),
    }));
  });
  for (const text of notes) warn(streams, text);
  note(streams, who ? introduction(who) : 'The token was not tried: see `boh auth status --check`.');
  const use =
    config.active === profile
      ? ''
      : ` To use it, add --profile ${profile}, or run \`boh profiles use ${profile}\`.`;
  note(streams, `The token is kept in profile ${profile}.${use}`);
  if (env.BOH_TOKEN) warn(streams, 'BOH_TOKEN is set, and goes before the token that was just kept.');
}

/** A token that may not ask who it belongs to can be good for other things. */
async function tryToken(target: Target, token: Secret, context: Context): Promise<Who> {
  const { settings } = target;
  const source = { ...settings.source, token: 'profile' as const };
  const client = await context.connect({ ...settings, token, tokenScopes: undefined, source });
  try {
    return await askWho(client);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.category === 'not_allowed') return {};
    throw new Failure(error.category, `${error.message} The token was not kept.`, {
      ...error.details,
      hint: hintAfter(error, placeOf(settings)),
    });
  }
}

function hintAfter({ category, details }: Failure, place: string): string {
  if (category === 'not_signed_in') return `Copy the token again, whole; and see whether it is for ${place}.`;
  const { hint = '' } = details;
  return `${hint} To keep a token without trying it, add --unchecked.`.trim();
}
