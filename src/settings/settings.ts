/** The one resolved value that every command is handed, and what it demands of it: an address, a token. */
import { Failure, usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { type ChosenAccount, type Endpoint, endpointName, type SettingSource } from './account.ts';
import type { Protection } from './protection.ts';
import type { Secret } from './secret.ts';
import type { SettingName, SettingValues } from './setting-list.ts';

export { type Endpoint, endpointName, type SettingSource };

/** The settings of a command. */
export interface Settings {
  /** The profile in use; none where a flag or the environment names another service than the profile's. */
  profile?: string | undefined;
  /** Without a slash at its end. */
  baseUrl?: string | undefined;
  /** Empty, or with a slash in front and none behind. */
  apiPrefix: string;
  tokenUrl?: string | undefined;
  authorizeUrl?: string | undefined;
  redirectUri: string;
  clientId?: string | undefined;
  clientSecret?: Secret | undefined;
  scopes: string[];
  /** How the service wants to be asked for a token. */
  oauth: { body: SettingValues['oauth.body']; clientAuth: SettingValues['oauth.client_auth']; pkce: boolean };
  token?: Secret | undefined;
  output?: SettingValues['output'] | undefined;
  errors?: SettingValues['errors'] | undefined;
  quiet?: boolean | undefined;
  colour?: SettingValues['colour'] | undefined;
  /** Writes to this account need a confirmation. */
  protection?: Protection | undefined;
  /** Whom the profile's token belongs to and what it allows; absent for a token from elsewhere. */
  businessId?: string | undefined;
  businessName?: string | undefined;
  userName?: string | undefined;
  tokenScopes?: readonly string[] | undefined;
  timeoutMs: number;
  /** As many requests at most, as typed: `60/min`. */
  rate?: string | undefined;
  history: HistorySettings;
  /** The name of the embedded sandbox, where that is to answer in place of a service. */
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
  /** Where each value came from; absent where nothing is set. */
  source: { [Name in SettingName | 'profile' | 'token' | 'client_secret']?: SettingSource | undefined };
  /** A profile whose token was left out, because it was given for another address than the one in use. */
  withheld?: { profile: string; place: string } | undefined;
  /** Only for the commands that make a profile: anywhere else it ends the run. */
  conflict?: ChosenAccount['conflict'];
}

/** What the history records. */
export interface HistorySettings {
  /** Whether writes are kept. */
  journal: boolean;
  /** Whether the record is read before it is written. */
  before: boolean;
  /** Whether what can't be kept is not sent. */
  required: boolean;
}

/** Returns the address of the service. Throws where none is set. */
export function requireBaseUrl(settings: Settings): string {
  if (settings.baseUrl !== undefined) return settings.baseUrl;
  throw new NothingSetUp();
}

/** Neither an address nor a sandbox: nothing was sent, and a person can be asked how to begin. */
class NothingSetUp extends Failure {
  override readonly name = 'NothingSetUp';

  constructor() {
    super('usage', 'No service URL is set.', {
      hint: boh.hint`Set BOH_BASE_URL, or add --sandbox to try boh without an account. To sign in: ${boh.profile('auth login')}`,
    });
  }
}

/** Returns the token to send. Throws where there is none, or where the only one belongs to another address. */
export function requireToken(settings: Settings): Secret {
  if (settings.token !== undefined) return settings.token;
  if (settings.withheld !== undefined) {
    const { profile, place } = settings.withheld;
    throw usage(
      `The token of profile ${profile} is for ${place}, so it is not sent to ${endpointName(settings)}.`,
      {
        hint: 'Set BOH_TOKEN to a token for this address, or use its profile: --profile NAME.',
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
