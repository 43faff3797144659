/** Can the configuration be read, by its owner alone, and what does it name? */
import { existsSync } from 'node:fs';
import { type LoadedSettings, loadSettings } from '../settings/load.ts';
import { placeOf, requireBaseUrl, type Settings } from '../settings/settings.ts';
import { type Finding, ok, problemFrom, warning } from './finding.ts';
import type { Surroundings } from './surroundings.ts';

export interface Configuration {
  findings: Finding[];
  /** Undefined where it can't be used: then nothing that rests on it can be checked. */
  settings?: Settings;
}

export async function checkConfiguration({ flags, env }: Surroundings): Promise<Configuration> {
  let loaded: LoadedSettings;
  try {
    loaded = await loadSettings(flags, env);
  } catch (error) {
    return { findings: [problemFrom('Configuration', error)] };
  }
  const { settings, config, store, notes } = loaded;
  return {
    findings: [
      fileFinding(store.path, notes),
      profileFinding(settings, Object.keys(config.profiles)),
      addressFinding(settings),
    ],
    settings,
  };
}

/** Reading the file has mended its permissions already, where it could. */
function fileFinding(path: string, notes: readonly string[]): Finding {
  if (notes.length > 0) {
    return warning(
      'Configuration',
      notes.join(' '),
      `It is ${path}; run boh doctor again to see that it is mended.`,
    );
  }
  return ok('Configuration', existsSync(path) ? `${path}, for you alone` : `none yet; it would be ${path}`);
}

function profileFinding({ profile, source }: Settings, names: readonly string[]): Finding {
  if (profile !== undefined)
    return ok('Profile', `${profile}, chosen by ${chosenBy[source.profile ?? 'default']}`);
  const others = names.length > 0 ? `; there are ${names.join(', ')}` : '';
  return ok('Profile', `none in use${others}`);
}

const chosenBy = {
  flag: '--profile',
  environment: 'BOH_PROFILE',
  profile: 'the configuration',
  default: 'the configuration',
};

function addressFinding(settings: Settings): Finding {
  try {
    if (settings.sandbox === undefined) requireBaseUrl(settings);
  } catch (error) {
    return problemFrom('Service', error);
  }
  return ok('Service', placeOf(settings) + settings.apiPrefix);
}
