/** Defines the settings of a command, and the checks that require a base URL or a token. */
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { type Endpoint, endpointName, type SelectedAccount, type SettingSource } from './account.ts';
import type { Protection } from './protection.ts';
import type { Secret } from './secret.ts';
import type { SettingName, SettingValues } from './setting-definitions.ts';

export { type Endpoint, endpointName, type SettingSource };

export interface Settings {
  /** The profile in use; undefined if a flag or the environment names another service. */
  profile?: string | undefined;
  /** The name of the preset for this kind of service. */
  like?: SettingValues['like'] | undefined;
  /** The URL of the service, without a slash at its end. */
  baseUrl?: string | undefined;
  /** Empty, or a path with a slash at the beginning and not at the end. */
  apiPrefix: string;
  tokenUrl?: string | undefined;
  authorizeUrl?: string | undefined;
  redirectUri: string;
  clientId?: string | undefined;
  clientSecret?: Secret | undefined;
  scopes: string[];
  /** How the service expects token requests. */
  oauth: { body: SettingValues['oauth.body']; clientAuth: SettingValues['oauth.client_auth']; pkce: boolean };
  token?: Secret | undefined;
  output?: SettingValues['output'] | undefined;
  errors?: SettingValues['errors'] | undefined;
  quiet?: boolean | undefined;
  /** The time zone of times on a terminal; undefined for that of this machine. */
  timeZone?: string | undefined;
  colour?: SettingValues['colour'] | undefined;
  /** The protection of the account; undefined if writes need no confirmation. */
  protection?: Protection | undefined;
  /** The account of the profile's token and its scopes; undefined for a token from another source. */
  businessId?: string | undefined;
  businessName?: string | undefined;
  userName?: string | undefined;
  tokenScopes?: readonly string[] | undefined;
  timeoutMs: number;
  /** The maximum rate of requests, as the user wrote it: `60/min`. */
  rate?: string | undefined;
  history: HistorySettings;
  /** The name of the embedded sandbox, if it is used instead of a service. */
  sandbox?: string | undefined;
  wire: {
    filterStyle: SettingValues['wire.filter_style'];
    envelope: SettingValues['wire.envelope'];
    pageParam: string;
    pageSizeParam?: string | undefined;
    deletedFilter: SettingValues['wire.deleted_filter'];
    redeemMethod: SettingValues['wire.redeem_method'];
    put: SettingValues['wire.put'];
  };
  /** The source of each value; undefined if it isn't set. */
  source: { [Name in SettingName | 'profile' | 'token' | 'client_secret']?: SettingSource | undefined };
  /** A profile whose token isn't used, because it belongs to another service. */
  withheld?: { profile: string; endpoint: string } | undefined;
  /** Only for commands that create a profile: other commands stop at a conflict. */
  conflict?: SelectedAccount['conflict'];
  /** The path of a damaged configuration file that was renamed; only without a service URL and a configuration file. */
  damagedConfig?: string | undefined;
}

export interface HistorySettings {
  /** Whether writes are recorded. */
  journal: boolean;
  /** Whether records are read before they are written. */
  before: boolean;
  /** Whether writes that can't be recorded are refused. */
  required: boolean;
}

/** Returns the base URL of the service. Throws if none is set. */
export function requireBaseUrl(settings: Settings): string {
  if (settings.baseUrl !== undefined) return settings.baseUrl;
  if (settings.damagedConfig !== undefined)
    throw usage(
      `No service URL is set: the damaged configuration file was renamed to ${settings.damagedConfig}.`,
      {
        hint: boh.hint`Fix that file and rename it back to config.json, or sign in again: ${boh.profile('auth login')}`,
      },
    );
  throw new NoServiceUrl();
}

/** The failure if neither a service nor a sandbox is selected: a user can be asked how to start. */
class NoServiceUrl extends Failure {
  override readonly name = 'NoServiceUrl';

  constructor() {
    super('usage', 'No service URL is set.', {
      hint: boh.hint`Set BOH_BASE_URL, or add --sandbox to try boh without an account. To sign in: ${boh.profile('auth login')}`,
    });
  }
}

/** Returns the token to send. Throws if there is none, or if the only one belongs to another service. */
export function requireToken(settings: Settings): Secret {
  if (settings.token !== undefined) return settings.token;
  if (settings.withheld !== undefined) {
    const { profile, endpoint } = settings.withheld;
    throw usage(
      `The token of profile ${profile} is for ${endpoint}, so it is not sent to ${endpointName(settings)}.`,
      {
        hint: 'Set BOH_TOKEN to a token for this URL, or use its profile: --profile NAME.',
      },
    );
  }
  throw new Failure('not_signed_in', `No token for ${endpointName(settings)}.`, {
    hint:
      settings.sandbox === undefined
        ? boh.hint`Set BOH_TOKEN, or sign in: ${boh.profile('auth login')}`
        : boh.hint`A sandbox needs no token. To try signing in: ${boh.plain('auth login', '--sandbox')}`,
  });
}
