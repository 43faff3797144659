/** Looking up, adding and removing saved views, in a profile or for lines that use none: pure changes of a configuration. */
import { usage } from '../base/errors.ts';
import { didYouMean } from '../base/suggest.ts';
import { type Config, type Profile, profileNamed } from './config.ts';
import type { SavedView, SavedViews } from './views.ts';

/** Those of a profile; without one, those of lines that use none. */
export function viewsIn(config: Config, profile: string | undefined): SavedViews {
  return (profile === undefined ? config.views : profileNamed(config, profile)?.views) ?? {};
}

/** Throws a usage failure with the nearest name where there is none. */
export function viewNamed(views: SavedViews, name: string): SavedView {
  const view = Object.hasOwn(views, name) ? views[name] : undefined;
  if (view) return view;
  throw usage(`There is no view "${name}".${didYouMean(name, Object.keys(views))}`, {
    hint: 'See them: boh views list',
  });
}

/** `view` undefined takes the name away. */
export function putView(
  config: Config,
  profile: string | undefined,
  name: string,
  view: SavedView | undefined,
): Config {
  const { [name]: _before, ...others } = viewsIn(config, profile);
  const views = view ? { ...others, [name]: view } : others;
  if (profile === undefined) return { ...config, views };
  const owner: Profile = profileNamed(config, profile) ?? {};
  return { ...config, profiles: { ...config.profiles, [profile]: { ...owner, views } } };
}
